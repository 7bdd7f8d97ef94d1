// The page of one call: its tree across canisters, as a tree, a sequence and a timeline.
import { useState } from "preact/hooks";
import { rpc } from "./api.js";
import { base64, count, grouped, hexOf, nanoseconds, quoted, spanText, timeText } from "./format.js";
import { go, instance, linkTo, path } from "./route.js";
import { isWhole, messageOf } from "./message.js";
import { StateOfCall, stateCommands } from "./state.js";
import { names, nameOf, touch } from "./store.js";
import { Action, CommandLine, Copy, Cycles, html, Icon, later, Party, Problem, Tabs, useLoaded } from "./ui.js";

const AsTest = later(() => import("./astest.js").then((m) => m.AsTest));

/** The most instructions of an update or a callback (the specification's limit for one message). */
const messageLimit = 40_000_000_000;

/** The most messages of a call that are drawn, and how deep they are: a picture of more is slow, and nobody reads it. */
const mostMessages = 2000;
const deepestCalls = 100;

/**
 * Returns the part of a call tree that is drawn.
 * @param {any} root
 * @returns {{root: any, cut: boolean}} cut: it is not all of the tree
 */
const drawnPart = (root) => {
  let left = mostMessages;
  let cut = false;
  /** @type {<T>(all: T[]) => T[]} */
  const take = (all) => {
    const some = all.slice(0, Math.max(0, left));
    left -= some.length;
    cut ||= some.length < all.length;
    return some;
  };
  /** @type {(call: any, depth: number) => any} */
  const part = (call, depth) => {
    cut ||= depth > deepestCalls && call.executions.length > 0;
    const executions = depth > deepestCalls ? [] : take(call.executions);
    return { ...call, executions: executions.map((/** @type {any} */ e) => ({ ...e, calls: take(e.calls).map((c) => part(c, depth + 1)) })) };
  };
  return { root: part(root, 0), cut };
};

/** @param {string} hex */
const base64OfHex = (hex) => base64(Uint8Array.from(hex.match(/../g) ?? [], (b) => parseInt(b, 16)));

/**
 * Reads a call tree.
 * @param {string} request hexadecimal digits
 * @param {string} form
 */
const traceOf = (request, form) => (/** @type {AbortSignal} */ signal) =>
  rpc("Events/GetTrace", {
    instance: instance.value, names: names.value.canisters, includeBytes: true, ...(form && { form }),
    ...(request.length === 64 ? { requestId: base64OfHex(request) } : { requestPrefix: request }),
  }, signal);

export const Call = () => {
  const [, request = "", tab = "tree"] = path.value;
  const { value: trace, failure } = useLoaded(traceOf(request, tab === "sequence" ? "TRACE_FORM_MERMAID" : "TRACE_FORM_TEXT"), [request, tab === "sequence"]);
  if (failure) return html`<div class="page"><h1>Call ${request.slice(0, 8)}</h1><${Problem} failure=${failure} /><p class="soft">The instance remembers about its last 16,384 events. The journal of an instance that is kept has older messages: <code>canisterd replay --traces 10</code></p></div>`;
  if (!trace) return html`<div class="page" aria-busy="true"></div>`;
  const { root, cut } = drawnPart(trace.root);
  const tabs = /** @type {[string, string][]} */ ([["tree", "Tree"], ["sequence", "Sequence"], ["timeline", "Timeline"], ["state", "State"], ["text", "Text"]]);
  return html`<div class="page"><h1><${Party} id=${root.canisterId} />.${root.method}</h1>
    <p class="soft">request ${request.slice(0, 8)}, by <${Party} id=${root.caller} />, ${timeText(root.begun)}${trace.complete ? "" : ". A part of it is still in progress or no longer remembered."}</p>
    <${Outcome} call=${root} />
    <${Again} root=${root} />
    <${Tabs} tabs=${tabs} at=${tab} link=${(/** @type {string} */ t) => linkTo(["call", request, t])} label="views of the call" />
    ${cut && tab !== "text" && tab !== "state" && tab !== "test" ? html`<p class="soft" role="status">At most ${grouped(mostMessages)} messages are drawn, ${deepestCalls} calls deep: Text has them all.</p>` : ""}
    ${tab === "timeline" ? html`<${Timeline} root=${root} />` : tab === "state" ? html`<${StateOfCall} root=${root} />` : tab === "test" ? html`<${AsTest} root=${root} />` : tab === "text" ? html`<pre style="max-height:none">${trace.rendered}</pre>` : tab === "sequence" ? html`<${Sequence} root=${root} mermaid=${trace.rendered} />` : html`<ul class="tree"><${Node} call=${root} /></ul>`}
  </div>${tab === "test" ? html`<${SameCall} root=${root} />` : html`<${CommandLine} args=${tab === "state" ? stateCommands(root) : `trace ${request.slice(0, 8)}${tab === "sequence" ? " --form mermaid" : ""}`} />`}`;
};

/**
 * The command line that makes the call.
 * @param {{root: any}} props
 */
const SameCall = ({ root }) => {
  const { value: argument } = useLoaded(() => messageOf(root, false), [root.requestId], { live: false });
  return argument ? html`<${CommandLine} args=${callCommand(root, argument)} />` : null;
};

/**
 * How a call ended, in a sentence.
 * @param {{call: any}} props
 */
const Outcome = ({ call }) => {
  if (!call.answered) return html`<div class="why"><b>It is not answered yet.</b></div>`;
  if (call.reject) return html`<div class="why bad"><b>It was rejected because</b> ${call.reject.text} <code>${call.reject.errorCode}</code><${Backtrace} frames=${call.reject.backtrace} /></div>`;
  return html`<div class="why ok">It replied <code>${call.reply || "with bytes that are not Candid"}</code>${call.begun && call.ended ? ` after ${spanText(nanoseconds(call.ended) - nanoseconds(call.begun))} of the network's time` : ""}.</div>`;
};

/** @param {{frames: any[]}} props */
const Backtrace = ({ frames }) => (frames?.length > 0 ? html`<pre>${frames.map((f) => `${nameOf(f.canisterId)}  ${f.function}${f.file ? `  ${f.file}:${f.line}` : ""}`).join("\n")}</pre>` : null);

/**
 * Makes the call again, here or on a fork.
 * @param {{root: any}} props
 */
const Again = ({ root }) => {
  const { value: argument } = useLoaded(() => messageOf(root, false), [root.requestId], { live: false });
  if (root.source !== "ingress" || !isWhole(root)) return null;
  const call = { canisterId: root.canisterId, method: root.method, argument: { bytes: root.argumentBytes }, sender: root.caller };
  const submit = async (/** @type {string} */ on) => {
    const submitted = await rpc("Calls/Submit", { instance: on, call });
    touch();
    if (submitted.requestId) go(linkTo(["call", hexOf(submitted.requestId)], { i: on }));
  };
  const fork = async () => {
    const made = await rpc("Instances/ForkInstance", { instance: instance.value });
    await submit(made.instance.name);
  };
  const explore = async () => {
    const { forkToExplore } = await import("./exploration.js");
    go(await forkToExplore({ canister: root.canisterId, method: root.method, argument: argument?.text ?? "", ...(root.caller !== "2vxsx-fae" && { as: root.caller }) }, root.requestId));
  };
  return html`<div class="row"><${Action} act=${() => submit(instance.value)}>Again<//>
    <${Action} act=${fork}>Again on a fork<//>${argument?.text ? html`<${Action} act=${explore}>Explore from before it<//>` : ""}<a href=${linkTo(["call", hexOf(root.requestId), "test", "go"])}>As a test</a>
    ${argument?.text ? html`<a href=${linkTo(["canister", root.canisterId, "methods"], { method: root.method, args: argument.text })}>Again with edits</a>` : ""}${argument ? html`<${Copy} text=${`canisterd${instance.value ? ` -i ${quoted(instance.value)}` : ""} ${callCommand(root, argument)}`} label="copy as a command" />` : ""}</div>`;
};

/**
 * The command that makes a call again.
 * @param {any} root
 * @param {import("./test_of.js").Message} argument
 */
const callCommand = (root, argument) => {
  const name = nameOf(root.canisterId).includes("…") ? root.canisterId : nameOf(root.canisterId);
  return `canister call ${quoted(name)} ${quoted(root.method)} ${argument.text ? quoted(argument.text) : `--hex ${argument.hex}`}${root.caller === "2vxsx-fae" ? "" : ` --as ${quoted(names.value.canisters[root.caller] ?? root.caller)}`}`;
};

/**
 * A call with its executions and the calls that they made.
 * @param {{call: any}} props
 */
const Node = ({ call }) => {
  const [open, set] = useState(true);
  const inner = call.executions.length > 0 || call.notes.length > 0;
  return html`<li><div class="head">${inner ? html`<button type="button" class="copy" aria-expanded=${open} aria-label=${`${open ? "fold" : "unfold"} ${call.method}`} onClick=${() => set(!open)}>${open ? "▾" : "▸"}</button>` : ""}
      <b><${Party} id=${call.canisterId} />.${call.method}</b><code>${call.argument}</code>${call.reentrant ? html`<span class="waits">re-entrant</span>` : ""}
      ${call.answered ? (call.reject ? html`<span class="bad"><${Icon} name="trap" /> ${call.reject.text}</span>` : html`<span class="ok"><${Icon} name="reply" /> ${call.reply || "replied"}</span>`) : html`<span class="waits"><${Icon} name="wait" /> not answered</span>`}</div>
    ${open && inner ? html`<ul>${call.notes.map((/** @type {string} */ n) => html`<li class="waits">${n}</li>`)}${call.executions.map((/** @type {any} */ e) => html`<${Execution} of=${e} />`)}${call.missing.map((/** @type {string} */ m) => html`<li class="soft">${m}</li>`)}</ul>` : ""}</li>`;
};

/** @param {{of: any}} props */
const Execution = ({ of }) => {
  const share = (Number(of.instructions) / messageLimit) * 100;
  return html`<li><div class="head"><span class=${of.trap ? "bad" : ""}>${of.entry}${of.answersCall !== "0" ? ` of call ${of.answersCall}` : ""}</span>
      <span class="soft">round ${grouped(of.height)}</span><span class="soft number" title=${`${share.toPrecision(2)} % of the limit of a message`}>${grouped(of.instructions)} instructions</span>
      ${of.cycles ? html`<span class="soft"><${Cycles} amount=${of.cycles} /> cycles</span>` : ""}</div>
    ${of.trap ? html`<div class="problem"><p>${of.trap.text}</p><${Backtrace} frames=${of.trap.backtrace} /></div>` : ""}
    ${of.logs.length > 0 ? html`<pre>${of.logs.join("\n")}</pre>` : ""}
    ${of.calls.length > 0 ? html`<ul>${of.calls.map((/** @type {any} */ c) => html`<${Node} call=${c} />`)}</ul>` : ""}</li>`;
};

/**
 * The steps of a tree in order: calls and answers between parties.
 * @param {any} root
 */
const stepsOf = (root) => {
  /** @type {{at: bigint, from: string, to: string, text: string, kind: string}[]} */
  const steps = [];
  /** @type {(call: any) => void} */
  const walk = (call) => {
    steps.push({ at: nanoseconds(call.begun), from: call.caller, to: call.canisterId, text: `${call.method}${call.argument}`, kind: "" });
    for (const e of call.executions) for (const c of e.calls) walk(c);
    if (call.answered) steps.push({ at: nanoseconds(call.ended), from: call.canisterId, to: call.caller, text: call.reject ? call.reject.text : call.reply || "reply", kind: call.reject ? "bad" : "ok" });
  };
  walk(root);
  return steps.map((s, i) => ({ s, i })).sort((a, b) => (a.s.at < b.s.at ? -1 : a.s.at > b.s.at ? 1 : a.i - b.i)).map(({ s }) => s);
};

const partyWidth = 190;

/**
 * A sequence diagram: time runs down.
 * @param {{root: any, mermaid: string}} props
 */
const Sequence = ({ root, mermaid }) => {
  const steps = stepsOf(root);
  const parties = [...new Set(steps.flatMap((s) => [s.from, s.to]))];
  const x = (/** @type {string} */ id) => parties.indexOf(id) * partyWidth + partyWidth / 2;
  const height = steps.length * 40 + 60;
  return html`<div class="scroll"><svg class="lanes" width=${parties.length * partyWidth} height=${height} role="img" aria-label=${`${count(steps.length, "message")} between ${parties.map((p) => nameOf(p) || "the system").join(", ")}`}>
    <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8z" fill="var(--edge)" /></marker></defs>
    ${parties.map((p) => html`<text x=${x(p)} y="18" text-anchor="middle" style="font-weight:600">${nameOf(p) || "system"}</text><line class="rule" x1=${x(p)} x2=${x(p)} y1="28" y2=${height} />`)}
    ${steps.map((s, i) => {
      const y = 62 + i * 40;
      const self = s.from === s.to;
      const middle = self ? x(s.from) + 12 : (x(s.from) + x(s.to)) / 2;
      const text = s.text.length > 60 ? `${s.text.slice(0, 59)}…` : s.text;
      return html`<path class=${`arrow ${s.kind === "bad" ? "waits" : ""}`} d=${self ? `M${x(s.from)} ${y} h24 v12 h-20` : `M${x(s.from)} ${y} L${x(s.to)} ${y}`} marker-end="url(#tip)" stroke-dasharray=${s.kind ? "5 3" : undefined} />
        <text x=${middle} y=${y - 6} text-anchor=${self ? "start" : "middle"} class=${s.kind === "bad" ? "bad" : ""}>${s.kind === "bad" ? "✕ " : ""}${text}</text>`;
    })}</svg></div><div class="row"><${Copy} text=${mermaid} label="copy as a Mermaid diagram" /></div>`;
};

/**
 * A timeline: one bar for each execution, by rounds.
 * @param {{root: any}} props
 */
const Timeline = ({ root }) => {
  /** @type {{canister: string, method: string, e: any, depth: number}[]} */
  const bars = [];
  /** @type {(call: any, depth: number) => void} */
  const walk = (call, depth) => {
    for (const e of call.executions) {
      bars.push({ canister: call.canisterId, method: call.method, e, depth });
      for (const c of e.calls) walk(c, depth + 1);
    }
  };
  walk(root, 0);
  const total = bars.reduce((sum, b) => sum + Number(b.e.instructions), 0) || 1;
  return html`<div class="scroll"><table><thead><tr><th>message</th><th class="number">round</th><th>time</th><th class="number">instructions</th><th style="width:30%">share</th></tr></thead><tbody>
    ${bars.map((b) => html`<tr><td style=${`padding-left:${b.depth * 16}px`}><${Party} id=${b.canister} />.${b.method} <span class=${b.e.trap ? "bad" : "soft"}>${b.e.entry}${b.e.trap ? ": trapped" : ""}</span></td><td class="number">${grouped(b.e.height)}</td><td class="number">${timeText(b.e.time)}</td><td class="number">${grouped(b.e.instructions)}</td>
      <td><meter min="0" max=${total} value=${Number(b.e.instructions)} style="width:100%" aria-label="share of the instructions of this call">${((Number(b.e.instructions) / total) * 100).toFixed(1)} %</meter></td></tr>`)}
  </tbody></table></div>`;
};

/** The most calls that are listed. */
const mostCalls = 1000;

/** The list of the last calls of users. */
export const Calls = () => {
  const { value, failure } = useLoaded((signal) => rpc("Events/GetTrace", { instance: instance.value, since: "1970-01-01T00:00:00Z", names: names.value.canisters }, signal), []);
  if (failure) return html`<div class="page"><h1>Calls</h1><p>No call is remembered.</p><p class="soft">${failure.message}</p></div><${CommandLine} args="trace --since 1h" />`;
  if (!value) return html`<div class="page" aria-busy="true"></div>`;
  return html`<div class="page"><h1>Calls</h1><p>${count(value.calls.length, "call")} of users, the newest first${value.calls.length > mostCalls ? html`; ${grouped(mostCalls)} are listed` : ""}.</p><div class="scroll"><table><thead><tr><th>call</th><th>user</th><th>time</th><th>answer</th></tr></thead><tbody>
    ${value.calls.slice(-mostCalls).reverse().map((/** @type {any} */ c) => html`<tr><td><a href=${linkTo(["call", hexOf(c.requestId)])}>${nameOf(c.canisterId)}.${c.method}</a> <code>${c.argument}</code></td><td><${Party} id=${c.caller} /></td><td class="number">${timeText(c.begun)}</td>
      <td>${c.answered ? (c.reject ? html`<span class="bad">✕ ${c.reject.text}</span>` : html`<code>${c.reply}</code>`) : html`<span class="waits">waits</span>`}</td></tr>`)}
  </tbody></table></div></div><${CommandLine} args="trace --since 1h" />`;
};


