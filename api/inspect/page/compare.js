// What differs between two texts, word by word. Nothing here draws.

/** @typedef {{text: string, differs: boolean}} Part */

/** The most pairs of words that are compared: beyond, everything between the equal ends counts as different. */
const mostPairs = 1_000_000;

/** @param {string} text */
const wordsOf = (text) => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

/**
 * Joins neighbors that are alike.
 * @param {Part[]} parts
 */
const joined = (parts) => {
  /** @type {Part[]} */
  const all = [];
  for (const part of parts) {
    const last = all[all.length - 1];
    if (last && last.differs === part.differs) last.text += part.text;
    else if (part.text) all.push({ ...part });
  }
  return all;
};

/**
 * The lengths of the longest common subsequences of the ends of two lists: [i][j] for a from i and b from j.
 * @param {string[]} a
 * @param {string[]} b
 */
const common = (a, b) => {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) lengths[i][j] = a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  }
  return lengths;
};

/**
 * Marks the words of two lists that the other one lacks.
 * @param {string[]} a
 * @param {string[]} b
 * @returns {[Part[], Part[]]}
 */
const middle = (a, b) => {
  if (a.length * b.length > mostPairs) return [[{ text: a.join(""), differs: true }], [{ text: b.join(""), differs: true }]];
  const lengths = common(a, b);
  /** @type {[Part[], Part[]]} */
  const [before, after] = [[], []];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      before.push({ text: a[i++], differs: false });
      after.push({ text: b[j++], differs: false });
    } else if (j === b.length || (i < a.length && lengths[i + 1][j] >= lengths[i][j + 1])) before.push({ text: a[i++], differs: true });
    else after.push({ text: b[j++], differs: true });
  }
  return [before, after];
};

/**
 * Splits two texts into what both have and what only one of them has.
 * @param {string} before
 * @param {string} after
 * @returns {{before: Part[], after: Part[]}}
 */
export const compared = (before, after) => {
  const [a, b] = [wordsOf(before), wordsOf(after)];
  let first = 0;
  while (first < a.length && first < b.length && a[first] === b[first]) first++;
  let last = 0;
  while (last < a.length - first && last < b.length - first && a[a.length - 1 - last] === b[b.length - 1 - last]) last++;
  const [inA, inB] = middle(a.slice(first, a.length - last), b.slice(first, b.length - last));
  const head = { text: a.slice(0, first).join(""), differs: false };
  const tail = { text: a.slice(a.length - last).join(""), differs: false };
  return { before: joined([head, ...inA, tail]), after: joined([head, ...inB, tail]) };
};
