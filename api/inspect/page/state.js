// The state before and after a call: what differs, and what queries answer. Both are forks of the past, which end with
// the page that made them.
import { rpc, typesOf } from "./api.js";
import { compared } from "./compare.js";
import { count, hexOf } from "./format.js";
import { instance } from "./route.js";
import { nameOf } from "./store.js";
import { html, Party, Problem, useLoaded } from "./ui.js";

/** The most query methods of a canister that are asked. */
const mostQueries = 100;

/**
 * Takes a lease, with which forks end: when it is given back, or when the page is closed.
 * @param {AbortSignal} signal
 * @returns {Promise<{name: string, end: () => void}>}
 */
export const lease = (signal) =>
  new Promise((take, fail) => {
    const source = new EventSource(`/_/inspect/stream/Instances/HoldLease?${new URLSearchParams({ request: "{}" })}`);
    signal.addEventListener("abort", () => source.close());
    source.onmessage = (event) => {
      const { lease: name } = JSON.parse(event.data);
      if (name) take({ name, end: () => source.close() });
    };
    source.onerror = () => {
      source.close();
      fail(new DOMException("the lease of the forks ended", "AbortError"));
    };
  });

/**
 * The canisters of a call and of the calls that it led to.
 * @param {any} root
 * @returns {string[]}
 */
export const canistersOf = (root) => {
  const found = new Set();
  /** @type {(call: any) => void} */
  const walk = (call) => {
    if (call.canisterId.endsWith("-cai")) found.add(call.canisterId);
    for (const e of call.executions) e.calls.forEach(walk);
  };
  walk(root);
  return [...found];
};

/**
 * The query methods of a canister that take no arguments.
 * @param {string} of the instance
 * @param {string} canister
 * @returns {Promise<string[]>} none if its interface is not known
 */
const queriesOf = async (of, canister) => {
  try {
    const { methods } = await typesOf(of, canister);
    return methods.filter((/** @type {any} */ m) => m.query && m.args.length === 0 && !m.name.startsWith("__")).map((/** @type {any} */ m) => m.name).slice(0, mostQueries);
  } catch {
    return [];
  }
};

/**
 * The answer of a query as a text.
 * @param {any} result of a batch
 */
export const answerOf = ({ outcome, failure }) =>
  failure ? failure.message : outcome.reject ? `rejected: ${outcome.reject.text}` : outcome.reply?.text ?? (outcome.reply?.bytes ? `0x${hexOf(outcome.reply.bytes)}` : "no bytes");

/**
 * Asks canisters the same in two states.
 * @param {string[]} canisters
 * @param {string} sender
 * @param {string} before
 * @param {string} after
 */
export const answersOf = async (canisters, sender, before, after) => {
  const asked = [];
  for (const canisterId of canisters) for (const method of await queriesOf(after, canisterId)) asked.push({ canisterId, method });
  if (asked.length === 0) return [];
  const calls = asked.map((q) => ({ query: true, call: { ...q, sender, replyForm: "FORM_TEXT" } }));
  const [a, b] = await Promise.all([before, after].map((of) => rpc("Calls/Batch", { instance: of, calls })));
  return asked.map((q, i) => ({ ...q, before: answerOf(a.results[i]), after: answerOf(b.results[i]) }));
};

/**
 * Compares the states before and after a call.
 * @param {any} root
 */
const states = (root) => async (/** @type {AbortSignal} */ signal) => {
  const held = await lease(signal);
  const fork = async (/** @type {object} */ at) => (await rpc("Instances/ForkInstance", { instance: instance.value, ...at, pacing: { mode: "PACING_MODE_MANUAL" }, lease: held.name, ephemeral: true }, signal)).instance.name;
  try {
    const before = await fork({ beforeRequest: root.requestId });
    const after = await fork(root.answered ? { time: root.ended } : {});
    const diff = await rpc("Instances/Diff", { before: { instance: before }, after: { instance: after } }, signal);
    return { differences: diff.differences, more: Number(diff.more), queries: await answersOf(canistersOf(root), root.caller, before, after) };
  } finally {
    held.end();
  }
};

/**
 * The commands that make and compare the same states.
 * @param {any} root
 */
export const stateCommands = (root) => {
  return [`instance fork before --at ${hexOf(root.requestId).slice(0, 8)}`, `instance fork after${root.answered ? ` --at ${root.ended}` : ""}`, "instance diff before after"];
};

/** @param {{root: any}} props */
export const StateOfCall = ({ root }) => {
  const { value, failure } = useLoaded(states(root), [root.requestId, root.answered], { live: false });
  if (failure) return html`<${NoState} failure=${failure} />`;
  if (!value) return html`<p role="status" aria-busy="true">The states before and after the call are being read.</p>`;
  return html`<p>What changed from before the network accepted the call until ${root.answered ? "it was answered" : "now: it is not answered yet"}. Other messages may have run meanwhile.</p>
    <h2>Answers of queries</h2><${Queries} all=${value.queries} />
    <h2>Differences</h2><${Differences} all=${value.differences} more=${value.more} />`;
};

/**
 * Why there is no state to compare, and what keeps it.
 * @param {{failure: import("./api.js").Failure}} props
 */
const NoState = ({ failure }) => {
  if (failure.reason === "NO_HISTORY") return html`<div class="why"><b>This instance keeps no history:</b> it is in memory only, so the state before the call is gone. <code>canisterd start</code> keeps the network and its history in a state directory, unless it has the flag <code>--ephemeral</code>; other instances are kept too, unless they were made with <code>--ephemeral</code>.</div>`;
  return html`<${Problem} failure=${failure} />${failure.reason === "MOMENT_UNKNOWN" ? html`<p class="soft">The flags <code>--history-age</code>, <code>--history-checkpoints</code> and <code>--history-records</code> of <code>canisterd start</code> say how much history is kept.</p>` : ""}`;
};

/**
 * Marks what another text lacks: struck out what is gone, underlined what is new.
 * @param {import("./compare.js").Part[]} parts
 * @param {"del" | "ins"} mark
 */
const marked = (parts, mark) => parts.map((p) => (p.differs ? html`<${mark}>${p.text}<//>` : p.text));

/**
 * Two texts side by side.
 * @param {{before: string, after: string}} props
 */
export const Sides = ({ before, after }) => {
  const parts = compared(before, after);
  return html`<div class="sides"><div><h4>before</h4><pre tabindex="0" role="region" aria-label="before">${marked(parts.before, "del")}</pre></div>
    <div><h4>after</h4><pre tabindex="0" role="region" aria-label="after">${marked(parts.after, "ins")}</pre></div></div>`;
};

/** @param {{all: {canisterId: string, method: string, before: string, after: string}[], of?: string}} props of: whose queries they are */
export const Queries = ({ all, of = "The canisters of this call" }) => {
  const changed = all.filter((q) => q.before !== q.after);
  const same = all.filter((q) => q.before === q.after);
  if (all.length === 0) return html`<p class="soft">${of} have no query methods without arguments, or their interfaces are not known.</p>`;
  return html`${changed.length === 0 ? html`<p>No query without arguments answers anything else.</p>` : changed.map((q) => html`<section aria-label=${`${nameOf(q.canisterId)}.${q.method}`}><h3 class="name"><${Party} id=${q.canisterId} />.${q.method}</h3><${Sides} before=${q.before} after=${q.after} /></section>`)}
    ${same.length > 0 ? html`<details><summary>${count(same.length, "answer")} stayed the same</summary><dl>${same.map((q) => html`<dt>${nameOf(q.canisterId)}.${q.method}</dt><dd><code>${q.after}</code></dd>`)}</dl></details>` : ""}`;
};

/** @param {{all: any[], more: number}} props */
export const Differences = ({ all, more }) => {
  const ids = [...new Set(all.map((d) => d.canisterId))].filter(Boolean);
  const network = all.filter((d) => !d.canisterId);
  return html`${ids.length === 0 ? html`<p>No canister changed.</p>` : ids.map((id) => html`<section aria-label=${`differences of ${nameOf(id)}`}><h3 class="name"><${Party} id=${id} /></h3><${Table} rows=${all.filter((d) => d.canisterId === id)} /></section>`)}
    ${network.length > 0 ? html`<details><summary>${count(network.length, "difference")} of the network and its subnets</summary><${Table} rows=${network} /></details>` : ""}
    ${more > 0 ? html`<p class="soft">${count(more, "more difference")} are not listed.</p>` : ""}`;
};

/** @param {{rows: any[]}} props */
const Table = ({ rows }) => html`<div class="scroll" tabindex="0" role="region" aria-label="differences"><table class="differences"><thead><tr><th>what</th><th>before</th><th>after</th></tr></thead><tbody>
  ${rows.map((d) => {
    if (d.what.startsWith("content of ")) return html`<tr><td>${d.what}</td><td colspan="2">${d.after}</td></tr>`;
    const parts = compared(d.before, d.after);
    const none = html`<span class="soft">none</span>`;
    return html`<tr><td>${d.what}</td><td>${d.before ? marked(parts.before, "del") : none}</td><td>${d.after ? marked(parts.after, "ins") : none}</td></tr>`;
  })}</tbody></table></div>`;
