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
/** Each with a frame at which what falls has fallen, and what slides has not yet left. */
const LATER = { boxes: 300, shower: 300, stones: 300, shapes: 300, pyramid: 300, bounce: 1000, ramp: 240, overlap: 240, hills: 480 };
const SCENES = Object.keys(LATER);

let browser;

before(async () => {
  browser = await launch();
});

after(() => browser?.close());

for (const [name, options] of Object.entries(WINDOWS)) {
  test(`all that moves is seen at the start and where it has come to on ${name}`, async (t) => {
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
      const shares = [];
      for (const frame of [0, LATER[scene]]) {
        if (frame > 0) await goTo(page, frame);
        await drawnOnce(page);
        const canvas = await page.locator("main canvas").boundingBox();
        const { left, right, top, bottom } = await page.evaluate(() => window.carom.extent());
        const room = [left - canvas.x, canvas.x + canvas.width - right, top - canvas.y, canvas.y + canvas.height - bottom];
        const sides = room.map((side) => side.toFixed(0)).join(" ");
        t.diagnostic(`${scene} at frame ${frame}: room at the left, right, top and bottom ${sides}`);
        assert.ok(Math.min(...room) >= 0, `${scene} is cut at frame ${frame}: ${sides}`);
        // What was there or comes there, from one edge to the other.
        shares.push([left - canvas.x, canvas.x + canvas.width - right].map((side) => side / canvas.width));
        shares.push([top - canvas.y, canvas.y + canvas.height - bottom].map((side) => side / canvas.height));
      }
      // As near as that allows, not a speck far away.
      const [across, up] = [0, 1].map((axis) => {
        const sides = shares.filter((_, index) => index % 2 === axis);
        return 1 - Math.min(...sides.map(([side]) => side)) - Math.min(...sides.map(([, side]) => side));
      });
      assert.ok(Math.max(across, up) > 0.3, `${scene} is small: ${across} and ${up} of the window`);
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
