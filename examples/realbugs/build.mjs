// Compiles each NAME/canister.mo of this folder to NAME/canister.wasm.gz with the compiler that has the bug: the package of
// npm in the first line of the source. The results go beside the sources, or into the folder OUT, at the path that they have
// in the repository. With a folder, it compiles that one: each is compiled in a process of its own.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(import.meta.url);
const here = dirname(script);
const root = join(here, "../..");

async function compile(folder) {
  const source = readFileSync(join(folder, "canister.mo"), "utf8");
  const { default: mo } = await import(source.match(/^\/\/ Compiler: npm (\S+)\n/)[1].replace("@", "-"));
  const publish = mo.setPublicMetadata ?? mo.setMetadata; // its name in older packages
  publish?.(["candid:service", "candid:args"]);
  mo.write("canister.mo", source);
  const packed = join(process.env.OUT || root, relative(root, folder), "canister.wasm.gz");
  mkdirSync(dirname(packed), { recursive: true });
  writeFileSync(packed, execFileSync("gzip", ["-9", "-n", "-c"], { input: mo.wasm("canister.mo", "ic").wasm }));
  console.log(`${packed} ${statSync(packed).size} bytes`);
}

if (process.argv.length > 2) {
  await compile(process.argv[2]);
} else {
  for (const file of readdirSync(here).filter((f) => /^\d\d-/.test(f)).sort()) {
    if (readdirSync(join(here, file)).includes("canister.mo")) {
      execFileSync("node", [script, join(here, file)], { stdio: "inherit" });
    }
  }
}
