// A profile as a tree whose nodes know their totals, and as sums by function. Nothing here draws.

/**
 * A frame at the end of a path.
 * @typedef {object} Frame
 * @property {string} label
 * @property {string} kind entry, function, host, charge, await or root
 * @property {string} canister its id
 * @property {string} source where the function begins, as file:line; empty if that is not known
 * @property {number} calls
 * @property {number} self instructions of its own
 * @property {number} total with the frames below it
 * @property {Frame | undefined} parent
 * @property {Frame[]} children the largest first
 */

/**
 * What a symbol is called.
 * @param {any} symbol
 * @param {(id: string) => string} nameOf
 */
const labelOf = (symbol, nameOf) => {
  switch (symbol.kind) {
    case "FRAME_KIND_ENTRY":
      return `${nameOf(symbol.canisterId)}.${symbol.name} (${symbol.entry})`;
    case "FRAME_KIND_AWAIT":
      return `⏸ ${nameOf(symbol.canisterId)}.${symbol.name}`;
    default:
      return symbol.name ?? "";
  }
};

/**
 * Builds the tree of a profile of the control API.
 * @param {any} profile
 * @param {(id: string) => string} nameOf of a canister
 * @returns {Frame}
 */
export const treeOf = (profile, nameOf) => {
  const symbols = profile.symbols ?? [];
  /** @type {Frame[]} */
  const frames = [];
  for (const [i, node] of (profile.nodes ?? []).entries()) {
    const symbol = symbols[node.symbol ?? 0] ?? {};
    const parent = i > 0 ? frames[node.parent ?? 0] : undefined;
    const self = Number(node.instructions ?? 0);
    /** @type {Frame} */
    const frame = { label: labelOf(symbol, nameOf), kind: (symbol.kind ?? "FRAME_KIND_ROOT").replace("FRAME_KIND_", "").toLowerCase(), canister: symbol.canisterId ?? "", source: symbol.file ? `${symbol.file}:${symbol.line}` : "", calls: Number(node.calls ?? 0), self, total: self, parent, children: [] };
    parent?.children.push(frame);
    frames.push(frame);
  }
  for (let i = frames.length - 1; i > 0; i--) /** @type {Frame} */ (frames[i].parent).total += frames[i].total;
  for (const frame of frames) frame.children.sort((a, b) => b.total - a.total);
  return frames[0] ?? { label: "", kind: "root", canister: "", source: "", calls: 0, self: 0, total: 0, parent: undefined, children: [] };
};

/**
 * Calls a function with each frame of a tree, a parent before its children.
 * @param {Frame} root
 * @param {(frame: Frame) => void} visit
 */
const each = (root, visit) => {
  const open = [root];
  for (let frame = open.pop(); frame; frame = open.pop()) {
    visit(frame);
    open.push(...frame.children);
  }
};

/**
 * The same function in a canister, on whatever path.
 * @param {Frame} frame
 */
export const sameAs = (frame) => `${frame.kind} ${frame.canister} ${frame.label}`;

/**
 * Adds up the frames of each function. A recursion counts once in the total.
 * @param {Frame} root
 * @returns {{key: string, label: string, kind: string, canister: string, source: string, calls: number, self: number, total: number}[]} the most instructions of their own first
 */
export const sumsOf = (root) => {
  /** @type {Map<string, {key: string, label: string, kind: string, canister: string, source: string, calls: number, self: number, total: number}>} */
  const sums = new Map();
  /** @type {Map<string, number>} how many frames of a function are open */
  const open = new Map();
  /** @type {{frame: Frame, ends: boolean}[]} */
  const walk = root.children.map((frame) => ({ frame, ends: false }));
  for (let at = walk.pop(); at; at = walk.pop()) {
    const { frame, ends } = at;
    const key = sameAs(frame);
    const depth = open.get(key) ?? 0;
    if (ends) {
      open.set(key, depth - 1);
      continue;
    }
    const sum = sums.get(key) ?? { key, label: frame.label, kind: frame.kind, canister: frame.canister, source: frame.source, calls: 0, self: 0, total: 0 };
    sums.set(key, sum);
    sum.calls += frame.calls;
    sum.self += frame.self;
    if (depth === 0) sum.total += frame.total;
    open.set(key, depth + 1);
    walk.push({ frame, ends: true });
    for (const child of frame.children) walk.push({ frame: child, ends: false });
  }
  return [...sums.values()].sort((a, b) => b.self - a.self);
};

/**
 * The totals of a tree by path, to compare another tree with it.
 * @param {Frame} root
 * @returns {Map<string, number>}
 */
export const totalsByPath = (root) => {
  /** @type {Map<Frame, string>} */
  const paths = new Map();
  /** @type {Map<string, number>} */
  const totals = new Map();
  each(root, (frame) => {
    const path = frame.parent ? `${paths.get(frame.parent)}\n${sameAs(frame)}` : "";
    paths.set(frame, path);
    totals.set(path, (totals.get(path) ?? 0) + frame.total);
  });
  return totals;
};

/**
 * A bar of a flame graph: a share of the width from left, and a row from the top.
 * @typedef {{frame: Frame, left: number, share: number, row: number, path: string}} Bar
 */

/**
 * Arranges the frames below one: those that are at least a share of it, at most so many, the largest first.
 * @param {Frame} at
 * @param {{least: number, most: number}} limit
 * @returns {Bar[]}
 */
export const barsOf = (at, { least, most }) => {
  if (at.total === 0) return [];
  /** @type {Bar[]} */
  const bars = [];
  const above = [];
  for (let frame = at.parent; frame; frame = frame.parent) above.unshift(frame);
  let path = "";
  above.forEach((frame, row) => {
    if (frame.parent) path += `\n${sameAs(frame)}`;
    bars.push({ frame, left: 0, share: 1, row, path });
  });
  /** @type {Bar[]} */
  let row = [{ frame: at, left: 0, share: 1, row: above.length, path: at.parent ? `${path}\n${sameAs(at)}` : path }];
  while (row.length > 0 && bars.length < most) {
    bars.push(...row.slice(0, most - bars.length));
    /** @type {Bar[]} */
    const next = [];
    for (const bar of row) {
      let left = bar.left;
      for (const frame of bar.frame.children) {
        const share = frame.total / at.total;
        if (share >= least) next.push({ frame, left, share, row: bar.row + 1, path: `${bar.path}\n${sameAs(frame)}` });
        left += share;
      }
    }
    row = next.sort((a, b) => b.share - a.share);
  }
  return bars;
};
