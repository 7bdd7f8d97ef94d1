// The page Explorer: operations in every order of their messages, and what went wrong.
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { Failure, namesOf, rpc, stream, typesOf } from "./api.js";
import { addressOf, commandOf, coverageText, defaults, faultKinds, lineKinds, numbered, ofAddress, operationText, requestOf, sectionOf } from "./exploration.js";
import { Finding, opened } from "./finding.js";
import { LineForm, OperationForm } from "./exploreforms.js";
import { Report } from "./explorereport.js";
import { count, grouped } from "./format.js";
import { go, instance, linkTo, parameter, path } from "./route.js";
import { nameOf, names, noteFailure } from "./store.js";
import { Action, CommandLine, Copy, html, Problem, useLoaded } from "./ui.js";

/**
 * The exploration that this page has begun last: there is one at a time, and it ends with the window.
 * @typedef {{of: string, key: string, progress?: any, report?: any, failure?: Failure, began: number, cancel?: () => void}} Run of: the instance; key: what is explored
 */
const last = signal(/** @type {Run | undefined} */ (undefined));

/** Where the browser keeps the last report of an instance until the window is closed. */
const keptAt = (/** @type {string} */ of) => `canisterd explorer ${of}`;

/** What the browser kept, by instance. It is read once. */
const kept = /** @type {Map<string, Run | undefined>} */ (new Map());

/**
 * Returns the last exploration of the instance: that of this page, or the one that was kept when the page was loaded again.
 * @returns {Run | undefined}
 */
const runOf = (/** @type {string} */ of) => {
  if (last.value?.of === of) return last.value;
  if (!kept.has(of)) kept.set(of, readKept(of));
  return kept.get(of);
};

/**
 * @param {string} of
 * @returns {Run | undefined}
 */
const readKept = (of) => {
  try {
    const read = JSON.parse(sessionStorage.getItem(keptAt(of)) ?? "null");
    return read && typeof read.key === "string" && read.report ? { of, key: read.key, report: read.report, began: 0 } : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Explores, and ends the exploration before.
 * @param {import("./exploration.js").Exploration} e
 */
const explore = async (e) => {
  last.value?.cancel?.();
  const abort = new AbortController();
  const [of, key] = [instance.value, addressOf(e)];
  /** @type {Run} */
  const own = { of, key, began: performance.now(), cancel: () => abort.abort() };
  const change = (/** @type {Partial<Run>} */ to) => {
    if (last.value?.began === own.began) last.value = { ...last.value, ...to };
  };
  last.value = own;
  kept.delete(of);
  try {
    const { canisters } = await namesOf(of); // the page may not have read them yet
    await stream("Explorer/Explore", requestOf(e, of, canisters), (m) => {
      if (m.progress) change({ progress: m.progress });
      if (m.report) change({ report: m.report });
    }, abort.signal);
    change({ cancel: undefined });
    try {
      sessionStorage.setItem(keptAt(of), JSON.stringify({ key, report: last.value?.report }));
    } catch {} // the browser keeps no more: the report lasts as long as the page
  } catch (error) {
    if (abort.signal.aborted) {
      if (last.value?.began === own.began) last.value = undefined;
      return;
    }
    if (!(error instanceof Failure)) throw error;
    noteFailure(error);
    change({ failure: error, cancel: undefined });
  }
};

export const Explorer = () => {
  const e = ofAddress(parameter("q"));
  const run = runOf(instance.value);
  const which = path.value[1];
  const again = () => explore(e);
  if (which === "schedule") return html`<${Finding} schedule=${opened.value?.text} file=${opened.value?.name ?? ""} exploration=${e} />`;
  if (which !== undefined) {
    const finding = run?.key === addressOf(e) ? findingsOf(run.report)[Number(which) - 1] : undefined;
    return finding ? html`<${Finding} key=${which} finding=${finding} schedule=${finding.schedule} exploration=${e} number=${Number(which)} />` : html`<${NoFinding} which=${which} run=${run} e=${e} explore=${again} />`;
  }
  const change = (/** @type {Partial<import("./exploration.js").Exploration>} */ to) => go(linkTo(["explorer"], { q: addressOf({ ...e, ...to }) }), { replace: true });
  return html`<div class="page"><h1>Explorer</h1>
    <p>An exploration runs update calls in every order of their messages that the Internet Computer allows, and with the faults that it can cause. It runs on forks: <b>${instance.value || "default"}</b> does not change.</p>
    <${Operations} e=${e} change=${change} />
    <${Lines} e=${e} change=${change} />
    <${Limits} e=${e} change=${change} />
    <div class="row">${run?.cancel ? html`<button type="button" class="bad" onClick=${run.cancel}>Cancel</button>` : html`<${Action} kind="main" disabled=${e.operations.length === 0} act=${again}>Explore<//>`}
      ${e.operations.length === 0 ? html`<span class="soft">Add an operation first.</span>` : ""}<${OpenSchedule} /></div>
    ${run ? html`<${Progress} run=${run} />` : ""}
    ${run?.report ? html`${run.key === addressOf(e) ? "" : html`<p class="why" role="status">This is the report of another exploration than the one above. <a href=${linkTo(["explorer"], { q: run.key })}>Show that one</a></p>`}<${Report} report=${run.report} began=${run.began} link=${(/** @type {number} */ n) => linkTo(["explorer", String(n)], { q: run.key })} />` : ""}
    <${Kept} e=${e} />
  </div><${CommandLine} args=${commandOf(e, names.value.canisters)} />`;
};

/**
 * The findings of a report, with the runs that give the largest values.
 * @param {any} report
 * @returns {any[]}
 */
export const findingsOf = (report) => [...(report?.findings ?? []), ...(report?.largest ?? []).flatMap((/** @type {any} */ x) => x.found ?? [])];

/**
 * What an address of a finding shows that this window does not have: explorations with the same seed find the same.
 * @param {{which: string, run?: Run, e: import("./exploration.js").Exploration, explore: () => Promise<void>}} props
 */
const NoFinding = ({ which, run, e, explore: again }) => {
  const running = run?.key === addressOf(e) && run.cancel;
  return html`<div class="page"><h1>Finding ${which}</h1>${run?.key === addressOf(e) && run.report ? html`<p>The exploration has found no finding ${which}.</p>` : html`<p>This window has no report of this exploration. Run it: it finds the same as long as the canisters and their state are the same.</p>`}
    <ul>${numbered(e).map((o) => html`<li><code>${operationText(o, names.value.canisters)}</code></li>`)}</ul>
    <div class="row">${running ? html`<button type="button" class="bad" onClick=${running}>Cancel</button>` : html`<${Action} kind="main" disabled=${e.operations.length === 0} act=${again}>Explore<//>`}<a href=${linkTo(["explorer"], { q: parameter("q") })}>Change the exploration</a></div>
    ${run?.key === addressOf(e) ? html`<${Progress} run=${run} />` : ""}</div><${CommandLine} args=${commandOf(e, names.value.canisters)} />`;
};

/** Opens the file of a schedule, as a colleague sends it. */
const OpenSchedule = () => {
  const open = async (/** @type {any} */ event) => {
    const file = event.target.files[0];
    if (!file) return;
    opened.value = { name: file.name, text: await file.text() };
    go(linkTo(["explorer", "schedule"]));
  };
  return html`<label class="file">Open a schedule…<input type="file" accept=".yaml,.yml" onChange=${open} /></label>`;
};

/**
 * How far an exploration is, in a sentence.
 * @param {{run: Run}} props
 */
const Progress = ({ run }) => {
  const [, draw] = useState(0);
  useEffect(() => {
    if (!run.cancel) return undefined;
    const timer = setInterval(() => draw((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, [run.began, Boolean(run.cancel)]);
  if (run.failure) return html`<${Problem} failure=${run.failure} />`;
  if (!run.cancel) return null;
  const p = run.progress;
  const seconds = Math.floor((performance.now() - run.began) / 1000);
  return html`<div class="why" role="status"><p style="margin:0"><b>It explores</b> since ${count(seconds, "second")}${p ? html`: <span class="number">${grouped(p.runs ?? 0)}</span> runs, ${count(Number(p.findings ?? 0), "finding")}` : ""}.</p>${p?.coverage ? html`<p class="soft" style="margin:4px 0 0">${coverageText(p.coverage)}</p>` : ""}</div>`;
};

/** @typedef {{e: import("./exploration.js").Exploration, change: (to: Partial<import("./exploration.js").Exploration>) => void}} Edited */

/** @param {Edited} props */
const Operations = ({ e, change }) => {
  const [adding, add] = useState(e.operations.length === 0);
  const all = /** @type {const} */ ([["before", e.before], ["operations", e.operations]]);
  const set = (/** @type {"before" | "operations"} */ list, /** @type {import("./exploration.js").Operation[]} */ to) => change({ [list]: to });
  const numbers = new Map(numbered(e).map((o, i) => [o, i + 1]));
  return html`<h2>Operations</h2><p>${e.operations.length === 0 ? "An operation is an update call that may begin at any time. Two calls that compete are a good beginning." : `${count(e.operations.length, "call")} may begin at any time${e.before.length > 0 ? `, after ${count(e.before.length, "call")} that ${e.before.length === 1 ? "is" : "are"} made before` : ""}.`}</p>
    <ul class="operations" aria-label="operations">${all.map(([list, some]) => some.map((o, i) => html`<li key=${`${list}${i}`}><span class="soft">${list === "before" ? "before" : `op${numbers.get(o)}`}</span> <code>${operationText(o, names.value.canisters)}</code>${o.title ? html` <span class="soft">${o.title}</span>` : ""}
      ${list === "operations" ? html`<label class="inline"><input type="checkbox" checked=${Boolean(o.twice)} onChange=${(/** @type {any} */ event) => set(list, some.map((old, n) => (n === i ? { ...o, twice: event.target.checked } : old)))} /> may be sent twice</label>` : ""}
      <button type="button" aria-label=${`once more ${operationText(o, names.value.canisters)}`} onClick=${() => set(list, [...some.slice(0, i + 1), { ...o }, ...some.slice(i + 1)])}>Once more</button>
      <button type="button" aria-label=${`remove ${operationText(o, names.value.canisters)}`} onClick=${() => set(list, some.filter((_, n) => n !== i))}>Remove</button></li>`))}</ul>
    <details class="method" open=${adding} onToggle=${(/** @type {any} */ event) => add(event.target.open)}><summary>Add an operation</summary>${adding ? html`<${OperationForm} add=${(/** @type {import("./exploration.js").Operation} */ o, /** @type {boolean} */ before) => set(before ? "before" : "operations", [...(before ? e.before : e.operations), o])} />` : ""}</details>`;
};

/** @param {Edited} props */
const Lines = ({ e, change }) => {
  const [adding, add] = useState(false);
  const { value: queries } = useLoaded(queriesOf, [JSON.stringify(Object.keys(names.value.canisters))], { live: false });
  const stated = lineKinds.filter(([kind]) => e[kind].length > 0);
  return html`<h2>What must hold</h2><p>${stated.length === 0 ? "The explorer looks for traps after awaits, calls that are never answered, lost cycles and results that no serial order gives. It knows what your canisters must do only if a line says so." : `${count(e.invariants.length, "invariant")} and what holds for all canisters.`}</p>
    <datalist id="queries">${(queries ?? []).map((q) => html`<option value=${q}></option>`)}</datalist>
    ${stated.map(([kind, words]) => html`<div role="group" aria-label=${kind}><span class="soft">${words}</span>${e[kind].map((line, i) => html`<div class="row tight" key=${i}><input type="text" class="line" list="queries" aria-label=${`${words}, line ${i + 1}`} value=${line} spellcheck="false" onInput=${(/** @type {any} */ event) => change({ [kind]: e[kind].map((old, n) => (n === i ? event.target.value : old)) })} />
      <button type="button" aria-label=${`remove ${line}`} onClick=${() => change({ [kind]: e[kind].filter((_, n) => n !== i) })}>Remove</button></div>`)}</div>`)}
    <details class="method" open=${adding} onToggle=${(/** @type {any} */ event) => add(event.target.open)}><summary>Add a line</summary>${adding ? html`<${LineForm} add=${(/** @type {"invariants"} */ kind, /** @type {string} */ line) => change({ [kind]: [...e[kind], line] })} />` : ""}</details>`;
};

/** The most canisters whose queries are suggested. */
const mostSuggested = 20;

/** The queries of the canisters with names, as lines begin: vault paidOut. */
const queriesOf = async () => {
  const known = Object.entries(names.value.canisters).slice(0, mostSuggested);
  const found = await Promise.all(known.map(async ([id, name]) => {
    try {
      const { methods } = await typesOf(instance.value, id);
      return methods.filter((/** @type {any} */ m) => m.query && !m.name.startsWith("__")).map((/** @type {any} */ m) => `${name} ${m.name}`);
    } catch {
      return []; // its interface is not known
    }
  }));
  return /** @type {string[]} */ (found.flat());
};

/** @param {Edited} props */
const Limits = ({ e, change }) => {
  const { value: snapshots } = useLoaded((abort) => rpc("Instances/ListSnapshots", { instance: instance.value, pageSize: 1000 }, abort), []);
  const number = (/** @type {"faults" | "runs" | "waits" | "seed" | "stop"} */ key, /** @type {string} */ label, /** @type {number} */ least, /** @type {number} */ most) =>
    html`<label class="field">${label}<input type="number" min=${least} max=${most} value=${e[key]} onInput=${(/** @type {any} */ event) => event.target.validity.valid && event.target.value !== "" && change({ [key]: Number(event.target.value) })} /></label>`;
  const usual = defaults();
  const all = e.kinds.length === 0;
  const own = /** @type {const} */ (["faults", "runs", "time", "waits", "seed", "stop", "snapshot"]).some((key) => e[key] !== usual[key]) || !all || e.untrusted.length > 0;
  const toggle = (/** @type {string[]} */ list, /** @type {string} */ one, /** @type {boolean} */ on) => (on ? [...list, one] : list.filter((o) => o !== one));
  return html`<details class="method"><summary>Faults, runs, time${own ? "" : html` <span class="soft">as usual: at most one fault in a run, 10_000 runs, a minute</span>`}</summary>
    <div class="grid">${number("faults", "faults in a run, at most", 0, 8)}${number("runs", "runs, at most", 1, 10000000)}
      <label class="field">time, at most<select value=${String(e.time)} onChange=${(/** @type {any} */ event) => change({ time: Number(event.target.value) })}>${[10, 60, 300, 3600, 0, ...([10, 60, 300, 3600, 0].includes(e.time) ? [] : [e.time])].map((s) => html`<option value=${String(s)}>${s === 0 ? "no limit" : s < 60 ? `${s} seconds` : s < 3600 ? `${s / 60} min` : `${s / 3600} h`}</option>`)}</select></label>
      <label class="field">state<select value=${e.snapshot} onChange=${(/** @type {any} */ event) => change({ snapshot: event.target.value })}><option value="">the present</option>${(snapshots?.snapshots ?? []).map((/** @type {any} */ s) => html`<option value=${s.name}>snapshot ${s.name}</option>`)}${e.snapshot && !(snapshots?.snapshots ?? []).some((/** @type {any} */ s) => s.name === e.snapshot) ? html`<option value=${e.snapshot}>snapshot ${e.snapshot}</option>` : ""}</select></label>
      ${number("stop", "end after so many findings; 0: go on", 0, 1000000)}${number("waits", "how often a run goes on at the next timer", 0, 1000)}${number("seed", "seed of drawn orders", 0, 9007199254740991)}</div>
    <fieldset><legend>Kinds of faults${all ? ": all" : ""}</legend>${Object.entries(faultKinds).map(([kind, words]) => html`<label class="inline" title=${words}><input type="checkbox" checked=${e.kinds.includes(kind)} onChange=${(/** @type {any} */ event) => change({ kinds: toggle(e.kinds, kind, event.target.checked) })} /> ${kind}</label> `)}</fieldset>
    <fieldset><legend>Canisters that may never answer</legend>${Object.keys(names.value.canisters).map((id) => html`<label class="inline"><input type="checkbox" checked=${e.untrusted.includes(id)} onChange=${(/** @type {any} */ event) => change({ untrusted: toggle(e.untrusted, id, event.target.checked) })} /> ${nameOf(id)}</label> `)}</fieldset></details>`;
};

/**
 * The exploration as a part of canisterd.yaml: there, canisterd explore needs no flags.
 * @param {{e: import("./exploration.js").Exploration}} props
 */
const Kept = ({ e }) => {
  if (e.operations.length === 0) return null;
  const text = sectionOf(e, names.value.canisters);
  return html`<details class="method"><summary>Keep it in canisterd.yaml</summary><p>With these lines in the <code>canisterd.yaml</code> of the project, <code>canisterd explore</code> runs the same. The address of this page has the exploration too: send it to a colleague who uses this daemon.</p><pre class="whole" tabindex="0">${text}</pre><div class="row"><${Copy} text=${text} label="copy" /></div></details>`;
};
