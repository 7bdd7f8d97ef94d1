// A call as a test in TypeScript, with PocketIC's client (pic-js).
import { parseArgs } from "./candid.js";
import { idlWriter, jsValue } from "./idl.js";
import { anonymous, braces, caveats, comment, lastOf, literal, nameIn, pieces, steady, titleOf } from "./test_of.js";

/**
 * @typedef {import("./test_of.js").Scenario} Scenario
 * @typedef {import("./test_of.js").Step} Step
 * @typedef {import("./test_of.js").Message} Message
 */

/** @param {string} text */
const quoted = (text) => literal(text, braces);

/**
 * A text or an id in TypeScript.
 * @param {Scenario} of
 */
const tsText = (of) => (/** @type {string} */ text, /** @type {boolean} */ principal) => {
  if (principal) return nameIn(of)(text) || `Principal.fromText("${text}")`;
  return pieces(of, text).map((part, i) => (i % 2 === 1 ? `${part}.toText()` : quoted(part))).filter((part, i, all) => part !== '""' || all.length === 1).join(" + ");
};

/**
 * The types and the values of a message in TypeScript: undefined if they cannot be written.
 * @param {Scenario} of
 * @param {Step} step
 * @param {Message} message
 * @param {number[] | undefined} places
 * @param {string[]} definitions to which those of recursive types are added
 */
const tsTyped = (of, step, message, places, definitions) => {
  if (!step.typed || !places || !message.text) return undefined;
  try {
    const { types } = step.typed;
    const values = parseArgs(message.text).map((v, i) => jsValue(types, places[i], v, tsText(of)));
    const writer = idlWriter(types);
    const written = places.map(writer.write);
    for (const line of writer.definitions) if (!definitions.includes(line)) definitions.push(line);
    return { types: `[${written.join(", ")}]`, values: `[${values.join(", ")}]` };
  } catch {
    return undefined; // bytes do
  }
};

/** @param {string} hex */
const tsBytes = (hex) => `new Uint8Array(Buffer.from("${hex}", "hex"))`;

/** @param {Scenario} of */
export const picTest = (of) => {
  /** @type {string[]} */
  const definitions = [];
  const name = nameIn(of);
  const text = tsText(of);
  const call = (/** @type {Step} */ s) => {
    const typed = tsTyped(of, s, s.argument, s.typed?.args, definitions);
    const argument = typed ? `new Uint8Array(IDL.encode(${typed.types}, ${typed.values}))` : tsBytes(s.argument.hex);
    return `pic.updateCall({ canisterId: ${name(s.canister)}, method: ${quoted(s.method)}${s.caller === anonymous ? "" : `, sender: ${text(s.caller, true)}`}, arg: ${argument} })`;
  };
  const last = lastOf(of);
  const before = of.steps.slice(0, -1).map((s) => `  await ${call(s)}${s.reject ? ".catch(() => {}); // it was rejected" : ";"}`);
  const made = call(last);
  const reply = last.reply && tsTyped(of, last, last.reply, last.typed?.results, definitions);
  const checked = last.reject
    ? [`  await assert.rejects(${made}, (error: Error) => error.message.includes(${quoted(steady(last.reject.text))}));`]
    : [`  const reply = await ${made};`, reply ? `  assert.deepEqual(IDL.decode(${reply.types}, reply), ${reply.values});` : `  assert.deepEqual(reply, ${tsBytes(last.reply?.hex ?? "")});${comment(last.reply?.text ?? "")}`];
  const body = [...definitions, ...before, ...checked].join("\n");
  return [
    'import assert from "node:assert/strict";', 'import { test } from "node:test";', 'import { PocketIc, PocketIcServer } from "@dfinity/pic";',
    ...(body.includes("IDL.") ? ['import { IDL } from "@icp-sdk/core/candid";'] : []), ...(body.includes("Principal.") ? ['import { Principal } from "@icp-sdk/core/principal";'] : []), "",
    ...caveats(of), ...definitions, ...(definitions.length > 0 ? [""] : []), `test(${quoted(titleOf(of))}, async (t) => {`,
    "  const server = await PocketIcServer.start();", "  t.after(() => server.stop());", "  const pic = await PocketIc.create(server.getUrl());",
    ...of.installed.flatMap((c) => [`  const ${c.name} = await pic.createCanister();`, `  await pic.installCode({ canisterId: ${c.name}, wasm: ${quoted(c.file)} });`]), "",
    ...before, ...checked, "  await pic.tearDown();", "});", ""].join("\n");
};

