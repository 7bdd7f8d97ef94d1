// What is explored: as an address, as a request of the control API, as a command, and as the section of canisterd.yaml.
// All but the last function are of plain data.
import { rpc } from "./api.js";
import { count, grouped, quoted } from "./format.js";
import { instance, linkTo } from "./route.js";

/**
 * An update call that begins at any time, or one that is made before all runs.
 * @typedef {object} Operation
 * @property {string} canister id
 * @property {string} method
 * @property {string} argument in Candid's text form: (100)
 * @property {string} [as] the principal of the caller; none: the anonymous user
 * @property {string} [title] for people; none: the call as the command line has it
 * @property {boolean} [twice] its user may send it twice
 */

/**
 * @typedef {object} Exploration
 * @property {Operation[]} operations
 * @property {Operation[]} before
 * @property {string[]} invariants
 * @property {string[]} sometimes
 * @property {string[]} maximize
 * @property {string[]} observe
 * @property {number} faults that a run has at most
 * @property {string[]} kinds of faults; none: all
 * @property {string[]} untrusted ids of canisters
 * @property {number} runs at most
 * @property {number} time at most, in seconds; 0: without a limit
 * @property {number} waits
 * @property {number} seed
 * @property {number} stop
 * @property {string} snapshot "": the present
 */

/** What the command line explores without flags. */
export const defaults = () =>
  /** @type {Exploration} */ ({ operations: [], before: [], invariants: [], sometimes: [], maximize: [], observe: [], faults: 1, kinds: [], untrusted: [], runs: 10000, time: 60, waits: 4, seed: 1, stop: 0, snapshot: "" });

/** The kinds of faults, with what happens to a message. */
export const faultKinds = /** @type {Record<string, string>} */ ({
  reject_transient: "a call is rejected with SYS_TRANSIENT", reject_destination: "a call is rejected with DESTINATION_INVALID", reject_error: "a call is rejected with CANISTER_ERROR",
  reject_canister: "a call is rejected with CANISTER_REJECT", unknown: "a best-effort call is lost", lost_answer: "the answer to a best-effort call is lost",
  trap_callback: "a callback exceeds the instruction limit", trap_cleanup: "a callback and its cleanup exceed the instruction limit", no_calls: "a message cannot make calls",
  silent: "an untrusted canister never answers", fire_timer: "a timer fires before it is due", pass_time: "time passes until the next timer or deadline",
  stop: "a canister is asked to stop during a call", send_twice: "a user sends a message twice",
});

/** The lists of lines, with what a line of each says. */
export const lineKinds = /** @type {const} */ ([["invariants", "must hold"], ["sometimes", "must hold at the end of some run"], ["maximize", "is to become as large as it can"], ["observe", "is compared with its answers after serial orders"]]);

/**
 * Writes an exploration for the address of the page: what differs from the defaults, as JSON.
 * @param {Exploration} e
 */
export const addressOf = (e) => {
  const usual = defaults();
  const own = Object.entries(e).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(/** @type {any} */ (usual)[key]));
  return own.length === 0 ? "" : JSON.stringify(Object.fromEntries(own));
};

/** @type {(value: unknown) => string[]} */
const texts = (value) => (Array.isArray(value) ? value.filter((t) => typeof t === "string") : []);

/** @type {(value: unknown) => Operation[]} */
const operationsOf = (value) =>
  (Array.isArray(value) ? value : []).filter((o) => o && typeof o === "object" && typeof o.canister === "string" && typeof o.method === "string").map((o) => ({
    canister: o.canister, method: o.method, argument: typeof o.argument === "string" ? o.argument : "()",
    ...(typeof o.as === "string" && o.as && { as: o.as }), ...(typeof o.title === "string" && o.title && { title: o.title }), ...(o.twice === true && { twice: true }),
  }));

/**
 * Reads an exploration from an address, which somebody may have edited: what cannot be read is as without it.
 * @param {string} text
 * @returns {Exploration}
 */
export const ofAddress = (text) => {
  const all = defaults();
  /** @type {any} */
  let read;
  try {
    read = JSON.parse(text || "{}");
  } catch {}
  if (!read || typeof read !== "object") return all;
  for (const key of /** @type {const} */ (["invariants", "sometimes", "maximize", "observe", "kinds", "untrusted"])) all[key] = texts(read[key]);
  for (const key of /** @type {const} */ (["faults", "runs", "time", "waits", "seed", "stop"])) if (Number.isSafeInteger(read[key]) && read[key] >= 0) all[key] = read[key];
  all.operations = operationsOf(read.operations);
  all.before = operationsOf(read.before);
  if (typeof read.snapshot === "string") all.snapshot = read.snapshot;
  return all;
};

/**
 * The operations in the order in which the command line numbers them: those that may be sent twice are the last.
 * @param {Exploration} e
 */
export const numbered = (e) => [...e.operations.filter((o) => !o.twice), ...e.operations.filter((o) => o.twice)];

/** @typedef {Record<string, string>} Names of canisters, by their ids */

/**
 * Replaces the ids of canisters by references to their names, so that a text means the same in another network.
 * @param {string} text
 * @param {Names} names
 */
const withNames = (text, names) => text.replaceAll("${", "$${").replace(/[a-z0-9]{5}(-[a-z0-9]{1,5})+/g, (id) => (names[id] && !names[id].includes("}") ? `\${${names[id]}}` : id));

/**
 * An operation as the command line has it: bank withdraw (100) as alice.
 * @param {Operation} o
 * @param {Names} names
 */
export const operationText = (o, names) => `${names[o.canister] ?? o.canister} ${o.method}${o.argument === "()" ? "" : ` ${withNames(o.argument, names)}`}${o.as && o.as !== "2vxsx-fae" ? ` as ${names[o.as] ?? o.as}` : ""}`;

/**
 * The request of the control API.
 * @param {Exploration} e
 * @param {string} instance
 * @param {Names} names
 */
export const requestOf = (e, instance, names) => {
  const operation = (/** @type {Operation} */ o) => ({
    call: { canisterId: o.canister, method: o.method, argument: { text: o.argument || "()" }, sender: o.as || "2vxsx-fae" },
    title: o.title || operationText(o, names), ...(o.twice && { retried: true }),
  });
  return {
    instance, snapshot: e.snapshot, operations: numbered(e).map(operation), before: e.before.map(operation), properties: propertiesOf(e), names: idsOf(names),
    seed: String(e.seed), runs: e.runs, faults: e.faults, faultKinds: e.kinds, untrusted: e.untrusted, stop: e.stop, waits: e.waits, ...(e.time > 0 && { time: `${e.time}s` }),
  };
};

/** @param {Exploration} e */
export const propertiesOf = (e) => ({ invariants: filled(e.invariants), sometimes: filled(e.sometimes), maximize: filled(e.maximize), observe: filled(e.observe) });

/** @param {string[]} lines */
const filled = (lines) => lines.filter((line) => line.trim());

/**
 * The ids of canisters by their names.
 * @param {Names} names
 */
export const idsOf = (names) => Object.fromEntries(Object.entries(names).map(([id, name]) => [name, id]));

/**
 * The values of an exploration that differ from those of the command line, by flag and by key of canisterd.yaml.
 * @param {Exploration} e
 * @param {Names} names
 * @returns {[flag: string, key: string, value: string[] | number | string][]}
 */
const stated = (e, names) => {
  const usual = defaults();
  const own = (/** @type {Operation[]} */ all) => all.map((o) => operationText(o, names));
  const all = /** @type {[string, string, string[] | number | string][]} */ ([
    ["before", "before", own(e.before)], ["op", "operations", own(e.operations.filter((o) => !o.twice))], ["twice", "twice", own(e.operations.filter((o) => o.twice))],
    ["invariant", "invariants", filled(e.invariants)], ["sometimes", "sometimes", filled(e.sometimes)], ["maximize", "maximize", filled(e.maximize)], ["observe", "observe", filled(e.observe)],
    ["fault", "fault_kinds", e.kinds], ["untrusted", "untrusted", e.untrusted.map((id) => names[id] ?? id)],
  ]);
  for (const key of /** @type {const} */ (["faults", "waits", "runs", "stop", "seed"])) if (e[key] !== usual[key]) all.push([key, key, e[key]]);
  if (e.time !== usual.time) all.push(["time", "time", e.time === 0 ? "0" : `${e.time}s`]);
  if (e.snapshot) all.push(["snapshot", "snapshot", e.snapshot]);
  return all.filter(([, , value]) => !Array.isArray(value) || value.length > 0);
};

/**
 * The command that explores the same, after canisterd and its instance.
 * @param {Exploration} e
 * @param {Names} names
 */
export const commandOf = (e, names) => ["explore", ...stated(e, names).flatMap(([flag, , value]) => [value].flat().map((v) => `--${flag} ${quoted(String(v))}`))].join(" ");

/**
 * The section of canisterd.yaml. A JSON text is one in YAML too.
 * @param {Exploration} e
 * @param {Names} names
 */
export const sectionOf = (e, names) =>
  `explore:\n${stated(e, names).map(([, key, value]) => `  ${key}:${Array.isArray(value) ? value.map((v) => `\n    - ${JSON.stringify(v)}`).join("") : ` ${typeof value === "number" ? value : JSON.stringify(value)}`}\n`).join("")}`;

/**
 * The name of the file of a finding's schedule.
 * @param {{property?: string, canisterId?: string, method?: string}} finding
 * @param {Names} names
 */
export const fileOf = (finding, names) => {
  let text = finding.property ?? "";
  for (const about of [names[finding.canisterId ?? ""] ?? "", finding.method ?? ""]) if (!text.includes(about)) text += ` ${about}`;
  return `${text.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "finding"}.yaml`;
};

/**
 * Says how much of what may happen has happened.
 * @param {any} c
 */
export const coverageText = (c) => `${grouped(c.distinct ?? 0)} different runs, ${grouped(c.reversed ?? 0)} of ${grouped(c.races ?? 0)} races in both orders, ${count(Number(c.edges ?? 0), "edge")}, ${grouped(c.tried ?? 0)} of ${grouped(c.faults ?? 0)} faults.`;

/**
 * Forks the instance before a call, and returns the address of the Explorer there with the call as an operation. Rules
 * that hold or answer messages are not in the fork: an exploration is about the canisters alone.
 * @param {Operation} call
 * @param {string} requestId of the call, as base64
 */
export const forkToExplore = async (call, requestId) => {
  const made = await rpc("Instances/ForkInstance", { instance: instance.value, beforeRequest: requestId, pacing: { mode: "PACING_MODE_MANUAL" } });
  const of = made.instance.name;
  const { rules } = await rpc("Messages/ListRules", { instance: of });
  for (const { ruleId } of rules) await rpc("Messages/RemoveRule", { instance: of, ruleId });
  return linkTo(["explorer"], { i: of, q: addressOf({ ...defaults(), operations: [call] }) });
};
