// One finding: its run as a sequence diagram, message by message, with the state after each.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { namesOf, rpc } from "./api.js";
import { compared } from "./compare.js";
import { fileOf, idsOf, propertiesOf } from "./exploration.js";
import { count, quoted, spanText } from "./format.js";
import { go, instance, linkTo, parameter, path } from "./route.js";
import { RunDiagram } from "./rundiagram.js";
import { names } from "./store.js";
import { CommandLine, html, Party, Problem, useLoaded } from "./ui.js";

/** The file of a schedule that was opened in this window. */
export const opened = signal(/** @type {{name: string, text: string} | undefined} */ (undefined));

/**
 * Runs a schedule again.
 * @param {string} schedule
 * @param {import("./exploration.js").Exploration} e
 */
const replayed = (schedule, e) => async (/** @type {AbortSignal} */ abort) => {
  const { canisters } = await namesOf(instance.value); // the page may not have read them yet
  return rpc("Explorer/ReplaySchedule", { instance: instance.value, snapshot: e.snapshot, schedule, properties: propertiesOf(e), names: idsOf(canisters), includeMoments: true }, abort);
};

/** What a replay says about the finding. */
const outcomes = /** @type {Record<string, [kind: string, words: string]>} */ ({
  REPLAY_OUTCOME_STILL_FAILS: ["bad", ""], REPLAY_OUTCOME_FIXED: ["ok", "It is fixed:"], REPLAY_OUTCOME_STALE: ["", "It is stale:"],
});

/**
 * @param {{finding?: any, schedule: string | undefined, exploration: import("./exploration.js").Exploration, number?: number, file?: string}} props number: of the finding in its report; file: of a schedule that was opened
 */
export const Finding = ({ finding, schedule, exploration: e, number, file }) => {
  const { value: run, failure } = useLoaded(async (abort) => (schedule ? replayed(schedule, e)(abort) : undefined), [schedule], { live: false });
  const title = number ? `Finding ${number}` : file;
  const back = html`<a href=${linkTo(["explorer"], { q: parameter("q") })}>Explorer</a>`;
  if (!schedule) return html`<div class="page"><h1>${title || "Schedule"}</h1><p>${finding ? "This finding is about all runs, so it has no run of its own." : "This window has no schedule: open its file in the Explorer."}</p><p>${back}</p></div><${CommandLine} args="explore show --states FILE" />`;
  if (failure) return html`<div class="page"><h1>${title}</h1>${finding ? html`<p>${finding.text}</p>` : ""}<${Problem} failure=${failure} /><p>${back}</p></div><${CommandLine} args="explore show --states FILE" />`;
  if (!run) return html`<div class="page"><h1>${title}</h1><p role="status" aria-busy="true">The run is made again.</p></div>`;
  const name = file || fileOf(finding, names.value.canisters);
  return html`<${Steps} run=${run} title=${title ?? ""} text=${finding?.text ?? ""} schedule=${schedule} name=${name} back=${back} /><${CommandLine} args=${`explore show --states ${quoted(name)}`} />`;
};

/**
 * @param {{run: any, title: string, text: string, schedule: string, name: string, back: any}} props
 */
const Steps = ({ run, title, text, schedule, name, back }) => {
  const moments = run.moments ?? [];
  const most = moments.length - 1;
  const at = Math.min(most, Math.max(0, Number(parameter("at")) || 0));
  const select = (/** @type {number} */ to) => go(linkTo(path.value, { q: parameter("q"), at: String(Math.min(most, Math.max(0, to))) }), { replace: true });
  useEffect(() => {
    const pressed = (/** @type {KeyboardEvent} */ event) => {
      if ((event.target instanceof HTMLElement && event.target.closest("input, textarea, select")) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "[" || event.key === "k") select(at - 1);
      if (event.key === "]" || event.key === "j") select(at + 1);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });
  const [kind, words] = outcomes[run.outcome] ?? ["", ""];
  const says = run.outcome === "REPLAY_OUTCOME_STILL_FAILS" ? text || run.explanation.split("\n")[0] : run.explanation.split("\n")[0];
  const save = () => download(name, schedule);
  return html`<div class="split"><section class="finding" aria-label="the run"><p class="soft">${back} › ${title}</p><h1>${title}</h1>
      <div class=${`why ${kind}`}>${words ? html`<b>${words}</b> ` : ""}${says}</div>
      <${Exceptions} all=${run.exceptions ?? []} />
      ${most > 0 ? html`<${RunDiagram} moments=${moments} at=${at} select=${select} />` : ""}${Number(run.moreMoments ?? 0) > 0 ? html`<p class="soft">${count(Number(run.moreMoments), "more message")} are not drawn: <code>canisterd explore show</code> lists them.</p>` : ""}
      <${Differences} all=${run.differences ?? []} />
      <h2>Keep</h2><p>The schedule is a file. It stays valid with other operations and new modules, so a colleague can open it in the Explorer, and a test can replay it.</p><div class="row"><button type="button" onClick=${save}>Download ${name}</button></div></section>
    <aside aria-label="selected message" aria-live="polite"><div class="row tight"><button type="button" disabled=${at === 0} onClick=${() => select(at - 1)}>Earlier <kbd>[</kbd></button><button type="button" class="main" disabled=${at >= most} onClick=${() => select(at + 1)}>Step <kbd>]</kbd></button><span class="soft number">${at} of ${count(most, "message")}</span></div>
      <${Moment} moment=${moments[at]} before=${moments[at - 1]} /></aside></div>`;
};

/**
 * Saves a text as a file.
 * @param {string} name
 * @param {string} text
 */
const download = (name, text) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/yaml" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 0);
};

/** @param {{all: string[]}} props */
const Exceptions = ({ all }) =>
  all.length === 0 ? html`<p>The messages are delivered in FIFO order, without faults.</p>` : html`<p>The messages are delivered in FIFO order, except:</p><ul>${all.map((one) => html`<li>${one}</li>`)}</ul>`;

/**
 * A message and the state after it.
 * @param {{moment: any, before?: any}} props before: the state before the message
 */
const Moment = ({ moment: m, before }) => {
  if (!m) return null;
  const reply = m.kind === "response";
  return html`<h2>${m.message ? m.message : "Before the first message"}</h2>
    ${m.message ? html`<p><${Told} moment=${m} /></p>` : html`<p class="soft">Nothing is delivered yet. <kbd>]</kbd> delivers the first message.</p>`}
    ${m.fault ? html`<div class="why"><b>Fault:</b> the message ${m.fault}.</div>` : ""}
    ${m.trap ? html`<div class="why bad"><b>It trapped:</b> ${m.trap}</div>` : ""}
    ${m.value ? html`<h3>${reply ? "Reply" : "Argument"}</h3><pre tabindex="0" role="region" aria-label=${reply ? "reply" : "argument"}>${m.value}</pre>` : ""}
    ${m.calls?.length > 0 ? html`<h3>Calls</h3><p>It made ${count(m.calls.length, "call")}: <code>${m.calls.join(", ")}</code>. ${m.calls.length === 1 ? "Its answer comes" : "Their answers come"} later.</p>` : ""}
    <h3>${m.message ? "State after it" : "State"}</h3>
    ${(m.broken ?? []).map((/** @type {string} */ why) => html`<div class="why bad">${why}</div>`)}
    <${State} now=${m.observed ?? []} before=${before?.observed} />`;
};

/**
 * What a message is, in a sentence.
 * @param {{moment: any}} props
 */
const Told = ({ moment: m }) => {
  const later = m.waited ? html`, ${spanText(BigInt(Math.round(parseFloat(m.waited) * 1e9)))} later` : "";
  const to = html`<${Party} id=${m.canisterId} />.${m.method}`;
  switch (m.kind) {
    case "ingress":
      return html`The user <${Party} id=${m.sender} /> calls ${to}${later}.`;
    case "request":
      return html`<${Party} id=${m.sender} /> calls ${to}${later}.`;
    case "response":
      return html`<${Party} id=${m.canisterId} /> gets the answer of <${Party} id=${m.sender} />.${m.method}${m.reject ? html`: <span class="bad">${m.reject}</span>` : ""}${later}.`;
    case "task":
      return html`The system calls <${Party} id=${m.canisterId} />${later}: <code>${m.message}</code>.`;
  }
  return html`<${Party} id=${m.canisterId} /> goes on with its code${later}.`;
};

/**
 * What queries answer, canister by canister, with what the message has changed.
 * @param {{now: any[], before?: any[]}} props
 */
const State = ({ now, before }) => {
  if (now.length === 0) return html`<p class="soft">No query shows the state: add the line <i>is compared with serial orders</i> to the exploration.</p>`;
  const ids = [...new Set(now.map((o) => o.canisterId))];
  const was = new Map((before ?? []).map((o) => [`${o.canisterId} ${o.query}`, o.value]));
  const changed = now.filter((o) => before && was.get(`${o.canisterId} ${o.query}`) !== o.value).length;
  return html`<p class="soft">${before ? (changed === 0 ? "No answer of a query has changed." : `${count(changed, "answer")} of queries ${changed === 1 ? "has" : "have"} changed.`) : `${count(now.length, "query").replace("querys", "queries")} show it.`}</p>
    ${ids.map((id) => html`<section aria-label=${`state of ${names.value.canisters[id] ?? id}`}><h3 class="name"><${Party} id=${id} /></h3><dl>${now.filter((o) => o.canisterId === id).map((o) => html`<dt>${o.query}</dt><dd><${Value} now=${o.value} before=${before ? was.get(`${id} ${o.query}`) ?? "" : o.value} /></dd>`)}</dl></section>`)}`;
};

/** @param {{now: string, before: string}} props */
const Value = ({ now, before }) => {
  if (now === before) return html`<code>${now}</code>`;
  const parts = compared(before, now);
  const marked = (/** @type {import("./compare.js").Part[]} */ all, /** @type {"del" | "ins"} */ mark) => all.map((p) => (p.differs ? html`<${mark}>${p.text}<//>` : p.text));
  return html`<code>${marked(parts.before, "del")}</code><br /><code>${marked(parts.after, "ins")}</code>`;
};

/** @param {{all: any[]}} props */
const Differences = ({ all }) =>
  all.length === 0 ? "" : html`<h2>Compared with one after the other</h2><p>What differs from a run in which one operation follows the other.</p><div class="scroll" tabindex="0" role="region" aria-label="differences"><table class="differences"><thead><tr><th>what</th><th>one after the other</th><th>in this run</th></tr></thead><tbody>
    ${all.map((d) => html`<tr><td>${d.canister ? `${d.canister} ` : ""}${d.title}</td><td><code>${d.serial}</code></td><td><code>${d.found}</code></td></tr>`)}</tbody></table></div>`;
