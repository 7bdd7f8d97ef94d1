// The queues of a canister: what waits for it, what it waits for, and the calls that it is answering.
import { rpc } from "./api.js";
import { count, grouped, hexOf, timeText } from "./format.js";
import { reasonOf, waitKey } from "./now.js";
import { instance, linkTo } from "./route.js";
import { Cycles, html, Party, Problem, useLoaded } from "./ui.js";

/** The most rows of a list. */
const page = { size: 1000 };

/**
 * Reads what concerns a canister.
 * @param {string} canisterId
 */
const queuesOf = (canisterId) => async (/** @type {AbortSignal} */ signal) => {
  const of = { instance: instance.value, page };
  const [queued, all, held, contexts] = await Promise.all([
    rpc("Messages/ListMessages", { ...of, canisterId }, signal),
    rpc("Messages/ListFutures", of, signal),
    rpc("Messages/ListHeld", of, signal),
    rpc("Messages/ListContexts", { ...of, canisterId }, signal),
  ]);
  return {
    queued: queued.messages, contexts: contexts.contexts,
    from: all.futures.filter((/** @type {any} */ f) => f.callee === canisterId),
    to: all.futures.filter((/** @type {any} */ f) => f.caller === canisterId),
    held: held.held.filter((/** @type {any} */ h) => h.kind === "MESSAGE_KIND_INGRESS" && h.callee === canisterId),
  };
};

/** @param {{canister: any}} props */
export const Queues = ({ canister: c }) => {
  const { value: q, failure } = useLoaded(queuesOf(c.canisterId), [c.canisterId]);
  if (failure) return html`<${Problem} failure=${failure} />`;
  if (!q) return html`<div aria-busy="true"></div>`;
  const users = q.contexts.filter((/** @type {any} */ c) => c.origin?.requestId && !c.responded).length;
  const waits = q.from.length + q.held.length + users;
  return html`<p role="status">${waits === 0 ? "No call waits for it" : `${count(waits, "call")} ${waits === 1 ? "waits" : "wait"} for it`}; ${q.to.length === 0 ? "it waits for nothing" : `it waits for ${count(q.to.length, "call")}`}${q.queued.length > 0 ? `; ${count(q.queued.length, "message")} ${q.queued.length === 1 ? "is" : "are"} in its queue` : ""}.</p>
    <h2>What waits for it</h2><${Calls} of=${q.from} party="caller" empty="No canister waits for it." />${q.held.length > 0 ? html`<${HeldCalls} of=${q.held} />` : ""}
    <h2>What it waits for</h2><${Calls} of=${q.to} party="callee" empty="It has no open calls." />
    <h2>Its queue</h2><${Queue} of=${q.queued} />
    <h2>Calls that it is answering</h2><${Contexts} of=${q.contexts} />`;
};

/**
 * A table of which only the rows differ.
 * @param {{label: string, heads: string[], children?: any}} props heads: those of numbers begin with #
 */
const Table = ({ label, heads, children }) => html`<div class="scroll" tabindex="0" role="region" aria-label=${label}><table><thead><tr>${heads.map((h) => html`<th class=${h.startsWith("#") ? "number" : ""}>${h.replace("#", "")}</th>`)}</tr></thead><tbody>${children}</tbody></table></div>`;

/**
 * Open calls, each of which leads to the page Now, where it can be released, answered or held.
 * @param {{of: any[], party: "caller" | "callee", empty: string}} props
 */
const Calls = ({ of, party, empty }) =>
  of.length === 0 ? html`<p class="soft">${empty}</p>` : html`<${Table} label=${party === "caller" ? "calls of it" : "calls that it made"} heads=${[party, "method", "waits because", "#cycles", "deadline"]}>
    ${of.map((f) => html`<tr><td><${Party} id=${f[party]} /></td><td><a href=${linkTo(["now"], { sel: waitKey(f) })}>${f.method}</a></td><td class=${f.deadlocked ? "bad" : "waits"}>${reasonOf(f.waiting)}${f.deadlocked ? ": each waits for the other" : ""}</td><td class="number"><${Cycles} amount=${f.cyclesAttached} /></td><td><span class="number">${f.deadline ? timeText(f.deadline) : "none"}</span></td></tr>`)}<//>`;

/** @param {{of: any[]}} props */
const HeldCalls = ({ of }) => html`<${Table} label="held calls of users" heads=${["user", "method", "waits because", "since"]}>
  ${of.map((h) => html`<tr><td><${Party} id=${h.caller} /></td><td><a href=${linkTo(["now"], { sel: `h${h.heldId}` })}>${h.method}</a></td><td class="waits">held by rule ${h.ruleId}</td><td><span class="number">${timeText(h.since)}</span></td></tr>`)}<//>`;

/** @param {{of: any[]}} props */
const Queue = ({ of }) =>
  of.length === 0 ? html`<p class="soft">It is empty.</p>` : html`<${Table} label="messages in its queue" heads=${["#place", "kind", "from", "method", "#bytes", "waits because"]}>
    ${of.map((m) => html`<tr><td class="number">${m.position + 1}</td><td>${m.kind}</td><td><${Party} id=${m.sender} /></td><td>${m.requestId ? html`<a href=${linkTo(["call", hexOf(m.requestId)])}>${m.method}</a>` : m.method}</td><td class="number">${grouped(m.payloadBytes)}</td><td class="waits">${reasonOf(m.waiting)}</td></tr>`)}<//>`;

/** @param {{of: any[]}} props */
const Contexts = ({ of }) =>
  of.length === 0 ? html`<p class="soft">It is answering none.</p>` : html`<${Table} label="calls that it is answering" heads=${["caller", "method", "since", "#its open calls", "#instructions so far"]}>
    ${of.map((c) => html`<tr><td>${c.origin?.sender ? html`<${Party} id=${c.origin.sender} />` : c.origin?.task || "the system"}</td><td>${c.origin?.requestId ? html`<a href=${linkTo(["call", hexOf(c.origin.requestId)])}>${c.method || "a call"}</a>` : c.method}${c.responded ? html` <span class="soft">answered, waits for its own calls</span>` : ""}${c.deadlocked ? html` <span class="bad">waits for itself</span>` : ""}</td><td><span class="number">${timeText(c.opened)}</span></td><td class="number">${c.outstanding}</td><td class="number">${grouped(c.instructions)}</td></tr>`)}<//>`;

/**
 * The commands that show the same.
 * @param {string} canister its name for a shell
 */
export const queueCommands = (canister) => [`queues ${canister}`, `futures ${canister}`, `contexts ${canister}`];
