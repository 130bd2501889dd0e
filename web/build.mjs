// Makes dist/index.html: the page with its script and styles inside, so that one file can be embedded and exported.
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const { outputFiles } = await build({
  absWorkingDir: here,
  entryPoints: ["src/main.ts"],
  bundle: true,
  minify: true,
  write: false,
  outdir: "dist",
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
});
const output = (ending) => outputFiles.find((file) => file.path.endsWith(ending))?.text.trim() ?? "";

// The functions keep `$&` and the like in the script from being read as patterns.
const page = (await readFile(join(here, "index.html"), "utf8"))
  .replace("<!--styles-->", () => `<style>${output(".css")}</style>`)
  .replace("<!--script-->", () => `<script>${output(".js")}</script>`);
await mkdir(join(here, "dist"), { recursive: true });
await writeFile(join(here, "dist/index.html"), page);
console.log(`dist/index.html: ${(page.length / 1024).toFixed(0)} KiB`);
