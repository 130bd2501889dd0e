// The first look at a scene holds it whole, whatever the window's shape.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { drawnOnce, goTo, launch, newPage, ready, until } from "./browser.mjs";
import { view } from "./program.mjs";

const WINDOWS = {
  "a phone": { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  "a phone on its side": { viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true },
  "a desk": { viewport: { width: 1280, height: 720 } },
  "half a desk": { viewport: { width: 640, height: 1000 } },
};
const SCENES = ["boxes", "shower", "stones", "shapes", "pyramid", "bounce"];

let browser;

before(async () => {
  browser = await launch();
});

after(() => browser?.close());

for (const [name, options] of Object.entries(WINDOWS)) {
  test(`all that moves is seen at the start on ${name}`, async (t) => {
    const server = await view(SCENES[0]);
    t.after(() => server.stop());
    const { page, errors } = await newPage(browser, options);
    await page.goto(server.address);
    await ready(page);
    for (const scene of SCENES) {
      if (scene !== SCENES[0]) await page.evaluate((name) => window.carom.send({ do: "scene", name }), scene);
      await until(page, (wanted) => window.carom.scene === wanted && window.carom.frame >= 0, scene);
      await goTo(page, 0);
      // The first one as it was met; others may have gone on for some frames before they were first seen.
      if (scene !== SCENES[0]) await page.evaluate(() => window.carom.fitCamera());
      await drawnOnce(page);
      const canvas = await page.locator("main canvas").boundingBox();
      const { left, right, top, bottom } = await page.evaluate(() => window.carom.extent());
      const room = [left - canvas.x, canvas.x + canvas.width - right, top - canvas.y, canvas.y + canvas.height - bottom];
      t.diagnostic(`${scene}: room at the left, right, top and bottom ${room.map((side) => side.toFixed(0)).join(" ")}`);
      assert.ok(Math.min(...room) >= 0, `${scene} is cut: ${room}`);
      // As near as that allows, not a speck far away.
      assert.ok(Math.max((right - left) / canvas.width, (bottom - top) / canvas.height) > 0.3, `${scene} is small`);
    }
    assert.deepEqual(errors, []);
    await page.context().close();
  });
}

test("on a phone a pair under the microscope is seen without scrolling", async (t) => {
  const server = await view("sat");
  t.after(() => server.stop());
  const { page, errors } = await newPage(browser, WINDOWS["a phone"]);
  await page.goto(server.address);
  await ready(page);
  await goTo(page, 60);
  await page.getByRole("tab", { name: "Microscope" }).click();
  await page.locator(".pairs button").first().click();
  await until(page, () => window.carom.microscope.pair !== null);
  for (const stage of ["GJK", "EPA", "SAT", "Contact"]) {
    await page.getByRole("button", { name: new RegExp(`^${stage}`) }).click();
    const { y, height } = await page.locator("aside canvas").first().boundingBox();
    t.diagnostic(`${stage}: the pictures end at ${y + height} of 844`);
    assert.ok(height > 150 && y + height <= 844, `${stage}: ${y} to ${y + height}`);
  }
  assert.deepEqual(errors, []);
  await page.context().close();
});
