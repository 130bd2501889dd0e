// Every overlay's switch changes the picture of a frame that stands still, and off is as before.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { drawnOnce, goTo, launch, newPage, ready, until } from "./browser.mjs";
import { view } from "./program.mjs";

/** Scenes and frames in which there is something to see of each overlay; `boxes` where none is named. */
const SHOWN_IN = {
  impacts: ["bounce", 60],
  velocities: ["bounce", 40],
  swept: ["bounce", 40],
};

let browser, server, page, errors;

before(async () => {
  browser = await launch();
  server = await view("boxes");
  ({ page, errors } = await newPage(browser));
  await page.goto(server.address);
  await ready(page);
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** How many pixels of the scene differ. Compared in the page: pictures are large. */
async function picture() {
  await drawnOnce(page);
  return (await page.locator("main canvas").screenshot()).toString("base64");
}

function difference(first, second) {
  return page.evaluate(
    async ([a, b]) => {
      const pixels = async (base64) => {
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
        const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height).data;
      };
      const [left, right] = [await pixels(a), await pixels(b)];
      let count = 0;
      for (let at = 0; at < left.length; at += 4) {
        const change = [0, 1, 2].some((channel) => Math.abs(left[at + channel] - right[at + channel]) > 12);
        if (change) count++;
      }
      return count;
    },
    [first, second],
  );
}

test("every switch draws something, and takes it away again", async (t) => {
  const names = await page.locator("[data-overlay]").evaluateAll((boxes) => boxes.map((box) => box.dataset.overlay));
  assert.ok(names.length >= 14, `${names.length} overlays`);
  // One scene after the other, so that each is loaded once.
  const placed = names
    .map((name) => [name, ...(SHOWN_IN[name] ?? ["boxes", 30])])
    .sort((a, b) => (a[1] < b[1] ? 1 : -1));
  for (const [name, scene, frame] of placed) {
    await t.test(name, async () => {
      if ((await page.evaluate(() => window.carom.scene)) !== scene) {
        await page.getByLabel("Scene", { exact: true }).selectOption(scene);
        await until(page, (wanted) => window.carom.scene === wanted && window.carom.frame >= 0, scene);
      }
      if ((await page.evaluate(() => window.carom.frame)) !== frame) await goTo(page, frame);
      const off = await picture();
      const section = await page.evaluate((overlay) => window.carom.switch(overlay, true), name);
      if (section !== null) await until(page, (wanted) => window.carom.sections.includes(wanted), section);
      const changed = await difference(off, await picture());
      await page.evaluate((overlay) => window.carom.switch(overlay, false), name);
      t.diagnostic(`${name}: ${changed} pixels`);
      assert.ok(changed > 20, `${changed} pixels`);
      assert.ok((await difference(off, await picture())) < 20, "off looks as before");
    });
  }
});

test("nothing was complained about", () => assert.deepEqual(errors, []));
