// A headless Chromium that collects what goes wrong in a page.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const FLAGS = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  // WebGL without a graphics card.
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--ignore-gpu-blocklist",
];

function executable() {
  if (process.env.CAROM_CHROMIUM) return process.env.CAROM_CHROMIUM;
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of NAMES) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // Not here.
      }
    }
  }
  throw new Error("no Chromium on the PATH; install it or set CAROM_CHROMIUM");
}

/** A browser with a fresh profile. */
export function launch() {
  return chromium.launch({ executablePath: executable(), headless: true, args: FLAGS });
}

/** A page, and the errors that it has had. */
export async function newPage(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 960, height: 540 }, colorScheme: "light", ...options });
  const page = await context.newPage();
  const errors = [];
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  return { page, errors };
}

/** Waits until the first frame is drawn. */
export async function ready(page) {
  await until(page, () => window.carom?.ready === true);
}

/** Waits until `test` holds in the page. */
export async function until(page, test, argument = null, timeout = 20_000) {
  await page.waitForFunction(test, argument, { timeout, polling: 20 });
}

/** What the page says of itself. */
export function probe(page) {
  return page.evaluate(() => {
    const { scene, playing, frame, hash, bodies, updates, drawn, sections } = window.carom;
    return { scene, playing, frame, hash, bodies, updates, drawn, sections };
  });
}

/** Shows exactly frame `frame`, paused, and waits until it is drawn. */
export async function goTo(page, frame) {
  await page.evaluate((number) => window.carom.send({ do: "seek", frame: number }), frame);
  await until(page, (number) => window.carom.frame === number && !window.carom.playing, frame);
  await drawnOnce(page);
}

/** Waits for a picture after now. */
export async function drawnOnce(page) {
  await page.evaluate(() => new Promise((done) => window.carom.redraw(done)));
}

/** The scene as it is drawn now. */
export async function picture(page) {
  await drawnOnce(page);
  return (await page.locator("main canvas").screenshot()).toString("base64");
}

/** How many pixels of two pictures differ. Compared in the page: pictures are large. */
export function difference(page, first, second) {
  return page.evaluate(
    async ([a, b]) => {
      const pixels = async (base64) => {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
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
