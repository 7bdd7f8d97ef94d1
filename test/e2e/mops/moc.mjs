#!/usr/bin/env node
// The command line of moc, as mops uses it, around the npm package motoko, which is moc compiled to JavaScript. mops
// would download moc itself, and the package core, from elsewhere. Flags that the package does not have are ignored.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import mo from "motoko";
import core from "motoko/packages/latest/core.json" with { type: "json" };

// The version is not in the npm package. mops reads it for the flags that it passes.
if (process.argv.includes("--version")) {
  console.log(`Motoko compiler 1.0.0 (source ${mo.version})`);
  process.exit(0);
}

const flags = { "--force-gc": "force", "--copying-gc": "copying", "--legacy-persistence": "classicOP" };
const packages = new Map();
let source, output;
for (let args = process.argv.slice(2); args.length > 0;) {
  const arg = args.shift();
  if (arg === "--package") packages.set(args.shift(), resolve(args.shift()));
  else if (arg.startsWith("-o=")) output = arg.slice(3);
  else if (arg in flags) mo.compiler.gcFlags(flags[arg]);
  else if (!arg.startsWith("-")) source = resolve(arg);
}
output ??= source.replace(/\.mo$/, ".wasm");

// The compiler reads no files of its own: it is given all sources of the project.
const project = process.cwd().replace(/\/\.mops\/.*/, "");
for (const name of readdirSync(project, { recursive: true }).filter((name) => name.endsWith(".mo"))) {
  const path = join(project, name);
  mo.write(path, readFileSync(path, "utf8"));
}
mo.loadPackage(core);
for (const [name, folder] of packages) mo.usePackage(name, folder);

try {
  writeFileSync(output, mo.wasm(source, "ic").wasm);
} catch {
  for (const { source: file, range, message } of mo.check(source)) console.error(`${file}:${range.start.line + 1}: ${message}`);
  process.exit(1);
}
