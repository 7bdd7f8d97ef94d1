// Which instance was forked from which. Nothing here draws.

/**
 * An instance with its forks.
 * @typedef {object} Node
 * @property {any} instance
 * @property {string} at the snapshot or round at which it was forked; "" for the present of then, or for no fork
 * @property {Node[]} children
 */

/**
 * Arranges instances as trees. A fork of an instance that is gone is a tree of its own.
 * @param {any[]} all
 * @returns {Node[]}
 */
export const forkTree = (all) => {
  const nodes = new Map(all.map((i) => [i.name, /** @type {Node} */ ({ instance: i, at: i.forkedFrom.split("@").slice(1).join("@"), children: [] })]));
  const parentOf = (/** @type {Node} */ node) => nodes.get(node.instance.forkedFrom.split("@")[0]);
  /** Whether an instance descends from a node: names may be given again, which would make a circle. */
  const descends = (/** @type {Node | undefined} */ from, /** @type {Node} */ node) => {
    for (let steps = 0; from && steps <= nodes.size; steps++) {
      if (from === node) return true;
      from = parentOf(from);
    }
    return from !== undefined;
  };
  const roots = [];
  for (const node of nodes.values()) {
    const parent = parentOf(node);
    if (parent && !descends(parent, node)) parent.children.push(node);
    else roots.push(node);
  }
  return roots;
};
