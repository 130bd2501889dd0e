// Ten thousand moving bodies reach the page at thirty updates a second or more, and the engine's steps take no longer for it.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, newPage, probe, ready } from "./browser.mjs";
import { view } from "./program.mjs";

const SIDE = 100;
/** Steps may take so much longer while they are streamed. */
const MOST_SLOWDOWN = 1.1;
/** How long a turn of the comparison is, with streaming or without, how many there are of both, and how often it is tried. */
const TURN_MS = 500;
const ROUNDS = 12;
const TRIES = 3;
let browser, server, folder, page, errors;
let marks = 0;

/** The scene in a new page. */
async function open() {
  await page?.close();
  await server?.stop();
  server = await view(join(folder, "scene.json"));
  ({ page, errors } = await newPage(browser, { viewport: { width: 640, height: 360 } }));
  await page.goto(server.address);
  await ready(page);
  await page.waitForTimeout(2000);
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "carom-stream-"));
  const bodies = [];
  for (let index = 0; index < SIDE * SIDE; index++) {
    const [column, row] = [index % SIDE, Math.floor(index / SIDE)];
    bodies.push({
      kind: "dynamic",
      position: [1.5 * column, 0, 1.5 * row],
      velocity: [Math.sin(index), 0, Math.cos(index)],
      shape: { sphere: { radius: 0.3 } },
    });
  }
  const scene = { name: "ten-thousand", shows: "Ten thousand balls that float about.", gravity: [0, 0, 0], bodies };
  writeFileSync(join(folder, "scene.json"), JSON.stringify(scene));
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

test("thirty updates a second", async (t) => {
  await open();
  let rate = 0;
  // A machine that is busy with something else gets another chance.
  for (let turn = 0; rate < 30 && turn < 5; turn++) {
    const first = await probe(page);
    const started = performance.now();
    await page.waitForTimeout(4000);
    const last = await probe(page);
    const seconds = (performance.now() - started) / 1000;
    rate = (last.updates - first.updates) / seconds;
    const pictures = (last.drawn - first.drawn) / seconds;
    const steps = (last.frame - first.frame) / seconds;
    t.diagnostic(`${rate.toFixed(1)} updates/s, ${steps.toFixed(1)} steps/s, ${pictures.toFixed(1)} pictures/s`);
    assert.equal(last.bodies, SIDE * SIDE);
  }
  assert.ok(rate >= 30, `${rate} updates a second`);
  assert.deepEqual(errors, []);
});

// Compared are the same engine, in the same process, in turns: streaming to the page, and not; in the order that changes from
// round to round, so that a drift counts for both. Judged is the middle step of all turns of either kind: locks, copies and
// caches that streaming has emptied are in it, and so is the browser, which without a graphics card draws on the same cores.
// The number of rounds is fixed; a machine that is busy with something else gets few other chances.
test("steps take as long as without a viewer, within a tenth", async (t) => {
  await open();
  let slowdown = Infinity;
  for (let attempt = 0; attempt < TRIES && !(slowdown <= MOST_SLOWDOWN); attempt++) {
    const told = { false: [], true: [] };
    for (let round = 0; round < ROUNDS; round++) {
      for (const streams of round % 2 === 0 ? [false, true] : [true, false]) told[streams].push(...(await turnOf(streams)));
    }
    for (const [name, at] of Object.entries({ fastest: 0, middle: 2, mean: 5 })) {
      const [alone, streamed] = [told.false, told.true].map((states) => middle(states.map((step) => step[at])));
      const share = streamed / alone;
      if (name === "middle") slowdown = share;
      t.diagnostic(`${name}: ${streamed.toFixed(3)} ms while streaming, ${alone.toFixed(3)} ms without: ${percent(share)}`);
    }
  }
  assert.ok(slowdown <= MOST_SLOWDOWN, `steps take ${percent(slowdown)} while they are streamed`);
  assert.deepEqual(errors, []);
});

/** What steps took in half a second with or without streaming, in ms: their quartiles and mean, in each state told. */
async function turnOf(streams) {
  await page.evaluate((on) => window.carom.send({ do: "stream", on }), streams);
  await statesUntilMark();
  await page.waitForTimeout(TURN_MS);
  return (await statesUntilMark()).flatMap(({ step_ms }) => (step_ms ? [step_ms] : []));
}

/** Has the program put a mark between before and after, a speed that nobody would notice; gives the states up to there. */
function statesUntilMark() {
  marks += 1;
  return page.evaluate(
    (speed) =>
      new Promise((done) => {
        const states = [];
        window.onState = (state) => {
          states.push(state);
          if (state.speed === speed) done(states);
        };
        window.listens ??= window.carom.onState((state) => window.onState(state)) ?? true;
        window.carom.send({ do: "speed", factor: speed });
      }),
    1 + marks * 1e-6,
  );
}

function middle(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
}

function percent(share) {
  return `${share >= 1 ? "+" : ""}${(100 * (share - 1)).toFixed(1)} %`;
}
