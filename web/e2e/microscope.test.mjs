// The microscope shows the engine's own trace, and its Rust test compiles and passes.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { goTo, launch, newPage, ready, until } from "./browser.mjs";
import { caromJson, PROGRAM, view } from "./program.mjs";

const [SCENE, FRAME] = ["boxes", 30];
let browser, server, page, errors;

before(async () => {
  browser = await launch();
  server = await view(SCENE);
  ({ page, errors } = await newPage(browser, { permissions: ["clipboard-read", "clipboard-write"] }));
  await page.goto(server.address);
  await ready(page);
  await goTo(page, FRAME);
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

test("a visitor gets there by the tab and a pair that touches", async () => {
  await page.getByRole("tab", { name: "Microscope" }).click();
  await page.locator(".pairs button").first().click();
  await until(page, () => window.carom.microscope.pair !== null);
});

test("its steps are those of the engine's trace", async () => {
  const { pair } = await page.evaluate(() => window.carom.microscope);
  const trace = await caromJson("microscope", SCENE, ...pair.slots.map(String), "--steps", String(FRAME));
  for (const part of ["gjk", "epa", "axes", "manifold", "distance"]) assert.deepEqual(pair[part], trace[part], part);

  for (const [stage, steps] of [
    ["GJK", trace.gjk],
    ["EPA", trace.epa],
    ["SAT", trace.axes],
    ["Contact", contactSteps(trace.manifold)],
  ]) {
    if (steps.length === 0) continue;
    await page.getByRole("button", { name: `${stage}${steps.length}` }).click();
    for (let step = 0; step < steps.length; step++) {
      assert.equal(await page.locator(".stepper output").textContent(), `${step + 1} of ${steps.length}`);
      if (stage === "GJK") {
        const points = `${steps[step].simplex.length} point`;
        const told = await page.locator(".facts tr", { hasText: "simplex" }).locator("td").textContent();
        assert.ok(told.startsWith(points), `${told} for ${points}`);
        // The last is where the search ended: nothing more is asked, and it says why.
        const isLast = step === steps.length - 1;
        assert.equal(steps[step].support === null, isLast);
        const stopped = page.locator(".facts tr", { hasText: "stopped" }).locator("td");
        assert.deepEqual(await stopped.allTextContents(), isLast ? [trace.reasons[0]] : []);
      }
      await page.getByRole("button", { name: "Next step of the algorithm" }).click();
    }
  }
});

test("bounds are drawn of the search that is shown", async () => {
  // A chart that leaves the page and comes back as large as before has to draw what it was given meanwhile.
  const drawn = () => page.evaluate(() => document.querySelector("#panel-3 .chart canvas")?.toDataURL() ?? null);
  const shown = async (stage) => {
    await page.getByRole("button", { name: new RegExp(`^${stage}[0-9]`) }).click();
    await page.waitForTimeout(300);
    return drawn();
  };
  const [gjk, epa, again] = [await shown("GJK"), await shown("EPA"), await shown("GJK")];
  assert.ok(gjk !== null && epa !== null);
  assert.notEqual(gjk, epa);
  assert.equal(gjk, again);
});

test("the copied Rust test compiles and passes", async () => {
  await page.getByRole("button", { name: "Copy as Rust test" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const code = await page.evaluate(() => navigator.clipboard.readText());
  const folder = mkdtempSync(join(tmpdir(), "carom-pasted-"));
  try {
    const [source, program] = [join(folder, "pasted.rs"), join(folder, "pasted")];
    writeFileSync(source, code);
    // Against the library that the program was built with: a crate of its own would build it once more.
    const built = join(dirname(PROGRAM), "deps");
    const found = ["--extern", `carom=${newest(built, /^libcarom-.*\.rlib$/)}`, "-L", `dependency=${built}`];
    execFileSync("rustc", ["--test", "--edition", "2024", source, "-o", program, ...found], { stdio: "pipe" });
    assert.match(execFileSync(program, { encoding: "utf8" }), /test result: ok\. [1-9]\d* passed; 0 failed/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** What the page shows of a contact: the faces, what clipping left, what was kept, and each point. */
function contactSteps(manifold) {
  if (manifold === null) return [];
  return [...(manifold.clip === null ? [] : ["faces", "clipped", "reduced"]), ...manifold.points];
}

test("clipping shows both faces, the polygon before reduction and the points kept", async () => {
  const { pair } = await page.evaluate(() => window.carom.microscope);
  const { clip, points } = pair.manifold;
  assert.ok(clip.reference.length > 2 && clip.incident.length > 2 && clip.clipped.length > 2, JSON.stringify(clip));
  await page.getByRole("button", { name: /^Contact/ }).click();
  const facts = () => page.locator(".facts").textContent();
  const next = () => page.getByRole("button", { name: "Next step of the algorithm" }).click();
  assert.match(await facts(), new RegExp(`reference.*of ${clip.reference_of}: ${clip.reference.length} corners`));
  await next();
  assert.match(await facts(), new RegExp(`${clip.incident.length} corners became ${clip.clipped.length}`));
  await next();
  assert.match(await facts(), new RegExp(`${clip.candidates.length} of ${clip.clipped.length}.*kept${points.length} `));
  await next();
  assert.match(await facts(), /point.*features/);
});

function newest(folder, pattern) {
  const files = readdirSync(folder).filter((name) => pattern.test(name));
  const dated = files.map((name) => [statSync(join(folder, name)).mtimeMs, join(folder, name)]);
  return dated.sort(([a], [b]) => b - a)[0][1];
}

test("the scene plays on while a pair is looked at", async () => {
  await page.getByRole("button", { name: "Play" }).click();
  await until(page, (first) => window.carom.frame > first + 20, FRAME);
  assert.equal(await page.evaluate(() => window.carom.playing), true);
  assert.ok((await page.evaluate(() => window.carom.microscope.pair.frame)) > FRAME);
  await page.getByRole("button", { name: "Pause" }).click();
});

test("nothing was complained about", () => assert.deepEqual(errors, []));
