// A recording as one HTML file plays from disk with the network off.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { goTo, launch, newPage, ready, until } from "./browser.mjs";
import { carom, caromJson } from "./program.mjs";

const STEPS = 120;
let browser, folder, html;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "carom-export-"));
  html = join(folder, "boxes.html");
  await carom("run", "boxes", "--steps", String(STEPS), "--record", join(folder, "boxes.carom"));
  await carom("export", join(folder, "boxes.carom"), "--html", html);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

test("it plays, pauses and can be gone through", async (t) => {
  t.diagnostic(`${(statSync(html).size / 1e6).toFixed(2)} MB`);
  const { page, errors } = await newPage(browser, { offline: true });
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(pathToFileURL(html).href);
  await ready(page);
  await until(page, () => window.carom.frame > 3);
  await page.keyboard.press("Space");
  await until(page, () => !window.carom.playing);
  await goTo(page, 60);

  const plain = await caromJson("run", "boxes", "--steps", "60");
  const drawn = await page.evaluate(() => {
    const { bodies, position } = window.carom;
    return Array.from({ length: bodies }, (_, body) => position(body));
  });
  assert.equal(await page.evaluate(() => window.carom.hash), plain.hash);
  assert.equal(drawn.length, plain.end.length);
  plain.end.forEach(({ position }, body) => {
    const apart = Math.hypot(...position.map((value, axis) => value - drawn[body][axis]));
    assert.ok(apart < 1e-3, `body ${body} is ${apart} m from where it was`);
  });
  await page.keyboard.press("ArrowRight");
  // Not every frame is kept where there are more than the eye sees.
  await until(page, () => window.carom.frame > 60);
  await page.keyboard.press("ArrowLeft");
  await until(page, () => window.carom.frame === 60);
  assert.deepEqual(errors, []);
  assert.deepEqual(
    asked.filter((address) => !/^(file|data|blob):/.test(address)),
    [],
    "nothing was fetched",
  );
});
