// The panels that compare: broad phases on the step that was just taken, and a solver that starts cold and warm.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { goTo, launch, newPage, probe, ready, until } from "./browser.mjs";
import { view } from "./program.mjs";

let browser, server, page, errors;

before(async () => {
  browser = await launch();
  server = await view("gas");
  ({ page, errors } = await newPage(browser, { viewport: { width: 1100, height: 900 } }));
  await page.goto(server.address);
  await ready(page);
  await page.getByRole("tab", { name: "Plots" }).click();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** The rows of the comparison, by name: pairs tested and true, ms to build and to update. */
async function rows() {
  const lines = await page.locator(".comparison tr:has(td)").evaluateAll((all) =>
    all.map((line) => [line.querySelector("th").textContent, ...[...line.querySelectorAll("td")].map((cell) => Number(cell.textContent))]),
  );
  return new Map(lines.map(([name, ...values]) => [name, values]));
}

test("every broad phase is compared on the step that was just taken", async (t) => {
  await goTo(page, 12);
  await page.getByRole("button", { name: "Compare now" }).click();
  await page.locator(".comparison tr:has(td)").first().waitFor();
  const found = await rows();
  const structures = await page.evaluate(() => window.carom.structures);
  assert.deepEqual([...found.keys()].sort(), structures.toSorted());
  const stats = await page.evaluate(() => window.carom.stats);
  const truth = found.get("brute force") ?? [...found.values()][0];
  for (const [name, [tested, pairs, build, update]] of found) {
    t.diagnostic(`${name}: ${tested} tested, ${pairs} pairs, build ${build} ms, update ${update} ms`);
    assert.equal(pairs, truth[1], name);
    assert.ok(tested >= 0 && build > 0 && update > 0, name);
  }
  assert.ok(stats.length === 17 && truth[1] > 0);
  assert.match(await page.locator(".comparison .note").textContent(), /1,006 boxes; the last step moved 1,000\./);
  // The fastest is marked, and it is the fastest.
  const best = await page.locator(".comparison .best th").first().textContent();
  assert.equal(found.get(best)[3], Math.min(...[...found.values()].map(([, , , update]) => update)));
});

test("the broad phase is switched while the scene runs, and the frames stay the same", async () => {
  const { hash } = await probe(page);
  await page.getByLabel("Broad phase", { exact: true }).selectOption("octree");
  await until(page, () => window.carom.structure === "octree");
  await goTo(page, 30);
  const other = (await probe(page)).hash;
  await goTo(page, 12);
  assert.equal((await probe(page)).hash, hash);
  await page.getByLabel("Broad phase", { exact: true }).selectOption("uniform grid");
  await goTo(page, 30);
  assert.equal((await probe(page)).hash, other);
});

test("comparing every second goes on by itself", async () => {
  await page.getByLabel("every second").check();
  await page.keyboard.press("Space");
  const text = () => page.locator(".comparison table").textContent();
  const first = await text();
  await until(page, (before) => document.querySelector(".comparison table").textContent !== before, first);
  await page.getByLabel("every second").uncheck();
  await page.keyboard.press("Space");
});

for (const scene of ["cold", "warm", "pyramid"]) {
  test(`one state of ${scene} is solved cold and warm, and both are drawn`, async (t) => {
    await page.getByLabel("Scene", { exact: true }).selectOption(scene);
    await until(page, (name) => window.carom.scene === name && window.carom.frame >= 0, scene);
    await goTo(page, 60);
    await until(page, () => window.carom.plotted.convergence?.frame === 60);
    const { cold, warm } = await page.evaluate(() => window.carom.plotted.convergence);
    t.diagnostic(`left after 5 rounds: ${cold[4]} m/s cold, ${warm[4]} m/s warm`);
    assert.ok(cold.length > 8 && warm.length > 8);
    assert.ok(warm[4] < 0.6 * cold[4], "what starts warm comes sooner to the end");
    const keys = await page.locator(".convergence .keys span").allTextContents();
    assert.deepEqual(keys, ["cold", "warm", "in use"]);
    await page.locator(".convergence .note", { hasText: "Frame 60 solved twice" }).waitFor();
    // Both curves are seen: their colours are in the picture of the chart.
    await page.waitForTimeout(300);
    const seen = await page.locator(".convergence .chart canvas").evaluate((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const count = ([r, g, b]) => {
        let found = 0;
        for (let at = 0; at < data.length; at += 4)
          if (data[at + 3] > 200 && Math.hypot(data[at] - r, data[at + 1] - g, data[at + 2] - b) < 40) found++;
        return found;
      };
      return { cold: count([0, 114, 178]), warm: count([213, 94, 0]) };
    });
    t.diagnostic(JSON.stringify(seen));
    assert.ok(seen.cold > 30 && seen.warm > 10, JSON.stringify(seen));
  });
}

test("nothing was complained about", () => assert.deepEqual(errors, []));
