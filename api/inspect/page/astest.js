// The call of a page as a test: what it needs, and the view that shows and copies it.
import { rpc, typesOf } from "./api.js";
import { count } from "./format.js";
import { isWhole, messageOf } from "./message.js";
import { instance, linkTo, path } from "./route.js";
import { canistersOf } from "./state.js";
import { names } from "./store.js";
import { goTest } from "./test_go.js";
import { identifier, variableFor } from "./test_of.js";
import { picTest } from "./test_pic.js";
import { rustTest } from "./test_rust.js";
import { Copy, html, Problem, Tabs, useLoaded } from "./ui.js";

/**
 * @typedef {import("./test_of.js").Scenario} Scenario
 * @typedef {import("./test_of.js").Step} Step
 */

/** The most calls that a test makes before the last one. */
const mostBefore = 20;

/** What writes a test: the part of the address, its name, and the function. */
const tools = /** @type {const} */ ([["go", "Go", goTest], ["pic-js", "pic-js", picTest], ["rust", "Rust", rustTest]]);

/**
 * The users' calls before a call to the same canisters, the oldest first.
 * @param {any} root
 * @param {Set<string>} canisters
 * @param {AbortSignal} signal
 */
const before = async (root, canisters, signal) => {
  const all = (await rpc("Events/GetTrace", { instance: instance.value, since: "1970-01-01T00:00:00Z", includeBytes: true }, signal)).calls;
  const at = all.findIndex((/** @type {any} */ c) => c.requestId === root.requestId);
  const led = all.slice(0, Math.max(at, 0)).filter((/** @type {any} */ c) => canisters.has(c.canisterId) && c.answered);
  return led.length > mostBefore || !led.every(isWhole) ? { steps: [], omitted: led.length } : { steps: led, omitted: 0 };
};

/**
 * The interface of a canister, without one that is not known.
 * @param {string} canister
 */
const interfaceOf = (canister) => typesOf(instance.value, canister).catch(() => undefined);

/**
 * Makes a step of a call.
 * @param {any} call
 * @param {Map<string, any>} interfaces
 * @returns {Promise<Step>}
 */
const stepOf = async (call, interfaces) => {
  const known = interfaces.get(call.canisterId);
  const method = known?.methods.find((/** @type {any} */ m) => m.name === call.method);
  const places = (/** @type {any[]} */ list) => list.map((a) => a.type);
  return {
    canister: call.canisterId, method: call.method, caller: call.caller, argument: await messageOf(call, false),
    ...(call.reject ? { reject: { text: call.reject.text, errorCode: call.reject.errorCode } } : { reply: await messageOf(call, true) }),
    ...(method && { typed: { types: known.types, args: places(method.args), results: places(method.results) } }),
  };
};

/**
 * The named canisters whose ids are in texts.
 * @param {Step[]} steps
 */
const mentioned = (steps) => {
  const texts = steps.map((s) => `${s.argument.text} ${s.reply?.text ?? ""} ${s.caller}`).join(" ");
  return Object.keys(names.value.canisters).filter((id) => texts.includes(id));
};

/**
 * The canisters that a test installs.
 * @param {string[]} ids
 * @param {Map<string, any>} interfaces
 */
const installed = (ids, interfaces) => {
  /** @type {import("./test_of.js").Installed[]} */
  const all = [];
  for (const id of ids) {
    const given = names.value.canisters[id] ?? `canister${all.length + 1}`;
    all.push({ id, name: variableFor(given, all.map((c) => c.name)), file: `${/[/\\]/.test(given) ? identifier(given) : given}.wasm`, init: (interfaces.get(id)?.init.length ?? 0) > 0 });
  }
  return all;
};

/**
 * Reads what a test of a call needs.
 * @param {any} root
 */
const scenario = (root) => async (/** @type {AbortSignal} */ signal) => {
  const called = canistersOf(root);
  const { steps: led, omitted } = await before(root, new Set(called), signal);
  /** @type {Map<string, any>} */
  const interfaces = new Map();
  for (const id of new Set([...called, ...led.flatMap(canistersOf)])) interfaces.set(id, await interfaceOf(id));
  const steps = [];
  for (const call of [...led, root]) steps.push(await stepOf(call, interfaces));
  const ids = [...new Set([...interfaces.keys(), ...mentioned(steps)])];
  return /** @type {Scenario} */ ({ installed: installed(ids, interfaces), steps, omitted });
};

/** @param {{root: any}} props */
export const AsTest = ({ root }) => {
  const [, request, , at = "go"] = path.value;
  const { value, failure } = useLoaded(scenario(root), [root.requestId, root.answered], { live: false });
  if (!isWhole(root) || !root.answered) return html`<p>${root.answered ? "The argument has more than 4 KiB, and the instance does not remember it." : "The call is not answered yet: a test needs its answer."}</p>`;
  if (failure) return html`<${Problem} failure=${failure} />`;
  if (!value) return html`<p role="status" aria-busy="true">The calls that led to this one are being read.</p>`;
  const [, name, write] = tools.find(([tool]) => tool === at) ?? tools[0];
  const text = write(value);
  const led = value.steps.length - 1;
  return html`<h2>As a test</h2><${Tabs} tabs=${tools.map(([tool, title]) => [tool, title])} at=${at} link=${(/** @type {string} */ t) => linkTo(["call", request, "test", t])} label="languages of the test" />
    <p>It installs ${value.installed.map((c) => c.file).join(", ")}${led > 0 ? `, makes the ${led === 1 ? "call" : count(led, "call")} before this one,` : ""} and makes this call. ${value.omitted > 0 ? `${count(value.omitted, "call")} before it ${value.omitted === 1 ? "is" : "are"} left out.` : ""}</p>
    <div class="row"><${Copy} text=${text} label="copy the test" /></div>
    <pre class="whole" tabindex="0" role="region" aria-label=${`the test in ${name}`}>${text}</pre>`;
};
