// The page Now: what runs, what waits and why.
import { useEffect, useMemo, useState } from "preact/hooks";
import { rpc, valuesOf } from "./api.js";
import { bytesText, count, grouped, hexOf, nanoseconds, quoted, spanText, textOf, timeText } from "./format.js";
import { Lanes } from "./lanes.js";
import { arrange, callKey, waitCycle } from "./picture.js";
import { go, instance, linkTo, parameter } from "./route.js";
import { changes, clock, events, nameOf, touch } from "./store.js";
import { Action, CommandLine, Cycles, Facts, html, Party, Problem, useLoaded } from "./ui.js";

/** The most canisters whose balance and memory lanes show. */
const mostCanisters = 1000;

/**
 * Reads what is in flight.
 * @param {AbortSignal} signal
 */
const inFlight = async (signal) => {
  const of = { instance: instance.value };
  const [futures, held, canisters, timers, contexts] = await Promise.all([
    rpc("Messages/ListFutures", of, signal),
    rpc("Messages/ListHeld", of, signal),
    rpc("Canisters/ListCanisters", { ...of, pageSize: mostCanisters }, signal),
    rpc("Messages/ListTimers", { ...of, page: { size: 20 } }, signal),
    rpc("Messages/ListContexts", of, signal),
  ]);
  return { futures: futures.futures, held: held.held, canisters: canisters.canisters, timers: timers.timers.filter((/** @type {any} */ t) => t.kind === "global timer"), contexts: contexts.contexts };
};

/**
 * Says what a call waits for.
 * @param {any} waiting
 */
export const reasonOf = (waiting) => (waiting.reason === "WAIT_REASON_HELD" && waiting.ruleId !== "0" ? `${waiting.text} by rule ${waiting.ruleId}` : waiting.text);

/**
 * Names an open call in the addresses of this page.
 * @param {any} future
 */
export const waitKey = (future) => `w${future.call.subnetId}/${future.call.callId}`;

/**
 * The waiting messages as blocks: open calls, and users' messages that a rule holds.
 * @param {{futures: any[], held: any[]}} flight
 */
const waitsOf = ({ futures, held }) => [
  ...futures.map((f) => ({
    key: waitKey(f), canister: f.callee, from: f.caller, call: callKey(f.caller, f.call.callId), title: f.method, state: reasonOf(f.waiting),
    label: `${nameOf(f.caller)} waits for ${nameOf(f.callee)}.${f.method}: ${reasonOf(f.waiting)}`,
  })),
  ...held.filter((h) => h.kind === "MESSAGE_KIND_INGRESS").map((h) => ({
    key: `h${h.heldId}`, canister: h.callee, from: h.caller, call: "", title: h.method, state: `held by rule ${h.ruleId}`, label: `a user's message ${nameOf(h.callee)}.${h.method} is held by rule ${h.ruleId}`,
  })),
];

/**
 * Says what happens now, in a sentence.
 * @param {{flight: any, now: bigint}} props
 */
const Sentence = ({ flight, now }) => {
  const cycle = waitCycle(flight.futures);
  const open = flight.futures.length;
  const next = flight.timers[0];
  const due = next && html`the next timer is that of <${Party} id=${next.canisterId} /> in ${spanText(nanoseconds(next.due) - now)}`;
  if (cycle.length > 0) return html`<p class="why bad" role="status"><b>A circle of calls:</b> ${cycle.map((id, i) => html`${i > 0 ? " waits for " : ""}<${Party} id=${id} />`)} waits for <${Party} id=${cycle[0]} />. Only a deadline or a timeout ends it.</p>`;
  if (open === 0 && flight.held.length === 0) return html`<p role="status">Nothing is in flight${due ? html`; ${due}` : ""}.</p>`;
  return html`<p role="status">${count(open, "call")} ${open === 1 ? "is" : "are"} in flight${flight.held.length > 0 ? html`, <span class="waits">${count(flight.held.length, "message")} held</span>` : ""}${due ? html`; ${due}` : ""}.</p>`;
};

export const Now = () => {
  const { value: flight, failure } = useLoaded(inFlight, []);
  const picture = useMemo(() => arrange(events), [changes.value]);
  const selected = parameter("sel");
  const select = (/** @type {string} */ key) => go(linkTo(["now"], { sel: key }), { replace: selected !== "" });
  if (failure) return html`<div class="page"><${Problem} failure=${failure} /></div>`;
  if (!flight) return html`<div class="page" aria-busy="true"></div>`;
  if (picture.lanes.length === 0 && flight.futures.length === 0 && flight.held.length === 0) return html`<${FirstSteps} canisters=${flight.canisters} />`;
  const now = nanoseconds(clock.value?.time);
  const next = flight.timers[0] && { canister: flight.timers[0].canisterId, span: nanoseconds(flight.timers[0].due) - now };
  const canisters = new Map(flight.canisters.map((/** @type {any} */ c) => [c.canisterId, c]));
  const future = flight.futures.find((/** @type {any} */ f) => waitKey(f) === selected);
  const held = flight.held.find((/** @type {any} */ h) => `h${h.heldId}` === selected || (future && h.heldId !== "0" && h.heldId === future.waiting.heldId));
  const block = picture.byKey.get(selected);
  return html`<div class="split"><section aria-label="messages by canister"><${Lanes} picture=${picture} canisters=${canisters} waits=${waitsOf(flight)} now=${now} selected=${selected} select=${select} next=${next} /></section>
    <aside aria-label="selected message" aria-live="polite">
      ${future || held ? html`<${Waiting} future=${future} held=${held} contexts=${flight.contexts} />` : block ? html`<${Ran} block=${block} picture=${picture} />` : html`<h1>Now</h1><${Sentence} flight=${flight} now=${now} /><p class="soft">Select a message to see why it ran or why it waits. <kbd>[</kbd> and <kbd>]</kbd> go to the one before and after.</p>`}
    </aside></div>
    <${CommandLine} args=${future ? `futures ${quoted(nameOf(future.caller))}` : block?.request ? `trace ${block.request.slice(0, 8)}` : "futures"} />`;
};

/**
 * What to do in an instance in which nothing has happened.
 * @param {{canisters: any[]}} props
 */
const FirstSteps = ({ canisters }) => html`<div class="page"><div class="empty"><h1>${canisters.length === 0 ? "No canister yet" : "Nothing has happened yet"}</h1>
  ${canisters.length === 0
    ? html`<p>Deploy the canisters of a directory with a <code>canisterd.yaml</code>, or every Wasm file in it:</p><pre>canisterd${instance.value ? ` -i ${instance.value}` : ""} deploy</pre><p>Any tool for the Internet Computer works too, such as icp-cli: it finds this network at ${location.origin}.</p>`
    : html`<p>Call a method of a canister to see its messages here:</p><ul>${canisters.slice(0, 20).map((c) => html`<li><${Party} id=${c.canisterId} /></li>`)}</ul>`}
  </div></div><${CommandLine} args=${canisters.length === 0 ? "deploy" : "canister list"} />`;

/**
 * A message that ran.
 * @param {{block: import("./picture.js").Block, picture: ReturnType<typeof arrange>}} props
 */
const Ran = ({ block, picture }) => {
  const e = block.event;
  const maker = picture.making.get(block.caused);
  const answered = picture.byCall.get(block.answers);
  return html`<h1><${Party} id=${block.canister} />.${block.title}</h1><p class="soft">${e.entry || e.source || "installation"} in round ${grouped(block.height)}</p>
    ${e.reject ? html`<div class="why bad"><b>${e.entry ? "It trapped because" : "It was rejected because"}</b> ${e.reject.text}</div>` : html`<div class="why ok">It ran to its end.</div>`}
    <div class="row">${block.request ? html`<a href=${linkTo(["call", block.request])}>Show the whole call</a>` : ""}${block.caused ? html`<${HoldFromNow} callee=${block.canister} method=${e.method} />` : ""}</div>
    ${e.reject && e.text ? html`<h3>Backtrace</h3><pre>${e.text}</pre>` : ""}
    <h3>Message</h3><${Facts} rows=${[
      ["time", timeText(e.time)],
      ["user", e.origin === "ingress" && html`<${Party} id=${e.originCaller} />`],
      ["called by", maker && html`<a href=${linkTo(["now"], { sel: maker.key })}>${nameOf(maker.canister)}.${maker.title}</a>`],
      ["answer of", answered && html`<a href=${linkTo(["now"], { sel: answered.key })}>${nameOf(answered.canister)}.${answered.title}</a>`],
      ["instructions", grouped(e.instructions ?? 0)],
      ["cycles", e.cycles && html`<${Cycles} amount=${e.cycles} />`],
      ["pages written", e.dirtyPages && grouped(e.dirtyPages)],
      ["memory", bytesText(Number(e.heapBytes ?? 0) + Number(e.stableBytes ?? 0))],
      ["log lines", e.logs && html`<a href=${linkTo(["canister", block.canister, "logs"])}>${e.logs}</a>`],
    ]} />`;
};

/**
 * A message that waits, and what can be done about it.
 * @param {{future: any, held: any, contexts: any[]}} props
 */
const Waiting = ({ future, held, contexts }) => {
  const callee = future?.callee ?? held.callee;
  const caller = future?.caller ?? held.caller;
  const method = future?.method ?? held.method;
  const context = future && contexts.find((/** @type {any} */ c) => c.subnetId === future.call.subnetId && c.contextId === future.contextId);
  const of = { instance: instance.value };
  return html`<h1><${Party} id=${callee} />.${method}</h1><p class="soft">${future ? html`call ${future.call.callId} of <${Party} id=${caller} />` : html`a message of the user <${Party} id=${caller} />`}</p>
    <div class=${`why ${future?.deadlocked ? "bad" : ""}`}><b>It waits because</b> ${future ? reasonOf(future.waiting) : `rule ${held.ruleId} holds it`}.${future?.deadlocked ? " The caller and the callee wait for each other: only a deadline or a timeout ends this." : ""}</div>
    ${held ? html`<${HeldActions} held=${held} of=${of} />` : ""}
    ${future && !held ? html`<div class="row"><${HoldFromNow} callee=${callee} method=${method} /></div>` : ""}
    ${held ? html`<h3>${held.kind === "MESSAGE_KIND_RESPONSE" ? "Answer" : "Argument"}</h3><${Content} held=${held} canister=${held.callee} method=${method} />` : ""}
    <h3>Call</h3><${Facts} rows=${[
      ["from", html`<${Party} id=${caller} />${context?.method ? `.${context.method}` : ""}`],
      ["cycles", future && html`<${Cycles} amount=${future.cyclesAttached} /> sent, <${Cycles} amount=${future.cyclesPrepaid} /> prepaid`],
      ["deadline", (future ?? held).deadline ? timeText((future ?? held).deadline) : "none: the response is guaranteed"],
      ["so far", context && `${grouped(context.instructions)} instructions`],
      ["held since", held && timeText(held.since)],
      ["rule", held && held.ruleId],
    ]} />`;
};

/**
 * Makes a rule that holds the calls of a method.
 * @param {{callee: string, method: string}} props
 */
const HoldFromNow = ({ callee, method }) => {
  const [made, set] = useState("");
  const hold = async () => {
    const { rule } = await rpc("Messages/AddRule", { instance: instance.value, rule: { match: { callee, method }, hold: true, note: "made in the inspector" } });
    set(rule.ruleId);
    touch();
  };
  return made ? html`<span class="waits" role="status">rule ${made} holds ${nameOf(callee)}.${method} from now on</span>` : html`<${Action} act=${hold}>Hold this from now on<//>`;
};

/**
 * The buttons for a held message.
 * @param {{held: any, of: {instance: string}, tell?: (command: string) => void}} props tell: the command that does what is being written
 */
export const HeldActions = ({ held, of, tell = () => {} }) => {
  const [writing, write] = useState("");
  const [text, setText] = useState("");
  const which = { ...of, heldId: held.heldId };
  const told = writing && `settle --held ${held.heldId} ${writing} ${quoted(text || (writing === "reply" ? "()" : ""))}`;
  useEffect(() => tell(told), [told]);
  const done = () => {
    write("");
    touch();
  };
  const best = held.deadline !== undefined && held.deadline !== null;
  const settle = () => rpc("Messages/Settle", { ...which, answer: writing === "reply" ? { reply: { text: text || "()" } } : { reject: { code: "REJECT_CODE_CANISTER_REJECT", text } } }).then(done);
  return html`<div class="row"><${Action} kind="main" act=${() => rpc("Messages/Release", which).then(done)}>Release<//>
      ${held.kind !== "MESSAGE_KIND_INGRESS" ? html`<button type="button" onClick=${() => write("reply")}>Answer…</button>` : ""}<button type="button" onClick=${() => write("reject")}>Reject…</button>
      ${best ? html`<${Action} kind="bad" confirm="The message is lost, and its caller gets SYS_UNKNOWN. Drop it?" act=${() => rpc("Messages/Drop", which).then(done)}>Drop<//>` : ""}
      <${Action} act=${() => rpc("Messages/AddRule", { ...of, rule: { match: { kind: held.kind, callee: held.callee, method: held.method }, hold: true, note: "made in the inspector" } }).then(done)}>Always hold this<//></div>
    ${writing ? html`<div class="row"><label style="flex:1 1 100%">${writing === "reply" ? "The reply in Candid's text form" : "The text of the reject"}<textarea value=${text} onInput=${(/** @type {any} */ e) => setText(e.target.value)}></textarea></label><${Action} kind="main" act=${settle}>${writing === "reply" ? "Answer" : "Reject"}<//><button type="button" onClick=${() => write("")}>Cancel</button></div>` : ""}`;
};

/**
 * The argument or the answer of a held message; bytes that are not Candid are shown as such.
 * @param {{held: any, canister: string, method: string}} props
 */
export const Content = ({ held, canister, method }) => {
  const reply = held.kind === "MESSAGE_KIND_RESPONSE";
  const bytes = (reply ? held.reply : held.argument) ?? "";
  const { value } = useLoaded(() => valuesOf({ instance: instance.value, canister, method, reply, bytes }), [held.heldId], { live: false });
  if (held.reject) return html`<pre>${held.reject.text}</pre>`;
  return html`<pre>${value?.text ?? (bytes.startsWith("RElETA") ? `0x${hexOf(bytes)}` : textOf(bytes) || "no bytes")}</pre>`;
};


