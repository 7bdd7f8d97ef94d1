// A call as a test: what programs in Go, TypeScript and Rust share that install the modules and make the call, with the
// calls that led to it. Functions of plain data to text. Names and texts are those of canisters, so they must stay texts:
// in quotes, and without characters that an editor does not show.

/**
 * A canister that a test installs.
 * @typedef {{id: string, name: string, file: string, init: boolean}} Installed name: of its variable; init: its installation takes arguments
 *
 * An argument or a reply: in Candid's text form on one line, "" if it is not Candid, and as bytes.
 * @typedef {{text: string, hex: string}} Message
 *
 * @typedef {object} Step a call
 * @property {string} canister
 * @property {string} method
 * @property {string} caller
 * @property {Message} argument
 * @property {Message} [reply]
 * @property {{text: string, errorCode: string}} [reject]
 * @property {{types: import("./form.js").Type[], args: number[], results: number[]}} [typed] the types of the method, if they are known
 *
 * @typedef {{installed: Installed[], steps: Step[], omitted: number}} Scenario the last step is the call; omitted: calls before it that the test does not make
 */

export const anonymous = "2vxsx-fae";

const hidden = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** The code point of a character; one that is half of a pair has none. */
const pointOf = (/** @type {string} */ c) => (/\p{Cs}/u.test(c) ? 0xfffd : Number(c.codePointAt(0)));

/**
 * Writes a string literal in double quotes.
 * @param {string} text
 * @param {(point: number) => string} escape of a character that is not shown
 */
export const literal = (text, escape) => `"${text.replace(/["\\]/g, "\\$&").replace(hidden, (c) => escape(pointOf(c)))}"`;

/** @param {string} text */
export const isShown = (text) => !new RegExp(hidden.source, "u").test(text);

/** @param {number} point */
export const braces = (point) => `\\u{${point.toString(16)}}`;

/**
 * Names the variable of a canister.
 * @param {Scenario} of
 */
export const nameIn = (of) => (/** @type {string} */ id) => of.installed.find((c) => c.id === id)?.name ?? "";

/**
 * Splits a text at the ids of the canisters that the test installs: the even parts are texts, the odd ones variables.
 * @param {Scenario} of
 * @param {string} text
 */
export const pieces = (of, text) => {
  if (of.installed.length === 0) return [text];
  const parts = text.split(new RegExp(`(${of.installed.map((c) => c.id).join("|")})`));
  return parts.map((part, i) => (i % 2 === 1 ? nameIn(of)(part) : part));
};

/**
 * The longest part of a reject's text that does not depend on ids.
 * @param {string} text
 */
export const steady = (text) =>
  text.split("\n")[0].split(/[a-z0-9]{5}(?:-[a-z0-9]{3,5})+/).map((part) => part.trim()).reduce((longest, part) => (part.length > longest.length ? part : longest), "");

/** @param {string} name */
export const identifier = (name) => name.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_+|_+$/g, "") || "method";

/** @param {Scenario} of */
export const lastOf = (of) => of.steps[of.steps.length - 1];

/** @param {Scenario} of */
export const titleOf = (of) => `${nameIn(of)(lastOf(of).canister)}.${lastOf(of).method}`;

/**
 * A comment behind a line.
 * @param {string} text
 */
export const comment = (text) => (text ? ` // ${text.replace(hidden, "?")}` : "");

/**
 * What a test does not do, as comments.
 * @param {Scenario} of
 */
export const caveats = (of) => [
  ...(of.omitted > 0 ? [`// ${of.omitted} calls before this one are left out.`] : []),
  ...of.installed.filter((c) => c.init).map((c) => `// The installation of ${c.name} takes arguments: add them.`),
];

/** Words that the programs use, or that are keywords of a language. */
const taken = new Set("as async await box break case catch chan class const continue crate ctx debugger default defer delete do dyn else enum err errors export extends extern false final finally fn fmt for from func function go goto ic if impl import in instanceof interface let loop macro map match mod move mut new null override package pic pocket_ic principal priv pub range ref reject reply return select self server static struct super switch t test testing this throw trait true try type typeof union unsafe use var void want where while with yield".split(" "));

/**
 * Names a variable for a canister.
 * @param {string} name of the canister
 * @param {string[]} others that are taken
 */
export const variableFor = (name, others) => {
  const plain = identifier(name).replace(/^(?=\d)/, "c");
  const base = taken.has(plain) ? `${plain}_canister` : plain;
  let variable = base;
  for (let n = 2; others.includes(variable); n++) variable = `${base}${n}`;
  return variable;
};
