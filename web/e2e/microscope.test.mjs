// The microscope shows the engine's own trace, and its Rust test compiles and passes.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { goTo, launch, newPage, ready, until } from "./browser.mjs";
import { carom, caromJson, PROGRAM, view } from "./program.mjs";

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
  for (const part of ["gjk", "epa", "axes", "manifold", "distance", "place", "used", "advancement"])
    assert.deepEqual(pair[part], trace[part], part);

  for (const [stage, steps] of [
    ["GJK", trace.gjk],
    ["EPA", trace.epa],
    ["SAT", trace.axes],
    ["Contact", contactSteps(trace.manifold)],
    ["Used", trace.used === null ? [] : [trace.used]],
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
      if (stage === "EPA") {
        const { faces, normal, support, lower, upper } = steps[step];
        assert.equal(await fact("faces"), String(faces));
        near(await numbers("normal"), normal);
        near(await numbers("support"), support);
        near(await numbers("depth"), [lower, upper]);
      }
      await page.getByRole("button", { name: "Next step of the algorithm" }).click();
    }
  }
});

/** What the table says under a name, and the numbers in it. */
async function fact(name) {
  return page.locator(".facts tr", { has: page.getByRole("rowheader", { name, exact: true }) }).locator("td").textContent();
}

async function numbers(name) {
  return [...(await fact(name)).matchAll(/-?\d+(\.\d+)?(e[-+]?\d+)?/g)].map(([digits]) => Number(digits));
}

/** Four digits are shown, three of what is small. */
function near(shown, expected) {
  assert.equal(shown.length, expected.length, `${shown} for ${expected}`);
  shown.forEach((value, at) => {
    const size = Math.abs(expected[at]);
    assert.ok(Math.abs(value - expected[at]) <= (size < 1e-3 ? 5e-3 : 5e-4) * size, `${shown} for ${expected}`);
  });
}

test("axes are bars in the order of their gaps, the one that the contact is along is marked", async () => {
  const { pair } = await page.evaluate(() => window.carom.microscope);
  await page.getByRole("button", { name: /^SAT/ }).click();
  const bars = await page.locator(".axis").evaluateAll((all) =>
    all.map((bar) => ({
      kind: bar.querySelector(".what").textContent,
      amount: bar.querySelector(".amount").textContent,
      width: bar.querySelector(".extent").getBoundingClientRect().width,
      chosen: bar.classList.contains("chosen"),
    })),
  );
  const sorted = pair.axes.toSorted((a, b) => b.gap - a.gap);
  assert.deepEqual(
    bars.map(({ kind }) => kind),
    sorted.map(({ kind }) => kind),
  );
  const widest = Math.max(...sorted.map(({ gap }) => Math.abs(gap)));
  const full = Math.max(...bars.map(({ width }) => width));
  for (const [index, { gap }] of sorted.entries()) {
    const [word, amount] = bars[index].amount.split(" ");
    assert.equal(word, gap > 0 ? "gap" : "overlap");
    near([Number(amount)], [Math.abs(gap)]);
    assert.ok(Math.abs(bars[index].width / full - Math.abs(gap) / widest) < 0.02, `bar ${index}`);
  }
  const chosen = bars.flatMap(({ chosen }, index) => (chosen ? [index] : []));
  assert.equal(chosen.length, 1);
  const along = sorted[chosen[0]].axis.reduce((sum, value, axis) => sum + value * pair.manifold.normal[axis], 0);
  assert.ok(Math.abs(along) > 0.999, `the chosen axis is along the normal: ${along}`);
  await page.locator(".axis").nth(chosen[0]).click();
  assert.match(await fact("rank"), /, chosen$/);
  near(await numbers("axis"), sorted[chosen[0]].axis);
});

test("what the last step used stands beside what is found anew", async () => {
  const { pair } = await page.evaluate(() => window.carom.microscope);
  assert.ok(pair.used.world.length > 0 && pair.used.anew.length > 0);
  await page.getByRole("button", { name: /^Used/ }).click();
  assert.equal(await fact(pair.used.differs ? "differs" : "agrees"), pair.used.says);
  for (const { features, depth, impulse } of pair.used.world.flatMap(({ points }) => points)) {
    const told = await page.locator(".facts tr", { hasText: features.join(" on ") }).locator("td").allTextContents();
    const values = told.map((text) => [...text.matchAll(/-?\d+(\.\d+)?(e[-+]?\d+)?/g)].map(([digits]) => Number(digits)));
    const isIt = ([shown, , pushed]) => Math.abs(shown - 1000 * depth) <= 1e-3 * Math.abs(1000 * depth) + 1e-6 && pushed >= 0.999 * impulse - 1e-9;
    assert.ok(values.some(isIt), `${features}: ${told} for ${depth} and ${impulse}`);
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

/** Pairs of all kinds: scene, slots, steps. Every shape, apart and overlapping; parts of compounds, triangles of meshes. */
const PAIRS = [
  ...Array.from({ length: 12 }, (_, pair) => ["gjk", 2 * pair, 2 * pair + 1, 40]),
  ...Array.from({ length: 7 }, (_, pair) => ["sat", 2 * pair, 2 * pair + 1, 7]),
  ["bounce", 0, 1, 60],
  ...["terrain", "hills", "chain", "compounds", "shapes"].map((scene) => [scene, null, null, 60]),
];

test("copied Rust tests of all kinds of pairs compile, and reproduce them", async (t) => {
  await page.getByRole("button", { name: "Copy as Rust test" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const codes = [await page.evaluate(() => navigator.clipboard.readText())];
  const folder = mkdtempSync(join(tmpdir(), "carom-pasted-"));
  try {
    // A name that begins with a digit is no name of a function.
    const balls = [0, 0.9].map((x) => ({ kind: "dynamic", position: [x, 0, 0], shape: { sphere: { radius: 0.5 } } }));
    const named = join(folder, "10k.json");
    writeFileSync(named, JSON.stringify({ bodies: balls }));
    for (const [scene, a, b, least] of [...PAIRS, [named, 0, 1, 0]]) {
      const [slots, steps] = a === null ? await touching(scene, least) : [[a, b], least];
      codes.push(await carom("microscope", scene, ...slots.map(String), "--steps", String(steps), "--rust-test"));
    }
    const kinds = new Set(codes.flatMap((code) => [...code.matchAll(/= Shape::(\w+)/g)].map(([, kind]) => kind)));
    t.diagnostic(`${codes.length} tests of ${[...kinds].join(", ")}`);
    for (const kind of "point segment triangle sphere cuboid capsule_between cylinder cone ellipsoid hull half_space".split(" "))
      assert.ok(kinds.has(kind), `none of ${kind}`);
    const [source, program] = [join(folder, "pasted.rs"), join(folder, "pasted")];
    writeFileSync(source, codes.map((code, index) => `mod pasted_${index} {\n${code}\n}\n`).join(""));
    // Against the library that the program was built with: a crate of its own would build it once more.
    const built = join(dirname(PROGRAM), "deps");
    const found = ["--extern", `carom=${newest(built, /^libcarom-.*\.rlib$/)}`, "-L", `dependency=${built}`];
    execFileSync("rustc", ["--test", "--edition", "2024", source, "-o", program, ...found], { stdio: "pipe" });
    assert.match(run(program), new RegExp(`test result: ok\\. ${codes.length} passed; 0 failed`));
    // Each is of its pair only: the same test of a pair that stands a little apart from there fails.
    const moved = codes[0].replace(/let pose_b = Pose::new\(DVec3::new\(([^,]+),/, "let pose_b = Pose::new(DVec3::new($1 + 0.001,");
    assert.notEqual(moved, codes[0]);
    writeFileSync(source, moved);
    execFileSync("rustc", ["--test", "--edition", "2024", source, "-o", program, ...found], { stdio: "pipe" });
    assert.match(run(program), /test result: FAILED/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** What a program of tests prints, whether they pass or not. */
function run(program) {
  return spawnSync(program, { encoding: "utf8" }).stdout;
}

/** Two shapes that touch in a scene after so many steps or some more, as a page is told of them; and how many. */
async function touching(scene, least) {
  const server = await view(scene);
  const { page } = await newPage(browser);
  try {
    await page.goto(server.address);
    await ready(page);
    await page.evaluate(() => window.carom.switch("pairs", true));
    for (let steps = least; ; steps += 20) {
      assert.ok(steps < 400, `nothing touches in ${scene}`);
      await goTo(page, steps);
      await until(page, () => "pairs" in window.carom.sections);
      const words = await page.evaluate(() => window.carom.section("pairs").words);
      const pairs = Array.from({ length: words.length / 3 }, (_, index) => words.slice(3 * index, 3 * index + 3));
      const found = pairs.find(([, , touches]) => touches);
      if (found !== undefined) return [found.slice(0, 2), steps];
    }
  } finally {
    await page.context().close();
    await server.stop();
  }
}

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

test("the time slider goes through the engine's own search, and is proven in between", async () => {
  // The first box that will strike another or the ground and is not there yet.
  const slots = await page.evaluate(() => Array.from({ length: window.carom.bodies }, (_, body) => body));
  let pair = null;
  for (const slot of slots.slice(1)) {
    await page.evaluate((other) => window.carom.send({ do: "microscope", slots: [0, other] }), slot);
    await until(page, (other) => window.carom.microscope.pair?.slots[1] === other, slot);
    pair = await page.evaluate(() => window.carom.microscope.pair);
    if ((pair.advancement?.steps.length ?? 0) > 1 && /touch/.test(pair.advancement.ending)) break;
  }
  const trace = await caromJson("microscope", SCENE, ...pair.slots.map(String), "--steps", String(FRAME));
  const { steps, ending } = trace.advancement;
  assert.ok(steps.length > 1, JSON.stringify(trace.advancement));
  assert.deepEqual(pair.advancement, trace.advancement);
  await page.getByRole("button", { name: new RegExp(`^Time${steps.length}`) }).click();
  for (const [index, { time, distance }] of steps.entries()) {
    near(await numbers("time"), [time]);
    near(await numbers("distance"), [distance]);
    const isLast = index === steps.length - 1;
    assert.deepEqual(await page.locator(".facts tr", { hasText: "ended" }).locator("td").allTextContents(), isLast ? [ending] : []);
    await page.getByRole("button", { name: "Next step of the algorithm" }).click();
  }
  const slider = page.getByLabel("Time", { exact: true });
  const end = Number(await slider.getAttribute("max"));
  assert.ok(Math.abs(end - steps.at(-1).time) < 1e-9);
  const middle = (steps[0].time + steps[1].time) / 2;
  await slider.fill(String(middle));
  near(await numbers("time"), [middle]);
  near(await numbers("proven"), [steps[0].time, steps[1].time]);
});

test("the scene plays on while a pair is looked at", async () => {
  await page.getByRole("button", { name: "Play" }).click();
  await until(page, (first) => window.carom.frame > first + 20, FRAME);
  assert.equal(await page.evaluate(() => window.carom.playing), true);
  assert.ok((await page.evaluate(() => window.carom.microscope.pair.frame)) > FRAME);
  await page.getByRole("button", { name: "Pause" }).click();
});

test("nothing was complained about", () => assert.deepEqual(errors, []));
