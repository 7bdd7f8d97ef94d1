// Compiles job.main with the npm package motoko: writes job.wasm, and the interface beside it. The compiler reads no
// files of its own, so it is given the sources of the project and of its packages.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { createRequire } from "node:module";

const require = createRequire(join(process.cwd(), "canisterd.yaml"));
const mo = require("motoko");
const ignored = new Set([".canisterd", ".git", ".mops", "node_modules", "target"]);

function load(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !ignored.has(entry.name)) load(path);
    else if (entry.isFile() && entry.name.endsWith(".mo")) mo.write(path, readFileSync(path, "utf8"));
  }
}

function loadIncluded(name) {
  try {
    mo.loadPackage(require(`motoko/packages/latest/${name}.json`));
  } catch (e) {
    if (e.code !== "MODULE_NOT_FOUND" && e.code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") throw e;
  }
}

function fail(text) {
  console.error(text);
  process.exit(1);
}

function report(diagnostics) {
  for (const { source, range: { start }, severity, code, message } of diagnostics) {
    const kind = severity === 1 ? "error" : "warning";
    console.error(`${relative("", source)}:${start.line + 1}.${start.character + 1}: ${kind} [${code}], ${message}`);
  }
}

if (job.args?.length && !mo.setExtraFlags) fail("this version of the npm package motoko takes no arguments: install moc, or remove args");
if (job.args?.length) mo.setExtraFlags(job.args);
mo.setPublicMetadata?.(job.metadata);
for (const name of ["base", "core"]) if (!job.packages?.some((p) => p.name === name)) loadIncluded(name);
for (const { name, folder } of job.packages ?? []) {
  load(resolve(folder));
  mo.usePackage(name, resolve(folder));
}
load(process.cwd());
const main = resolve(job.main);
try {
  const diagnostics = mo.check(main);
  report(diagnostics);
  if (diagnostics.some(({ severity }) => severity === 1)) process.exit(1);
  const { wasm, candid } = mo.wasm(main, "ic");
  writeFileSync(job.wasm.replace(/(\.wasm)?$/, ".did"), (candid ?? mo.candid(main)).trimEnd() + "\n");
  writeFileSync(job.wasm, wasm);
} catch (e) {
  fail(`${job.main}: ${e.message ?? e}`);
}
