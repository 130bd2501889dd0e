// Starts the program as a user would and talks to it.
import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";

/** The program under test; `cargo xtask web` says where it is. */
export const PROGRAM = process.env.CAROM_PROGRAM ?? "carom";

/** A page from disk, while working on it: the program need not be built again. */
export const PAGE = process.env.CAROM_PAGE ? ["--page", process.env.CAROM_PAGE] : [];

const run = promisify(execFile);

/** Runs a command to its end and gives what it printed. */
export async function carom(...args) {
  const { stdout } = await run(PROGRAM, args, { maxBuffer: 1 << 28 });
  return stdout;
}

export async function caromJson(...args) {
  return JSON.parse(await carom(...args, "--json"));
}

/** `carom view …` in the background: its address, and how to end it. */
export async function view(...args) {
  const started = performance.now();
  const child = spawn(PROGRAM, ["view", ...args, ...PAGE], { stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  const address = await new Promise((resolve, reject) => {
    const read = (bytes) => {
      printed += bytes;
      const found = /http:\/\/127\.0\.0\.1:\d+\/\?\S+/.exec(printed);
      if (found) resolve(found[0]);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`carom view ended with ${code}: ${printed}`)));
  });
  const stop = () =>
    new Promise((resolve) => {
      child.once("exit", resolve);
      child.kill();
    });
  return { address, started, stop };
}
