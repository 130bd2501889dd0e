// Hands on the scene: pulling a body, shooting a ball, inspecting.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { goTo, launch, newPage, probe, ready, until } from "./browser.mjs";
import { carom, view } from "./program.mjs";

/** The boxes lie in a heap by then. */
const SETTLED = 150;

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

/** The moving body that is drawn nearest to the top of the picture: nothing stands before it. */
function topBody() {
  return page.evaluate(() => {
    let best = null;
    for (let body = 0; body < window.carom.bodies; body++) {
      if (window.carom.kind(body) !== "dynamic") continue;
      const [, y] = window.carom.position(body);
      if (best === null || y > best.y) best = { body, y };
    }
    return best.body;
  });
}

test("dragging a body moves it", async () => {
  await goTo(page, SETTLED);
  const body = await topBody();
  const before = await page.evaluate((index) => window.carom.position(index), body);
  const { x, y } = await page.evaluate((index) => window.carom.screen(index), body);
  await page.keyboard.press("Space");
  await until(page, () => window.carom.playing);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 40, y - 60, { steps: 4 });
  await page.mouse.move(x + 120, y - 120, { steps: 4 });
  const moved = ([index, from]) =>
    Math.hypot(...window.carom.position(index).map((value, axis) => value - from[axis])) > 0.5;
  await until(page, moved, [body, before]);
  await page.mouse.up();
});

test("eight seconds of dragging do not lose the body", async () => {
  await page.keyboard.press("r");
  await goTo(page, SETTLED);
  const body = await topBody();
  const { x, y } = await page.evaluate((index) => window.carom.screen(index), body);
  await page.keyboard.press("Space");
  await until(page, () => window.carom.playing);
  await page.mouse.move(x, y);
  await page.mouse.down();
  const started = performance.now();
  for (let turn = 0; performance.now() - started < 8000; turn++) {
    // Round and round, now and then to the edge of the window and below the ground.
    const reach = turn % 10 === 9 ? 2.5 : 1;
    const [right, down] = [Math.cos(turn) * 110 * reach, Math.sin(1.3 * turn) * 90 * reach];
    await page.mouse.move(Math.max(4, x + right), Math.max(60, y - 60 + down), { steps: 3 });
    const [, height] = await page.evaluate((index) => window.carom.position(index), body);
    assert.ok(height > -1 && height < 100, `at a height of ${height} m after ${turn} turns`);
  }
  // Held still, it hangs under the mouse.
  await page.mouse.move(x, y - 80, { steps: 5 });
  await until(
    page,
    ([index, to]) => {
      const seen = window.carom.screen(index);
      return Math.hypot(seen.x - to.x, seen.y - to.y) < 60;
    },
    [body, { x, y: y - 80 }],
  );
  await page.mouse.up();
});

test("B shoots a ball", async () => {
  const { bodies } = await probe(page);
  await page.keyboard.press("b");
  await until(page, (count) => window.carom.bodies === count + 1, bodies);
  const first = await page.evaluate((index) => window.carom.position(index), bodies);
  await until(
    page,
    ([index, from]) => Math.hypot(...window.carom.position(index).map((value, axis) => value - from[axis])) > 0.5,
    [bodies, first],
  );
});

test("a click on a body tells what the engine knows of it", async () => {
  await page.keyboard.press("r");
  await goTo(page, SETTLED);
  const body = await topBody();
  const { x, y } = await page.evaluate((index) => window.carom.screen(index), body);
  await page.mouse.click(x, y);
  const panel = page.getByRole("tabpanel");
  await panel.getByText("velocity").waitFor();
  const position = await panel.locator("tr", { hasText: "position" }).locator("td").textContent();
  const [, height] = await page.evaluate((index) => window.carom.position(index), body);
  const told = Number(position.split(",")[1]);
  assert.ok(Math.abs(told - height) < 1e-3 * Math.max(1, Math.abs(height)), `${position} against ${height}`);
});

test("a click on a drawn contact tells its normal and depth", async () => {
  await goTo(page, SETTLED);
  await page.keyboard.press("1");
  await page.getByLabel("Contacts and normals").check();
  await until(page, () => window.carom.contacts().length > 0);
  const { x, y } = await page.evaluate(() => window.carom.contacts()[0]);
  await page.mouse.click(x, y);
  await page.getByRole("tabpanel").getByText("impulse").waitFor();
});

test("from a contact it is one more click to the microscope, from the line of a pair none", async () => {
  await page.getByRole("button", { name: "Look at it under the microscope" }).click();
  await until(page, () => window.carom.microscope.pair !== null);
  const shown = () => page.evaluate(() => window.carom.microscope.pair.slots.toSorted((a, b) => a - b));
  const contacts = await page.evaluate(() => window.carom.section("contacts").words);
  assert.deepEqual(await shown(), contacts.slice(8, 10).sort((a, b) => a - b));
  await page.getByRole("button", { name: "Other pair" }).click();
  await page.keyboard.press("1");
  await page.getByLabel("Contacts and normals").uncheck();
  await page.getByLabel("Pairs", { exact: true }).check();
  await until(page, () => window.carom.pairs().length > 0);
  const pairs = await page.evaluate(() => window.carom.pairs());
  // One whose line no other comes near.
  const alone = pairs.find((one) => pairs.every((other) => other === one || Math.hypot(one.x - other.x, one.y - other.y) > 8));
  await page.mouse.click(alone.x, alone.y);
  await page.locator(".pair-head").waitFor();
  assert.deepEqual(await shown(), alone.slots.toSorted((a, b) => a - b));
  await page.getByRole("tab").first().click();
  await page.getByLabel("Pairs", { exact: true }).uncheck();
});

test("what has happened can be saved, and runs again to the same bits", async () => {
  const [saved] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("s")]);
  const report = await carom("replay", await saved.path());
  assert.match(report, /./);
});

test("nothing was complained about", () => assert.deepEqual(errors, []));
