// Each embedded scene loads, moves on and complains of nothing. Leaves a picture of each.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { drawnOnce, launch, newPage, ready, until } from "./browser.mjs";
import { caromJson, view } from "./program.mjs";

const FOLDER = process.env.CAROM_SCREENSHOTS ?? "screenshots";
const scenes = await caromJson("scenes");
let browser, server, page, errors;

before(async () => {
  mkdirSync(FOLDER, { recursive: true });
  browser = await launch();
  server = await view(scenes[0].name);
  ({ page, errors } = await newPage(browser));
  await page.goto(server.address);
  await ready(page);
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

for (const { name, shows } of scenes) {
  test(name, async () => {
    await page.getByLabel("Scene", { exact: true }).selectOption(name);
    await until(page, (wanted) => window.carom.scene === wanted && window.carom.frame >= 10, name);
    assert.equal(await page.locator(".shows").textContent(), shows);
    await drawnOnce(page);
    await page.screenshot({ path: join(FOLDER, `${name}.png`) });
    assert.deepEqual(errors.splice(0), []);
  });
}
