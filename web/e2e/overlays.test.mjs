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
  // Ways ahead are of scenes in which few bodies move.
  for (const name of names.filter((name) => name !== "ahead")) await t.test(name, () => tryOut(t, name));
});

/** Ticks a box, as a user does: its legend is shown, and what it draws is seen until the box is ticked off. */
async function tryOut(t, name) {
  const box = page.locator(`[data-overlay="${name}"]`);
  const legend = page.locator(`label:has([data-overlay="${name}"]) + .legend`);
  assert.equal(await legend.isVisible(), false, "there is no legend yet");
  await box.check();
  const entries = await legend.locator("li").allTextContents();
  assert.ok(await legend.isVisible(), "the legend is shown");
  assert.ok(entries.length >= 1 && entries[0].length > 3, `a legend in words: ${entries}`);
  const section = await box.getAttribute("data-section");
  if (section !== "") await showFrameWith(section);
  // Bounding volumes come when they have been fitted.
  let changed = 0;
  for (let turn = 0; changed <= 20 && turn < 20; turn++) {
    const on = await picture(page);
    await box.uncheck();
    changed = await difference(page, on, await picture(page));
    if (changed <= 20) await box.check();
  }
  await box.uncheck();
  assert.equal(await legend.isVisible(), false, "the legend is gone");
  t.diagnostic(`${name}: ${changed} pixels`);
  assert.ok(changed > 20, `${changed} pixels`);
}

async function open(scene, frame) {
  await page.getByLabel("Scene", { exact: true }).selectOption(scene);
  await until(page, (wanted) => window.carom.scene === wanted && window.carom.frame >= 0, scene);
  await goTo(page, frame);
}

test("every bounding volume is drawn around every kind of shape", async (t) => {
  await open("bounds", 30);
  const names = await page.locator("fieldset", { hasText: "Bounds" }).locator("[data-overlay]");
  const all = await names.evaluateAll((boxes) => boxes.map((box) => box.dataset.overlay));
  for (const name of ["spheres", "capsules", "oriented", "kdops", "cylinders", "ellipsoids", "hulls", "swept"])
    assert.ok(all.includes(name), name);
  for (const name of ["boxes", ...all]) await t.test(name, () => tryOut(t, name));
});

test("close pairs are those of brute force", async () => {
  await open("particles", 20);
  await page.locator('[data-overlay="close"]').check();
  await until(page, () => window.carom.sections.close > 1);
  const [found, expected] = await page.evaluate(() => {
    const { floats, words } = window.carom.section("close");
    const at = Array.from({ length: window.carom.bodies }, (_, body) => window.carom.position(body));
    const close = [];
    for (let a = 0; a < at.length; a++)
      for (let b = 0; b < a; b++)
        if (Math.hypot(...at[a].map((value, axis) => value - at[b][axis])) <= floats[0]) close.push([b, a].join());
    const told = Array.from({ length: (words.length - 1) / 2 }, (_, index) =>
      [words[1 + 2 * index], words[2 + 2 * index]].sort((a, b) => a - b).join(),
    );
    return [told.sort(), close.sort()];
  });
  assert.ok(expected.length > 20, `${expected.length} pairs`);
  // One on the border may go either way.
  const unlike = found.filter((pair) => !expected.includes(pair)).length + expected.filter((pair) => !found.includes(pair)).length;
  assert.ok(unlike <= 1, `${unlike} of ${expected.length} pairs`);
  await page.locator('[data-overlay="close"]').uncheck();
});

test("the way of a body is free up to where it strikes", async (t) => {
  await open("path", 60);
  await tryOut(t, "ahead");
  await page.locator('[data-overlay="ahead"]').check();
  const told = page.locator('label:has([data-overlay="ahead"]) + .legend li').last();
  await told.filter({ hasText: "bar: free for" }).waitFor();
  assert.match(await told.textContent(), /bar: free for 4\.\d+ s, then a hit; least room before 0\.\d+ m/);
  await page.locator('[data-overlay="ahead"]').uncheck();
});

test("planes that split are drawn where they cut their regions, slanted ones as well", async () => {
  await open("city", 10);
  const structures = await page.evaluate(() => window.carom.structures);
  const name = structures.find((structure) => /bsp/i.test(structure));
  assert.ok(name, `a BSP tree among ${structures}`);
  await page.evaluate((structure) => window.carom.send({ do: "broad", structure }), name);
  await page.locator('[data-overlay="structure"]').check();
  await until(page, (wanted) => window.carom.structure === wanted && window.carom.sections.structure > 0, name);
  const drawn = await page.evaluate(() => {
    const { words, floats } = window.carom.section("structure");
    const planes = Array.from({ length: words.length / 12 }, (_, index) => 12 * index).filter((at) => words[at] === 2);
    return planes.map((at) => window.carom.cut(floats.slice(at + 2, at + 12)));
  });
  assert.ok(drawn.length > 4, `${drawn.length} planes`);
  // Such as a tree over triangles has.
  const slanted = [
    [-1, -1, -1, 1, 1, 1, ...[1, 1, 1].map((part) => part / Math.sqrt(3)), 0],
    [0, 0, 0, 4, 2, 1, 0.6, 0.8, 0, 2],
    [0, 0, 0, 1, 1, 1, 0.6, 0.8, 0, 5],
  ];
  const cuts = await page.evaluate((parts) => parts.map((part) => window.carom.cut(part)), slanted);
  assert.deepEqual(
    cuts.map(({ corners }) => corners.length),
    [6, 4, 0],
  );
  drawn.push(...cuts);
  for (const { normal, offset, corners, min, max } of drawn) {
    if (corners.length === 0) continue;
    assert.ok(corners.length >= 3 && corners.length <= 12, `${corners.length} corners`);
    const size = Math.max(...max.map((value, axis) => value - min[axis]));
    for (const corner of corners) {
      const off = corner.reduce((sum, value, axis) => sum + value * normal[axis], -offset);
      assert.ok(Math.abs(off) < 1e-3 * size, `${off} from its plane`);
      corner.forEach((value, axis) => assert.ok(value >= min[axis] - 1e-3 && value <= max[axis] + 1e-3));
    }
  }
  assert.ok(drawn.filter(({ corners }) => corners.length >= 3).length > drawn.length / 2);
  await page.locator('[data-overlay="structure"]').uncheck();
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
  await open(SCENE, FRAME);
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
