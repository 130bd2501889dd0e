// Makes the README's pictures of the viewer: `npm run pictures`, with CAROM_PROGRAM naming the program.
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { drawnOnce, goTo, launch, newPage, ready, until } from "./browser.mjs";
import { view } from "./program.mjs";

const FOLDER = process.env.CAROM_PICTURES ?? join(dirname(fileURLToPath(import.meta.url)), "../../docs/pictures");

/** What is in each picture: a scene at a frame, and what is done before it is taken. */
const PICTURES = [
  {
    name: "viewer-contacts",
    scene: "cards",
    frame: 60,
    async prepare(page) {
      for (const label of ["Contacts and normals", "Impulses"]) await page.getByLabel(label).check();
      await until(page, () => window.carom.sections.contacts > 0);
    },
  },
  {
    name: "viewer-microscope",
    scene: "boxes",
    frame: 150,
    theme: "dark",
    async prepare(page) {
      await look(page, "GJK", 2, ({ gjk }) => gjk.length >= 4);
    },
  },
  {
    name: "viewer-clipping",
    scene: "boxes",
    frame: 300,
    async prepare(page) {
      await look(page, "Contact", 1, ({ manifold }) => (manifold?.clip?.clipped.length ?? 0) >= 5);
    },
  },
  {
    name: "viewer-plots",
    scene: "blades",
    frame: 60,
    async prepare(page) {
      await page.getByRole("tab", { name: "Plots" }).click();
      // Frames one after the other, as somebody would see them.
      await page.keyboard.press("Space");
      await until(page, () => window.carom.frame >= 500);
      await page.keyboard.press("Space");
      await until(page, () => !window.carom.playing);
    },
  },
  {
    name: "viewer-structure",
    scene: "clusters",
    frame: 60,
    theme: "dark",
    async prepare(page) {
      await page.getByLabel("Structure", { exact: true }).check();
      await until(page, () => window.carom.sections.structure > 0);
    },
  },
];

/** Opens the microscope on the first pair of the list that is worth it, at a step of a stage. */
async function look(page, stage, steps, isWorthIt) {
  await page.getByRole("tab", { name: "Microscope" }).click();
  const pairs = page.locator(".pairs button");
  await pairs.first().waitFor();
  for (let index = 0; index < (await pairs.count()); index++) {
    await pairs.nth(index).click();
    await until(page, () => window.carom.microscope.pair !== null);
    if (isWorthIt(await page.evaluate(() => window.carom.microscope.pair))) break;
    await page.getByRole("button", { name: "Other pair" }).click();
    await pairs.first().waitFor();
  }
  await page.getByRole("button", { name: new RegExp(`^${stage}`) }).click();
  for (let step = 0; step < steps; step++) {
    await page.getByRole("button", { name: "Next step of the algorithm" }).click();
  }
}

mkdirSync(FOLDER, { recursive: true });
const browser = await launch();
for (const { name, scene, frame, theme = "light", prepare } of PICTURES) {
  const server = await view(scene);
  const options = { viewport: { width: 1280, height: 720 }, colorScheme: theme };
  const { page, errors } = await newPage(browser, options);
  await page.goto(`${server.address}&quality=high`);
  await ready(page);
  await goTo(page, frame);
  // From as near as what is there now allows.
  await page.evaluate(() => window.carom.fitCamera());
  await prepare(page);
  await drawnOnce(page);
  await page.mouse.move(0, 0);
  const path = join(FOLDER, `${name}.png`);
  await page.screenshot({ path });
  console.log(path, errors.join("\n"));
  await page.context().close();
  await server.stop();
}
await browser.close();
