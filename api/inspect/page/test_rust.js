// A call as a test in Rust, with the crates pocket-ic, candid and candid_parser.
import { anonymous, braces, caveats, comment, identifier, isShown, lastOf, literal, nameIn, pieces, steady, titleOf } from "./test_of.js";

/**
 * @typedef {import("./test_of.js").Scenario} Scenario
 * @typedef {import("./test_of.js").Step} Step
 * @typedef {import("./test_of.js").Message} Message
 */

/**
 * A Rust string.
 * @param {string} text
 */
const rustText = (text) => {
  if (!isShown(text) || !/["\\]/.test(text)) return literal(text, braces);
  const hashes = "#".repeat(1 + Math.max(-1, ...[...text.matchAll(/"(#*)/g)].map((m) => m[1].length)));
  return `r${hashes}"${text}"${hashes}`;
};

/** What the parser of Rust cannot read: numbers that are none, and vectors whose values may have several types. */
const unread = /vec \{[^}]*(?:variant|opt|null)|\b(?:inf|nan) :/;

/**
 * An argument or a reply in Rust, as IDLArgs; undefined if its text does not do.
 * @param {Scenario} of
 * @param {Message} message
 */
const rustArgs = (of, { text }) => {
  if (!text || unread.test(text)) return undefined;
  const parts = pieces(of, text);
  if (parts.length === 1) return `parse_idl_args(${rustText(text)}).unwrap()`;
  const format = parts.map((part, i) => (i % 2 === 1 ? `{${part}}` : part.replaceAll("{", "{{").replaceAll("}", "}}"))).join("");
  return `parse_idl_args(&format!(${rustText(format)})).unwrap()`;
};

/** @param {string} hex */
const rustBytes = (hex) => `vec![${(hex.match(/../g) ?? []).map((b) => `0x${b}`).join(", ")}]`;

/** @param {Scenario} of */
export const rustTest = (of) => {
  const name = nameIn(of);
  const call = (/** @type {Step} */ s) => {
    const sender = s.caller === anonymous ? "Principal::anonymous()" : name(s.caller) || `Principal::from_text("${s.caller}").unwrap()`;
    const argument = rustArgs(of, s.argument);
    return `pic.update_call(${name(s.canister)}, ${sender}, ${rustText(s.method)}, ${argument ? `${argument}.to_bytes().unwrap()` : rustBytes(s.argument.hex)})`;
  };
  const last = lastOf(of);
  const want = last.reply && !/\bnull\b/.test(last.reply.text) ? rustArgs(of, last.reply) : undefined;
  const checked = last.reject
    ? [`    let reject = ${call(last)}.unwrap_err();`, `    assert!(reject.reject_message.contains(${rustText(steady(last.reject.text))}), "{reject}");`]
    : [`    let reply = ${call(last)}.unwrap();`, want ? `    assert_eq!(IDLArgs::from_bytes(&reply).unwrap(), ${want});` : `    assert_eq!(reply, ${rustBytes(last.reply?.hex ?? "")});${comment(last.reply?.text ?? "")}`];
  const before = of.steps.slice(0, -1).map((s) => (s.reject ? `    let _ = ${call(s)}; // it was rejected` : `    ${call(s)}.unwrap();`));
  const body = [...before, ...checked].join("\n");
  return [
    ...(body.includes("IDLArgs") ? ["use candid::{IDLArgs, Principal, encode_args};"] : ["use candid::{Principal, encode_args};"]), ...(body.includes("parse_idl_args") ? ["use candid_parser::parse_idl_args;"] : []), "use pocket_ic::PocketIc;", "",
    ...caveats(of), "#[test]", `fn ${identifier(titleOf(of)).toLowerCase()}() {`, "    let pic = PocketIc::new();",
    ...of.installed.flatMap((c) => [`    let ${c.name} = pic.create_canister();`, `    pic.add_cycles(${c.name}, 100_000_000_000_000);`, `    pic.install_canister(${c.name}, std::fs::read(${rustText(c.file)}).unwrap(), encode_args(()).unwrap(), None);`]), "",
    ...before, ...checked, "}", ""].join("\n");
};
