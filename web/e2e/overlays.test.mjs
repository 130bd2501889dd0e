// Every overlay's switch changes the picture of a frame that stands still; all off is as before.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { drawnOnce, goTo, launch, newPage, probe, ready, until } from "./browser.mjs";
import { view } from "./program.mjs";

const SCENE = "boxes";
/** Boxes fall, hit and lie on each other by then. */
const FRAME = 106;

let browser, server, page, errors;

before(async () => {
  browser = await launch();
  server = await view(SCENE);
  ({ page, errors } = await newPage(browser));
  // Shadows that come and go would be differences too.
  await page.goto(`${server.address}&quality=high`);
  await ready(page);
  await goTo(page, FRAME);
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
  for (const name of names) {
    await t.test(name, async () => {
      const section = await page.evaluate((overlay) => window.carom.switch(overlay, true), name);
      if (section !== null) await showFrameWith(section);
      const on = await picture();
      await page.evaluate((overlay) => window.carom.switch(overlay, false), name);
      const off = await picture();
      const changed = await difference(on, off);
      t.diagnostic(`${name}: ${changed} pixels`);
      assert.ok(changed > 20, `${changed} pixels`);
    });
  }
});

/** Goes on until the frame has something in a section: there is not a hit in every one. */
async function showFrameWith(section) {
  await until(page, (wanted) => wanted in window.carom.sections, section);
  for (let steps = 0; steps < 60; steps++) {
    const { frame, sections } = await probe(page);
    if (sections[section] > 0) return;
    await goTo(page, frame + 1);
  }
  assert.fail(`no frame has ${section}`);
}

test("what is switched off leaves nothing behind", async () => {
  await goTo(page, FRAME);
  const before = await picture();
  const names = await page.locator("[data-overlay]").evaluateAll((boxes) => boxes.map((box) => box.dataset.overlay));
  for (const on of [true, false]) {
    for (const name of names)
      await page.evaluate(([overlay, wanted]) => window.carom.switch(overlay, wanted), [name, on]);
    await picture();
  }
  assert.ok((await difference(before, await picture())) < 20);
});

test("nothing was complained about", () => assert.deepEqual(errors, []));
