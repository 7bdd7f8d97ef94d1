// Writes into pairs.txt what the Motoko compiler says about each pair. Run it after a change of the pairs, with the
// folder of the npm package motoko:
//   node judge.mjs ../../../test/canistertest/fixtures/node_modules/motoko
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const { default: mo } = await import(resolve(process.argv[2], "index.js"));
const file = new URL("pairs.txt", import.meta.url);
const pairs = readFileSync(file, "utf8").split(/^=== /m);
const judged = pairs.slice(1).map((pair) => {
  const [, title, old, next] = pair.match(/^(.*?)\n([^]*?)^---\n([^]*?)^moc: .*\n/m) ?? [];
  if (title === undefined) throw new Error(`no pair: ${pair}`);
  mo.write("old.most", old);
  mo.write("next.most", next);
  const said = mo.compiler.stableCompatible("old.most", "next.most");
  const errors = said.diagnostics.filter((d) => d.severity === 1);
  const syntax = errors.find((d) => d.category !== "Compatibility");
  if (syntax && !syntax.message.includes("migration")) throw new Error(`${title}: ${syntax.message}`);
  return `=== ${title}\n${old}---\n${next}moc: ${errors.length > 0 ? "incompatible" : "compatible"}\n`;
});
writeFileSync(file, [pairs[0], ...judged].join(""));
