// From events to blocks: what ran where and when, and which call led to it. Nothing here draws.
import { hexOf, nanoseconds } from "./format.js";

/**
 * A message that ran, or that was not executed.
 * @typedef {object} Block
 * @property {string} key its event
 * @property {string} canister
 * @property {number} height its round
 * @property {bigint} time of the network, in nanoseconds
 * @property {string} title
 * @property {string} state
 * @property {"" | "bad" | "due"} kind
 * @property {any} event
 * @property {string} caused the call that it answers, as callKey writes it; "" for none
 * @property {string} answers of a callback: the call whose answer it takes
 * @property {string} request id of the user's message that led to it, in hexadecimal digits; "" if there is none
 */

/**
 * Names a call: its caller and its number.
 * @param {string} canister
 * @param {string | undefined} call
 */
export const callKey = (canister, call) => (call && call !== "0" ? `${canister}#${call}` : "");

const callbacks = new Set(["reply callback", "reject callback", "cleanup"]);

/** @param {any} event */
const titleOf = (event) => {
  if (event.kind === "EVENT_KIND_CODE_INSTALLED") return "install";
  if (event.source === "task") return event.task || "task";
  return event.method || event.entry || event.source || "";
};

/** @param {any} event */
const blockOf = (event) => {
  const trapped = event.reject !== undefined;
  const callback = callbacks.has(event.entry);
  return /** @type {Block} */ ({
    key: event.sequence,
    canister: event.canisterId,
    height: Number(event.height ?? 0),
    time: nanoseconds(event.time),
    title: titleOf(event),
    state: trapped ? event.reject.text || event.reject.errorCode || "rejected" : "",
    kind: trapped ? "bad" : event.source === "task" ? "due" : "",
    event,
    caused: event.originCaller && event.origin === "canister" && !callback ? callKey(event.originCaller, event.originCall) : "",
    answers: callback ? callKey(event.canisterId, event.callId) : "",
    request: event.requestId ? hexOf(event.requestId) : "",
  });
};

const shown = new Set(["EVENT_KIND_MESSAGE_EXECUTED", "EVENT_KIND_MESSAGE_DROPPED", "EVENT_KIND_CODE_INSTALLED", "EVENT_KIND_MESSAGE_SHED"]);

/**
 * A round with something to show.
 * @typedef {object} Column
 * @property {number} height
 * @property {bigint} time
 * @property {bigint} gap how much time passed since the column before, in nanoseconds
 * @property {Map<string, Block[]>} cells by canister
 * @property {number} width in blocks
 */

/** How many blocks of a canister a column shows; the others are behind a count. */
export const mostInCell = 4;

/**
 * Arranges the events of an instance.
 * @param {any[]} events the oldest first
 */
export const arrange = (events) => {
  /** @type {Column[]} */
  const columns = [];
  /** @type {Map<string, Block>} */
  const byCall = new Map(); // the first message that a call led to
  /** @type {Map<string, Block>} */
  const byKey = new Map();
  const lanes = new Map(); // the number of blocks, by canister, in the order in which they first had one
  /** @type {Map<string, Block>} */
  const making = new Map(); // the block that made a call
  /** @type {Map<string, Block>} */
  const last = new Map(); // the last block of a context: the calls of a message follow it
  for (const event of events) {
    if (event.kind === "EVENT_KIND_CALL_REGISTERED") {
      const maker = last.get(`${event.canisterId} ${event.contextId ?? 0}`);
      if (maker) making.set(callKey(event.canisterId, event.callId), maker);
      continue;
    }
    if (!shown.has(event.kind) || !event.canisterId) continue;
    const block = blockOf(event);
    byKey.set(block.key, block);
    if (block.caused && !byCall.has(block.caused)) byCall.set(block.caused, block);
    last.set(`${event.canisterId} ${event.contextId ?? 0}`, block);
    lanes.set(block.canister, (lanes.get(block.canister) ?? 0) + 1);
    let column = columns[columns.length - 1];
    if (!column || column.height !== block.height) {
      column = { height: block.height, time: block.time, gap: column ? block.time - column.time : 0n, cells: new Map(), width: 1 };
      columns.push(column);
    }
    const cell = column.cells.get(block.canister);
    if (cell) cell.push(block);
    else column.cells.set(block.canister, [block]);
  }
  for (const column of columns) {
    for (const cell of column.cells.values()) column.width = Math.max(column.width, Math.min(cell.length, mostInCell));
  }
  return { columns, byCall, byKey, making, lanes: [...lanes.keys()] };
};

/**
 * Finds a cycle of canisters that wait for each other.
 * @param {any[]} futures the open calls
 * @returns {string[]} the canisters, each of which waits for the next and the last for the first; none if there is no cycle
 */
export const waitCycle = (futures) => {
  /** @type {Map<string, string[]>} */
  const waits = new Map();
  for (const f of futures) if (f.circular || f.deadlocked) waits.set(f.caller, [...(waits.get(f.caller) ?? []), f.callee]);
  for (const start of waits.keys()) {
    const path = [start];
    const seen = new Set(path);
    for (let at = start; ; ) {
      const next = (waits.get(at) ?? []).find((to) => to === start || (waits.has(to) && !seen.has(to)));
      if (next === undefined) break;
      if (next === start) return path;
      seen.add(next);
      path.push((at = next));
    }
  }
  return [];
};
