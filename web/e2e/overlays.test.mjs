// Every overlay's switch changes the picture of a frame that stands still; all off is as before.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { difference, drawnOnce, goTo, launch, newPage, picture, probe, ready, until } from "./browser.mjs";
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

/** The labels that are seen: where, in pixels of the window, and of which contacts. */
async function labels() {
  await drawnOnce(page);
  return page.locator(".labels span").evaluateAll((spans) =>
    spans.map((span) => {
      const { left, right, top, bottom } = span.getBoundingClientRect();
      return { key: span.dataset.key, left, right, top, bottom };
    }),
  );
}

test("labels of dense contacts cover none of each other, and do not flicker", async (t) => {
  await page.getByLabel("Scene", { exact: true }).selectOption("pyramid");
  await until(page, () => window.carom.scene === "pyramid" && window.carom.frame >= 0);
  await goTo(page, 30);
  await page.evaluate(() => window.carom.switch("features", true));
  await until(page, () => window.carom.sections.contacts > 0);
  const contacts = await page.evaluate(() => window.carom.contacts());
  const nearest = contacts.reduce((best, contact) => (contact.distance < best.distance ? contact : best));
  const first = await labels();
  t.diagnostic(`${first.length} labels of ${contacts.length} contacts`);
  assert.ok(first.length >= 10 && first.length < contacts.length, `${first.length} labels`);
  assert.ok(first.some(({ key }) => key === nearest.key), "the nearest contact has its label");
  // A camera that turns a little there and back, while the pyramid stands.
  const history = [first];
  for (const angle of [0.002, 0.002, 0.002, -0.002, -0.002, -0.002]) {
    await page.evaluate((by) => window.carom.turn(by), angle);
    history.push(await labels());
  }
  for (const seen of history) {
    for (const [index, a] of seen.entries()) {
      for (const b of seen.slice(index + 1)) {
        const apart = a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
        assert.ok(apart, `${a.key} and ${b.key} cover each other`);
      }
    }
  }
  const blinks = history.slice(2).flatMap((seen, index) => {
    const [before, between] = [history[index], history[index + 1]].map((them) => new Set(them.map(({ key }) => key)));
    return seen.filter(({ key }) => before.has(key) && !between.has(key));
  });
  t.diagnostic(`${blinks.length} labels went and came back`);
  assert.deepEqual(blinks, []);
  await page.evaluate(() => window.carom.switch("features", false));
  await drawnOnce(page);
  assert.equal(await page.locator(".labels").isVisible(), false);
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
