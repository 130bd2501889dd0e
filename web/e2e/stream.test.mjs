// Ten thousand moving bodies reach the page at thirty updates a second or more.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, newPage, probe, ready } from "./browser.mjs";
import { view } from "./program.mjs";

const SIDE = 100;
let browser, server, folder;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "carom-stream-"));
  const bodies = [];
  for (let index = 0; index < SIDE * SIDE; index++) {
    const [column, row] = [index % SIDE, Math.floor(index / SIDE)];
    bodies.push({
      kind: "dynamic",
      position: [1.5 * column, 0, 1.5 * row],
      velocity: [Math.sin(index), 0, Math.cos(index)],
      shape: { sphere: { radius: 0.3 } },
    });
  }
  const scene = { name: "ten-thousand", shows: "Ten thousand balls that float about.", gravity: [0, 0, 0], bodies };
  writeFileSync(join(folder, "scene.json"), JSON.stringify(scene));
  browser = await launch();
  server = await view(join(folder, "scene.json"));
});

after(async () => {
  await browser?.close();
  await server?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

test("thirty updates a second", async (t) => {
  const { page, errors } = await newPage(browser, { viewport: { width: 640, height: 360 } });
  await page.goto(server.address);
  await ready(page);
  await page.waitForTimeout(3000);
  let rate = 0;
  // A machine that is busy with something else gets another chance.
  for (let turn = 0; rate < 30 && turn < 5; turn++) {
    const first = await probe(page);
    const started = performance.now();
    await page.waitForTimeout(4000);
    const last = await probe(page);
    const seconds = (performance.now() - started) / 1000;
    rate = (last.updates - first.updates) / seconds;
    const pictures = (last.drawn - first.drawn) / seconds;
    const steps = (last.frame - first.frame) / seconds;
    t.diagnostic(`${rate.toFixed(1)} updates/s, ${steps.toFixed(1)} steps/s, ${pictures.toFixed(1)} pictures/s`);
    assert.equal(last.bodies, SIDE * SIDE);
  }
  assert.ok(rate >= 30, `${rate} updates a second`);
  assert.deepEqual(errors, []);
});
