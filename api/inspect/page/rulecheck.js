// Why no message matches a rule, as far as the canisters of the instance say so. canisterd rule add notes the same.
import { Failure, namesOf, rpc } from "./api.js";
import { instance } from "./route.js";

const management = "aaaaa-aa";

/**
 * The names of canisters of the instance as ids.
 * @param {string} text a name or an id
 * @param {Record<string, string>} canisters names by id
 */
export const idOf = (text, canisters) => Object.entries(canisters).find(([, name]) => name === text)?.[0] ?? text;

/**
 * How many letters have to be put in, taken out, replaced or exchanged with their neighbors to make b of a.
 * @param {string[]} a
 * @param {string[]} b
 */
const distance = (a, b) => {
  /** @type {number[][]} */
  const rows = [];
  for (let i = 0; i <= a.length; i++) {
    rows.push([]);
    for (let j = 0; j <= b.length; j++) {
      if (i === 0 || j === 0) rows[i].push(i + j);
      else if (a[i - 1] === b[j - 1]) rows[i].push(rows[i - 1][j - 1]);
      else {
        const exchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? rows[i - 2][j - 2] : Infinity;
        rows[i].push(1 + Math.min(rows[i - 1][j - 1], rows[i - 1][j], rows[i][j - 1], exchanged));
      }
    }
  }
  return rows[a.length][b.length];
};

/**
 * Suggests the word with the fewest edits; "" if that takes more than a third of the letters, except one edit in short
 * words.
 * @param {string} written
 * @param {string[]} words
 */
const meant = (written, words) => {
  let best = Math.max(Math.floor(written.length / 3), 1) + 1;
  let found = "";
  for (const word of words) {
    const n = distance([...written], [...word]);
    if (n < best && n < word.length) [best, found] = [n, word];
  }
  return found && `; did you mean ${found}?`;
};

/**
 * Reads a canister; undefined if the instance has none.
 * @param {string} id
 * @param {AbortSignal} abort
 */
const canisterOf = async (id, abort) => {
  try {
    return (await rpc("Canisters/GetCanister", { instance: instance.value, canisterId: id }, abort)).canister;
  } catch (error) {
    if (error instanceof Failure && ["not_found", "invalid_argument"].includes(error.code)) return undefined;
    throw error;
  }
};

/**
 * Why no message matches the rule of the form, in sentences without an end; none if one may.
 * @param {Record<string, string>} f the fields of the form
 * @param {AbortSignal} abort
 * @returns {Promise<string[]>}
 */
export const doubtsAbout = async (f, abort) => {
  const { canisters } = await namesOf(instance.value);
  /** @type {string[]} */
  const doubts = [];
  const party = async (/** @type {string} */ side) => {
    const found = await canisterOf(idOf(f[side], canisters), abort);
    if (!found) doubts.push(`${side}: this instance has no canister ${f[side]}${meant(f[side], Object.values(canisters))}`);
    return found;
  };
  if (f.caller && f.kind !== "ingress") await party("caller");
  if (!f.callee || f.callee === management) return doubts;
  const callee = await party("callee");
  const answers = ["reply", "reject", "unknown"].includes(f.do);
  if (callee && !callee.moduleHash && !answers) doubts.push(`${f.callee} has no code yet`);
  if (!callee?.moduleHash || !f.method) return doubts;
  const methods = (callee.methods ?? []).map((/** @type {any} */ m) => m.name);
  const pattern = new RegExp(`^${f.method.split("*").map((part) => part.replace(/[^\w\s]/g, "\\$&")).join("[^]*")}$`);
  if (!methods.some((/** @type {string} */ m) => pattern.test(m))) doubts.push(`${f.callee} has no method ${f.method}${meant(f.method, methods)}`);
  return doubts;
};
