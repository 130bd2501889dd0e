// Every overlay's switch changes the picture of a frame that stands still; all off is as before.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { difference, goTo, launch, newPage, picture, probe, ready, until } from "./browser.mjs";
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

test("every switch draws something, and takes it away again", async (t) => {
  const names = await page.locator("[data-overlay]").evaluateAll((boxes) => boxes.map((box) => box.dataset.overlay));
  assert.ok(names.length >= 14, `${names.length} overlays`);
  for (const name of names) {
    await t.test(name, async () => {
      const section = await page.evaluate((overlay) => window.carom.switch(overlay, true), name);
      if (section !== null) await showFrameWith(section);
      const on = await picture(page);
      await page.evaluate((overlay) => window.carom.switch(overlay, false), name);
      const off = await picture(page);
      const changed = await difference(page, on, off);
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
  const before = await picture(page);
  const names = await page.locator("[data-overlay]").evaluateAll((boxes) => boxes.map((box) => box.dataset.overlay));
  for (const on of [true, false]) {
    for (const name of names)
      await page.evaluate(([overlay, wanted]) => window.carom.switch(overlay, wanted), [name, on]);
    await picture(page);
  }
  assert.ok((await difference(page, before, await picture(page))) < 20);
});

/** With a floor that has no end and few bodies, and with many in a room. */
for (const scene of ["few", "gas"]) {
  test(`every broad phase's structure is drawn on ${scene}`, async (t) => {
    await page.getByLabel("Scene", { exact: true }).selectOption(scene);
    await until(page, (wanted) => window.carom.scene === wanted && window.carom.frame >= 0, scene);
    await goTo(page, 20);
    const structures = await page.evaluate(() => window.carom.structures);
    assert.ok(structures.length > 8, `${structures.length} structures`);
    const plain = await picture(page);
    await page.evaluate(() => window.carom.switch("structure", true));
    for (const structure of structures) {
      await page.evaluate((name) => window.carom.send({ do: "broad", structure: name }), structure);
      await until(page, (name) => window.carom.structure === name && window.carom.sections.structure > 0, structure);
      const changed = await difference(page, plain, await picture(page));
      t.diagnostic(`${structure}: ${changed} pixels`);
      assert.ok(changed > 20, `${structure}: ${changed} pixels`);
    }
    await page.evaluate(() => window.carom.switch("structure", false));
  });
}

test("nothing was complained about", () => assert.deepEqual(errors, []));
