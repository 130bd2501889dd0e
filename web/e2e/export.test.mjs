// A recording as one HTML file plays from disk with the network off; the program shows all of it.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { difference, goTo, launch, newPage, picture, ready, until } from "./browser.mjs";
import { carom, caromJson, PAGE, view } from "./program.mjs";

const STEPS = 120;
let browser, folder, html;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "carom-export-"));
  html = join(folder, "boxes.html");
  await carom("run", "boxes", "--steps", String(STEPS), "--record", join(folder, "boxes.carom"));
  await carom("export", join(folder, "boxes.carom"), "--html", html, ...PAGE);
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

/** By then boxes lie on each other and some have just hit. */
const MET = 100;

test("the overlays that it has draw, and the others say why not", async (t) => {
  const { page, errors } = await newPage(browser, { offline: true });
  await page.goto(`${pathToFileURL(html).href}?quality=high`);
  await ready(page);
  await goTo(page, MET);
  const boxes = await page.locator("[data-overlay]").evaluateAll((inputs) =>
    inputs.map((box) => ({ name: box.dataset.overlay, greyed: box.disabled, why: box.closest("label").title })),
  );
  const greyed = boxes.filter((box) => box.greyed);
  assert.deepEqual(
    greyed.map(({ name }) => name).sort(),
    ["ahead", "close", "colours", "impacts", "islands", "pairs", "structure", "swept"],
    "what is not in the page",
  );
  for (const { name, why } of greyed) assert.match(why, /carom view/, name);
  await page.getByText("Not kept in an exported page").first().waitFor();
  const plain = await picture(page);
  for (const { name } of boxes.filter((box) => !box.greyed)) {
    await page.locator(`[data-overlay="${name}"]`).check();
    const changed = await difference(page, plain, await picture(page));
    await page.locator(`[data-overlay="${name}"]`).uncheck();
    t.diagnostic(`${name}: ${changed} pixels`);
    assert.ok(changed > 20, `${name}: ${changed} pixels`);
  }
  assert.deepEqual(errors, []);
});

/** The recording as the program shows it, and the exported page without a network. */
async function openBoth(recording) {
  const [live, saved] = [await newPage(browser), await newPage(browser, { offline: true })];
  await live.page.goto(recording.address);
  await saved.page.goto(pathToFileURL(html).href);
  return { live, saved };
}

test("its contacts, boxes and velocities are those that the program shows of the recording", async () => {
  const wanted = ["contacts", "boxes", "velocities", "centers"];
  const recording = await view(join(folder, "boxes.carom"));
  try {
    const { live, saved } = await openBoth(recording);
    const [shown, kept] = await Promise.all(
      [live, saved].map(async ({ page }) => {
        await ready(page);
        await goTo(page, MET);
        for (const name of wanted) await page.evaluate((overlay) => window.carom.switch(overlay, true), name);
        await until(page, (names) => names.every((name) => name in window.carom.sections), wanted);
        return page.evaluate((names) => Object.fromEntries(names.map((name) => [name, window.carom.section(name)])), wanted);
      }),
    );
    // Points and depths to a millimetre, normals to a degree; the order need not be the same.
    const contacts = ({ contacts: { floats, words } }) =>
      Array.from({ length: words.length / 12 }, (_, at) => ({
        key: words.slice(12 * at + 8, 12 * at + 12).join(),
        values: floats.slice(12 * at, 12 * at + 7),
      })).sort((a, b) => (a.key < b.key ? -1 : 1));
    const [expected, found] = [contacts(shown), contacts(kept)];
    assert.ok(expected.length > 20, `${expected.length} contacts`);
    assert.deepEqual(
      found.map(({ key }) => key),
      expected.map(({ key }) => key),
    );
    const worst = [0, 0, 0];
    found.forEach(({ values }, at) => {
      const off = values.map((value, part) => Math.abs(value - expected[at].values[part]));
      worst[0] = Math.max(worst[0], ...off.slice(0, 3));
      worst[1] = Math.max(worst[1], ...off.slice(3, 6));
      worst[2] = Math.max(worst[2], off[6]);
    });
    assert.ok(worst[0] < 4e-3 && worst[1] < 0.02 && worst[2] < 2e-4, `points, normals, depths off by ${worst}`);
    // The broad phase has boxes with a margin around these.
    const boxesOf = ({ boxes: { floats, words } }) =>
      new Map(Array.from({ length: words.length / 7 }, (_, at) => [words[7 * at], floats.slice(7 * at + 1, 7 * at + 7)]));
    const outer = boxesOf(shown);
    for (const [slot, inner] of boxesOf(kept)) {
      const around = outer.get(slot);
      for (let axis = 0; axis < 3; axis++) {
        assert.ok(around[axis] < inner[axis] + 5e-3 && inner[axis + 3] < around[axis + 3] + 5e-3, `slot ${slot}`);
        assert.ok(inner[axis] - around[axis] < 0.6 && around[axis + 3] - inner[axis + 3] < 0.6, `slot ${slot}: loose`);
      }
    }
    assert.deepEqual([live.errors, saved.errors], [[], []]);
  } finally {
    await recording.stop();
  }
});

test("its bounding volumes are those that the program tells", async () => {
  const recording = await view(join(folder, "boxes.carom"));
  try {
    const { live, saved } = await openBoth(recording);
    const [told, kept] = await Promise.all(
      [live, saved].map(async ({ page }) => {
        await ready(page);
        return page.evaluate(async () => {
          const all = {};
          for (const volume of ["sphere", "capsule", "oriented box", "k-dop", "cylinder", "ellipsoid", "hull"]) {
            all[volume] = await new Promise((done) => {
              window.carom.onBounds((bounds) => bounds.volume === volume && done(bounds));
              window.carom.send({ do: "bounds", volume });
            });
          }
          return all;
        });
      }),
    );
    for (const [volume, { shapes, colliders }] of Object.entries(told)) {
      assert.ok(shapes.length > 20 && shapes.every((ends) => ends.length >= 54), `${volume}: ${shapes.length} shapes`);
      assert.deepEqual(kept[volume].colliders, colliders, volume);
      assert.equal(kept[volume].shapes.length, shapes.length, volume);
      shapes.forEach((ends, shape) => {
        assert.equal(kept[volume].shapes[shape].length, ends.length, volume);
        const off = Math.max(...ends.map((value, at) => Math.abs(value - kept[volume].shapes[shape][at])));
        assert.ok(off < 1e-4, `${volume} of shape ${shape} is off by ${off} m`);
      });
    }
    assert.deepEqual([live.errors, saved.errors], [[], []]);
  } finally {
    await recording.stop();
  }
});

test("a recording in the program has every overlay and the microscope", async () => {
  const recording = await view(join(folder, "boxes.carom"));
  try {
    const { page, errors } = await newPage(browser);
    await page.goto(recording.address);
    await ready(page);
    await goTo(page, MET);
    const sections = ["boxes", "structure", "pairs", "contacts", "islands", "colours", "velocities", "centers", "swept"];
    const boxes = page.locator("[data-overlay]");
    assert.equal(await boxes.evaluateAll((all) => all.filter((box) => box.disabled).length), 0, "nothing is greyed");
    for (const name of await boxes.evaluateAll((all) => all.map((box) => box.dataset.overlay)))
      await page.evaluate((overlay) => window.carom.switch(overlay, true), name);
    await until(page, (names) => names.every((name) => window.carom.sections[name] > 0), sections);
    await page.getByRole("tab", { name: "Microscope" }).click();
    await page.locator(".pairs button").first().click();
    await until(page, () => window.carom.microscope.pair !== null);
    assert.equal(await page.evaluate(() => window.carom.frame), MET);
    assert.deepEqual(errors, []);
  } finally {
    await recording.stop();
  }
});
