// Moments of an instance: the present, the end of a past round, a snapshot, a mark. In addresses the present is "", the
// others are 42, snapshot:NAME and mark:NAME.
import { Failure, rpc } from "./api.js";
import { hexOf, quoted } from "./format.js";
import { instance } from "./route.js";
import { lease } from "./state.js";
import { events } from "./store.js";

/**
 * Something that has a place in time.
 * @typedef {object} Point
 * @property {string} key the moment, or the round of an event of which there is no moment
 * @property {number} height rounds before it
 * @property {string} [time]
 * @property {"snapshot" | "mark" | "trap"} kind
 * @property {string} text what people call it: a name, the text of a trap
 * @property {string} [canister] of a trap
 * @property {string} [method] of a trap
 * @property {string} [request] of a trap: the id of the user's message that led to it
 */

const snapshotPrefix = "snapshot:";
const markPrefix = "mark:";

/**
 * The name of the snapshot that is a moment, "" for others.
 * @param {string} moment
 */
export const snapshotOf = (moment) => (moment.startsWith(snapshotPrefix) ? moment.slice(snapshotPrefix.length) : "");

/**
 * The fields of a request to fork a moment.
 * @param {string} moment
 */
const placeOf = (moment) => {
  if (snapshotOf(moment)) return { snapshot: snapshotOf(moment) };
  if (moment.startsWith(markPrefix)) return { mark: moment.slice(markPrefix.length) };
  return moment ? { height: moment } : {};
};

/**
 * The command that forks a moment.
 * @param {string} name of the fork
 * @param {string} moment
 */
export const forkCommand = (name, moment) => `instance fork ${quoted(name)}${snapshotOf(moment) ? ` --snapshot ${quoted(snapshotOf(moment))}` : moment ? ` --at ${quoted(moment)}` : ""}`;

/**
 * The commands that compare two moments: snapshots and the present without forks.
 * @param {string} before
 * @param {string} after
 */
export const diffCommands = (before, after) => {
  const forks = /** @type {string[]} */ ([]);
  const named = (/** @type {string} */ moment, /** @type {string} */ fork) => {
    if (snapshotOf(moment)) return `@${quoted(snapshotOf(moment))}`;
    if (moment === "") return instance.value ? quoted(instance.value) : "default";
    forks.push(forkCommand(fork, moment));
    return fork;
  };
  const diff = `instance diff ${named(before, "before")} ${named(after, "after")}`;
  return [...forks, diff];
};

/**
 * What people call a moment.
 * @param {string} moment
 */
export const momentText = (moment) => (snapshotOf(moment) ? `snapshot ${snapshotOf(moment)}` : moment.startsWith(markPrefix) ? `mark ${moment.slice(markPrefix.length)}` : moment ? `round ${moment}` : "now");

/**
 * Forks moments for as long as a function uses them. The forks have manual pacing, so that their time stands still.
 * @template T
 * @param {string[]} moments
 * @param {AbortSignal} signal
 * @param {(names: string[]) => Promise<T>} use
 */
export const withForks = async (moments, signal, use) => {
  const held = await lease(signal);
  try {
    const made = [];
    for (const moment of moments) made.push((await rpc("Instances/ForkInstance", { instance: instance.value, ...placeOf(moment), pacing: { mode: "PACING_MODE_MANUAL" }, lease: held.name, ephemeral: true }, signal)).instance.name);
    return await use(made);
  } finally {
    held.end();
  }
};

/**
 * Makes a fork that stays.
 * @param {string} name "" for one that the daemon chooses
 * @param {string} moment
 * @returns {Promise<string>} its name
 */
export const forkOf = async (name, moment) => {
  const past = moment !== "" && !snapshotOf(moment);
  return (await rpc("Instances/ForkInstance", { instance: instance.value, name, ...placeOf(moment), ...(past && { pacing: { mode: "PACING_MODE_MANUAL" } }) })).instance.name;
};

/** The most pages of 1,000 marks and traps that are read. */
const mostPages = 16;

/**
 * The rounds at which the instance can be forked, with marks and traps.
 * @param {string} of
 * @param {AbortSignal} signal
 * @returns {Promise<any>} undefined for an instance without a journal; more: there are more marks
 */
const journal = async (of, signal) => {
  let all = /** @type {any} */ (undefined);
  try {
    for (let token = "", page = 0; page < mostPages && (token || page === 0); page++) {
      const read = await rpc("Instances/GetHistory", { instance: of, pageSize: 1000, pageToken: token, onlyMarks: true }, signal);
      all = { ...read, inputs: [...(all?.inputs ?? []), ...read.inputs] };
      token = read.nextPageToken;
    }
  } catch (error) {
    if (error instanceof Failure && error.reason === "NO_HISTORY") return undefined;
    throw error;
  }
  return { ...all, more: all?.nextPageToken !== "" };
};

/**
 * A mark or a trap of the journal. If a name was used twice, only the newest mark is a moment by its name.
 * @param {any} input
 * @returns {Point}
 */
const pointOf = (input) => ({
  key: input.kind === "mark" ? `${markPrefix}${input.text}` : input.height, height: Number(input.height), time: input.time, kind: input.kind === "mark" ? "mark" : "trap",
  text: input.kind === "mark" ? input.text : `${input.errorCode} ${input.text}`, canister: input.canisterId, method: input.method, request: input.requestId ? hexOf(input.requestId) : "",
});

/**
 * The traps that are remembered as events.
 * @returns {Point[]}
 */
const trapsOf = () => events.filter((e) => e.kind === "EVENT_KIND_TRAPPED").map((e) => ({
  key: e.height, height: Number(e.height ?? 0), time: e.time, kind: "trap", text: `${e.reject?.errorCode ?? ""} ${e.reject?.text ?? ""}`, canister: e.canisterId, method: e.method, request: e.requestId ? hexOf(e.requestId) : "",
}));

/**
 * Reads what the past of the selected instance has.
 * @param {AbortSignal} signal
 */
export const past = async (signal) => {
  const of = instance.value;
  const [kept, listed] = await Promise.all([journal(of, signal), rpc("Instances/ListSnapshots", { instance: of, pageSize: 1000 }, signal)]);
  const snapshots = listed.snapshots.map((/** @type {any} */ s) => /** @type {Point} */ ({ key: `${snapshotPrefix}${s.name}`, height: Number(s.height), time: s.time, kind: "snapshot", text: s.name }));
  const points = [...snapshots, ...(kept ? kept.inputs.map(pointOf) : trapsOf())];
  const newest = new Map(points.map((p) => [p.key, p]));
  for (const p of points) if (p.kind === "mark" && newest.get(p.key) !== p) p.key = String(p.height);
  points.sort((a, b) => a.height - b.height);
  return { kept, points };
};
