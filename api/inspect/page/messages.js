// The page Messages: what waits for a person, and the rules by which it waits.
import { useState } from "preact/hooks";
import { rpc } from "./api.js";
import { count, grouped, hexOf, quoted, shortId, timeText } from "./format.js";
import { Content, HeldActions } from "./now.js";
import { go, instance, linkTo, parameter } from "./route.js";
import { NewRule, Rule, actionText, matchText, newRuleCommand } from "./rules.js";
import { Outcall, outcallCommand } from "./outcall.js";
import { useSteps } from "./steps.js";
import { about, clock, names, touch } from "./store.js";
import { Action, CommandLine, Cycles, Facts, html, Id, Party, Problem, useLoaded } from "./ui.js";

/** The most entries of a list on the page. */
const mostListed = 200;

/**
 * Reads what waits, and the rules.
 * @param {AbortSignal} signal
 */
const inbox = async (signal) => {
  const of = { instance: instance.value, page: { size: mostListed } };
  const [held, outcalls, rules] = await Promise.all([rpc("Messages/ListHeld", of, signal), rpc("Messages/ListOutcalls", of, signal), rpc("Messages/ListRules", of, signal)]);
  return { held: held.held, outcalls: outcalls.outcalls, rules: rules.rules, moreHeld: held.nextPageToken !== "", moreOutcalls: outcalls.nextPageToken !== "", moreRules: rules.nextPageToken !== "" };
};

/** The keys of entries in the address of the page. */
const heldKey = (/** @type {any} */ h) => `h${h.heldId}`;
const outcallKey = (/** @type {any} */ o) => `o${o.subnetId}/${o.number}`;
const ruleKey = (/** @type {any} */ r) => `r${r.ruleId}`;
const newRule = "new";

/** What a held message is, in a word. */
const kindWord = /** @type {Record<string, string>} */ ({ MESSAGE_KIND_REQUEST: "call", MESSAGE_KIND_RESPONSE: "answer", MESSAGE_KIND_INGRESS: "user's message" });

export const Messages = () => {
  const { value: all, failure } = useLoaded(inbox, []);
  const [written, write] = useState("");
  const selected = parameter("sel");
  const select = (/** @type {string} */ key) => {
    write("");
    go(linkTo(["messages"], { sel: key }), { replace: selected !== "" });
  };
  const keys = all ? [...all.held.map(heldKey), ...all.outcalls.map(outcallKey), ...all.rules.map(ruleKey)] : [];
  useSteps(keys, selected, select);
  if (failure) return html`<div class="page"><h1>Messages</h1><${Problem} failure=${failure} /></div>`;
  if (!all) return html`<div class="page" aria-busy="true"></div>`;
  const held = all.held.find((/** @type {any} */ h) => heldKey(h) === selected);
  const outcall = all.outcalls.find((/** @type {any} */ o) => outcallKey(o) === selected);
  const rule = all.rules.find((/** @type {any} */ r) => ruleKey(r) === selected);
  const same = all.outcalls.filter((/** @type {any} */ o) => o.number === outcall?.number).length;
  const command = selected === newRule ? newRuleCommand() : written || (held ? `release ${held.heldId}` : outcall ? outcallCommand(outcall, same > 1) : rule ? `rule remove ${rule.ruleId}` : "");
  return html`<div class="split"><section class="inbox" aria-label="what waits for you"><h1>Messages</h1><${Sentence} all=${all} />
      <${Held} of=${all.held} more=${all.moreHeld} selected=${selected} /><${Outcalls} of=${all.outcalls} more=${all.moreOutcalls} selected=${selected} /><${Rules} of=${all.rules} more=${all.moreRules} selected=${selected} /></section>
    <aside aria-label="selected entry">${selected === newRule ? html`<${NewRule} added=${(/** @type {string} */ id) => select(`r${id}`)} />`
      : held ? html`<${HeldMessage} key=${selected} held=${held} tell=${write} />`
      : outcall ? html`<${Outcall} key=${selected} outcall=${outcall} named=${same > 1} tell=${write} />`
      : rule ? html`<${Rule} key=${selected} rule=${rule} tell=${write} removed=${() => select("")} />`
      : html`<${Nothing} selected=${selected} />`}</aside></div>
    <${CommandLine} args=${command || ["held", "outcalls list", "rule list"]} />`;
};

/**
 * What waits, in a sentence.
 * @param {{all: any}} props
 */
const Sentence = ({ all }) => {
  const census = about.value?.census ?? {};
  const parts = [[Number(census.heldMessages ?? all.held.length), "held message"], [Number(census.outcalls ?? all.outcalls.length), "HTTP outcall"]].filter(([n]) => Number(n) > 0);
  const total = parts.reduce((sum, [n]) => sum + Number(n), 0);
  return html`<p role="status">${total === 0 ? "Nothing waits for you." : html`<span class="waits">${parts.map(([n, what]) => count(Number(n), String(what))).join(" and ")}</span> ${total === 1 ? "waits" : "wait"} for you.`}</p>`;
};

/**
 * @param {{selected: string}} props
 */
const Nothing = ({ selected }) => html`<p class="soft">${selected === "" ? "Select an entry to answer it by hand." : selected.startsWith("r") ? "There is no such rule any more." : "It waits no more: it was answered, released or dropped, or its deadline has passed."} <kbd>[</kbd> and <kbd>]</kbd> go to the one before and after.</p>`;

/**
 * A table whose rows are selected by a link.
 * @param {{label: string, heads: string[], children?: any}} props heads: those of numbers begin with #
 */
const Table = ({ label, heads, children }) => html`<div class="scroll" tabindex="0" role="region" aria-label=${label}><table><thead><tr>${heads.map((h) => html`<th class=${h.startsWith("#") ? "number" : ""}>${h.replace("#", "")}</th>`)}</tr></thead><tbody>${children}</tbody></table></div>`;

/**
 * A link that selects an entry.
 * @param {{to: string, selected: string, children?: any}} props
 */
const Select = ({ to, selected, children }) => html`<a href=${linkTo(["messages"], { sel: to })} aria-current=${to === selected ? "true" : undefined}>${children}</a>`;

/** @param {{more: boolean, command: string}} props */
const More = ({ more, command }) => (more ? html`<p class="soft">The page lists ${grouped(mostListed)}; <code>${command}</code> lists all.</p>` : null);

/** The canister that examples are about: the first name. */
const example = () => Object.values(names.value.canisters).sort()[0] ?? "CANISTER";

/** @param {{of: any[], more: boolean, selected: string}} props */
const Held = ({ of, more, selected }) => html`<h2>Held messages</h2>
  ${of.length === 0 ? html`<p>Nothing is held. A rule holds messages until you release, answer or drop them:</p><pre>canisterd${instance.value ? ` -i ${quoted(instance.value)}` : ""} rule add hold --callee ${quoted(example())}</pre><p class="soft">or <a href=${linkTo(["messages"], { sel: newRule, do: "hold" })}>add a rule here</a>.</p>`
    : html`<${Table} label="held messages" heads=${["method", "what", "from", "#cycles", "rule", "since"]}>
    ${of.map((h) => html`<tr key=${h.heldId} class=${heldKey(h) === selected ? "sel" : ""}><td><${Select} to=${heldKey(h)} selected=${selected}>${names.value.canisters[h.callee] ?? shortId(h.callee)}.${h.method}<//></td><td>${kindWord[h.kind]}</td><td><${Party} id=${h.caller} /></td><td class="number"><${Cycles} amount=${h.cycles} /></td><td>${h.ruleId === "0" ? "" : html`<${Select} to=${`r${h.ruleId}`} selected=${selected}>${h.ruleId}<//>`}</td><td><span class="number">${timeText(h.since)}</span></td></tr>`)}<//><${More} more=${more} command="canisterd held" />`}
  <${RunUntilHeld} />`;

/** With manual pacing, nothing is held before rounds run. */
const RunUntilHeld = () =>
  clock.value?.pacing?.mode === "PACING_MODE_MANUAL" ? html`<div class="row"><${Action} act=${(/** @type {AbortSignal} */ signal) => rpc("Messages/AwaitHeld", { instance: instance.value }, signal).then(touch)}>Run rounds until a message is held<//></div>` : null;

/** What the instance does with outcalls, other than to hold them. */
const outcallModes = /** @type {Record<string, string>} */ ({ OUTCALL_MODE_ALLOW: "sends them", OUTCALL_MODE_DENY: "rejects them", OUTCALL_MODE_STRICT: "sends them as mainnet does", OUTCALL_MODE_REPLICATED: "sends them once for each node" });

/** @param {{of: any[], more: boolean, selected: string}} props */
const Outcalls = ({ of, more, selected }) => {
  const mode = outcallModes[about.value?.outcalls];
  return html`<h2>HTTP outcalls</h2>
  ${of.length === 0 ? (mode ? html`<p>No HTTP outcall waits: this instance ${mode}. An instance that holds them lets you answer each by hand, so that a test needs no server:</p><pre>canisterd instance create lab --outcalls hold</pre><p class="soft"><code>canisterd start --outcalls hold</code> makes the default instance hold them.</p>` : html`<p>No HTTP outcall waits. When a canister makes one, its request appears here and waits for your answer.</p>`)
    : html`<${Table} label="HTTP outcalls" heads=${["request", "canister", "#body", "#nodes"]}>
    ${of.map((o) => html`<tr key=${outcallKey(o)} class=${outcallKey(o) === selected ? "sel" : ""}><td><${Select} to=${outcallKey(o)} selected=${selected}>${o.method} ${o.url.length > 80 ? `${o.url.slice(0, 79)}…` : o.url}<//></td><td><${Party} id=${o.canisterId} /></td><td class="number">${grouped(hexOf(o.body).length / 2)} B</td><td class="number">${o.nodes}</td></tr>`)}<//><${More} more=${more} command="canisterd outcalls list" />`}`;
};

/** @param {{of: any[], more: boolean, selected: string}} props */
const Rules = ({ of, more, selected }) => html`<h2>Rules</h2>
  ${of.length === 0 ? html`<p>There are no rules: nothing is held, delayed, lost or answered in place of a canister.</p>` : html`<${Table} label="rules" heads=${["rule", "does", "to", "#took", "#matched", "note"]}>
    ${of.map((r) => html`<tr key=${r.ruleId} class=${ruleKey(r) === selected ? "sel" : ""}><td><${Select} to=${ruleKey(r)} selected=${selected}>${r.ruleId}<//></td><td>${actionText(r)}</td><td>${matchText(r.match)}</td><td class="number">${grouped(r.matched)}</td><td class="number">${r.seen === "0" ? html`<span class="waits">0 messages</span>` : grouped(r.seen)}</td><td>${r.note}</td></tr>`)}<//><${More} more=${more} command="canisterd rule list" />`}
  <div class="row"><a class="button" href=${linkTo(["messages"], { sel: newRule })} aria-current=${selected === newRule ? "true" : undefined}>Add a rule</a></div>`;

/**
 * A held message and what can be done with it.
 * @param {{held: any, tell: (command: string) => void}} props
 */
const HeldMessage = ({ held: h, tell }) => html`<h1><${Party} id=${h.callee} />.${h.method}</h1><p class="soft">${kindWord[h.kind]} of <${Party} id=${h.caller} /></p>
  <div class="why"><b>It waits because</b> ${h.mock ? "a mock answers it" : h.behind !== "0" ? html`the held call <a href=${linkTo(["messages"], { sel: `h${h.behind}` })}>${h.behind}</a> of the same two canisters is before it` : `rule ${h.ruleId} holds it`}.${h.release ? ` It is released at ${timeText(h.release)}.` : ""}</div>
  ${h.mock ? "" : html`<${HeldActions} held=${h} of=${{ instance: instance.value }} tell=${tell} />`}
  <h3>${h.kind === "MESSAGE_KIND_RESPONSE" ? "Answer" : "Argument"}</h3><${Content} held=${h} canister=${h.callee} method=${h.method} />
  <h3>Message</h3><${Facts} rows=${[
    ["id", h.heldId],
    ["rule", h.ruleId !== "0" && html`<a href=${linkTo(["messages"], { sel: `r${h.ruleId}` })}>${h.ruleId}</a>`],
    ["call", h.call && html`<a href=${linkTo(["now"], { sel: `w${h.call.subnetId}/${h.call.callId}` })}>${h.call.callId}</a>`],
    ["request", h.requestId && html`<a href=${linkTo(["call", hexOf(h.requestId)])}>${shortId(hexOf(h.requestId))}</a>`],
    ["cycles", h.cycles !== "0" && h.cycles !== "" && html`<${Cycles} amount=${h.cycles} />`],
    ["held since", timeText(h.since)],
    ["deadline", h.deadline ? timeText(h.deadline) : h.kind === "MESSAGE_KIND_INGRESS" ? "" : "none: the response is guaranteed"],
    ["subnet", html`<${Id} id=${h.subnetId} />`],
  ]} />`;
