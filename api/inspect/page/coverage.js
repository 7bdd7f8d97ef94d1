// The page Coverage: which code of canisters ran.
import { signal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { rpc } from "./api.js";
import { count, grouped, hexOf } from "./format.js";
import { BeginRecording, recordingOf, RecordingSwitch } from "./recording.js";
import { useRested } from "./rested.js";
import { go, linkTo, parameter } from "./route.js";
import { changes } from "./store.js";
import { Action, CommandLine, html, Party, Problem } from "./ui.js";

const coverages = recordingOf({
  start: "Coverage/StartCoverage", absent: "COVERAGE_NOT_RECORDED",
  read: async (at, abort) => (await rpc("Coverage/ReadCoverage", { instance: at, all: all() }, abort)).canisters ?? [],
  stop: async (at) => (await rpc("Coverage/StopCoverage", { instance: at, all: all() })).canisters ?? [],
});

/** The source files that were chosen, by their paths. */
const sources = signal(/** @type {Map<string, File>} */ (new Map()));

/** How many functions the table has, and how many bytes of a source file are shown. */
const shownFunctions = 200;
const shownBytes = 2 << 20;

/** Whether sources of others count, as the address has it. */
const all = () => parameter("all") === "1";

/**
 * Begins and ends a recording on the page of a canister, and leads to its coverage.
 * @param {{id: string}} props
 */
export const CoverageSwitch = ({ id }) => html`<${RecordingSwitch} id=${id} recording=${coverages} page=${["coverage", "Coverage"]} words=${{ begin: "Record coverage", end: "Stop recording", running: "It is recorded which code runs.", about: "which of its code runs" }} />`;

export const Coverage = () => {
  const { value, failure, reload } = coverages.use([all()]);
  useEffect(reload, [useRested(changes.value)]);
  if (failure) return html`<div class="page"><${Problem} failure=${failure} /></div>`;
  if (value === undefined) return html`<div class="page" aria-busy="true"></div>`;
  const shown = value ?? coverages.stopped();
  return html`<div class="page"><h1>Coverage</h1>
    ${value
      ? html`<p role="status"><span class="ok">It is recorded which code runs</span> since the recording began.</p>`
      : html`<p>${shown ? "The recording has ended." : "Coverage says which code of canisters ran: by function and source line, and which callbacks never ran. Canisters need not be built for it."}</p>`}
    <div class="row">${value ? html`<${Action} kind="main" act=${() => coverages.end().then(reload)}>Stop<//>` : html`<${BeginRecording} canister=${parameter("canister")} choose=${(/** @type {string} */ to) => change({ canister: to })} begin=${(/** @type {string} */ canister) => coverages.begin(canister).then(reload)} word=${shown ? "Record again" : "Record"} />`}
      ${value ? html`<span><label class="inline"><input type="checkbox" checked=${all()} onChange=${(/** @type {any} */ e) => change({ all: e.target.checked ? "1" : "" })} /> also the standard library and packages</label></span>` : ""}</div>
    ${shown ? html`<${Report} modules=${shown} />` : ""}
  </div><${CommandLine} args=${value ? `cover read${all() ? " --all" : ""}` : shown ? "cover stop --out coverage.html" : "cover start"} />`;
};

/**
 * The address that selects something else.
 * @param {Record<string, string>} to
 */
const linked = (to) => linkTo(["coverage"], { canister: parameter("canister"), find: parameter("find"), file: parameter("file"), all: parameter("all"), ...to });

/** @param {Record<string, string>} to */
const change = (to) => go(linked(to), { replace: true });

/** @typedef {{ran: number, total: number}} Ratio */

/**
 * How many of things that have blocks ran.
 * @param {any[]} things
 * @returns {Ratio}
 */
const ranOf = (things) => ({ ran: things.filter((t) => t.ran > 0).length, total: things.length });

/**
 * How many blocks of functions ran.
 * @param {any[]} functions
 * @returns {Ratio}
 */
const blocksOf = (functions) => functions.reduce((sum, f) => ({ ran: sum.ran + (f.ran ?? 0), total: sum.total + (f.blocks ?? 0) }), { ran: 0, total: 0 });

/**
 * A ratio in percent, rounded down: 100 % only if all ran.
 * @param {Ratio} of
 */
const percent = (of) => `${(Math.floor((1000 * of.ran) / of.total) / 10).toFixed(1)} %`;

/** @param {{of: Ratio}} props */
const Share = ({ of }) => html`<span class="number">${grouped(of.ran)} / ${grouped(of.total)}${of.total > 0 ? html` <meter min="0" max=${of.total} value=${of.ran} aria-label=${`${of.ran} of ${of.total}`}></meter> ${percent(of)}` : ""}</span>`;

/** @param {any} m */
const linesOf = (m) => (m.files ?? []).flatMap((/** @type {any} */ f) => f.lines ?? []);

/** @param {{modules: any[]}} props */
const Report = ({ modules }) => {
  const canister = parameter("canister");
  const selected = modules.filter((m) => !canister || m.canisterId === canister);
  if (modules.length === 0) return html`<p class="soft">No canister has code.</p>`;
  return html`<${Callbacks} modules=${selected} />
    <h2>Canisters</h2><div class="scroll"><table><thead><tr><th>canister</th><th>blocks</th><th>functions</th><th>lines</th></tr></thead><tbody>
      ${modules.map((m) => html`<tr key=${m.canisterId + m.moduleHash} class=${canister && m.canisterId === canister ? "sel" : ""}><td><${Party} id=${m.canisterId} /> <a href=${linked({ canister: m.canisterId === canister ? "" : m.canisterId })}>${m.canisterId === canister ? "all" : "only this"}</a>${modules.filter((o) => o.canisterId === m.canisterId).length > 1 ? html` <span class="soft">module <code>${hexOf(m.moduleHash).slice(0, 8)}</code></span>` : ""}</td>
        <td><${Share} of=${blocksOf(m.functions ?? [])} /></td><td><${Share} of=${ranOf(m.functions ?? [])} /></td><td>${m.files?.length ? html`<${Share} of=${ranOf(linesOf(m))} />` : html`<span class="soft">no debug information</span>`}</td></tr>`)}
    </tbody></table></div>
    ${selected.some((m) => !m.files?.length) ? html`<div class="why"><b>Without debug information there are no source lines.</b> Rust needs <code>debug = "line-tables-only"</code> in its profile and a recipe that keeps it, C needs <code>-g</code>, Motoko a source map of <code>moc --map</code>; <code>canister install --map</code> and <code>--debug</code> hand in files beside the module.</div>` : ""}
    <${Functions} modules=${selected} /><${Files} modules=${selected} />`;
};

/**
 * The calls of which a callback or the cleanup never ran, and those whose callbacks all did.
 * @param {{modules: any[]}} props
 */
const Callbacks = ({ modules }) => {
  const rows = modules.flatMap((m) => (m.calls ?? []).map((/** @type {any} */ c) => ({ ...c, canister: m.canisterId })));
  if (rows.length === 0) return html`<h2>Callbacks that never ran</h2><p class="soft">No canister has called another one since the recording began.</p>`;
  const incomplete = (/** @type {any} */ c) => [c.replied, c.rejected, c.cleaned].some(none);
  const never = rows.filter(incomplete);
  const tell = (/** @type {string} */ ran) => (none(ran) ? html`<td class="bad">✗ never</td>` : html`<td class="ok">✓ <span class="number">${grouped(ran)}</span></td>`);
  return html`<h2>Callbacks that never ran</h2>${never.length === 0 ? html`<p class="ok">Every callback and cleanup ran.</p>` : html`<p class="soft">Bugs between calls are in callbacks and cleanups. <a href=${linkTo(["messages"], { sel: "new" })}>Hold or reject the call</a> to run them.</p>`}
    <div class="scroll"><table class="callbacks"><thead><tr><th>canister</th><th>calls</th><th class="number">made</th><th>reply</th><th>reject</th><th>cleanup</th></tr></thead><tbody>
      ${[...never, ...rows.filter((c) => !incomplete(c))].map((c) => html`<tr key=${`${c.canister} ${c.method}`}><td><${Party} id=${c.canister} /></td><td><code>${c.method}</code></td><td class="number">${grouped(c.made ?? 0)}</td>${tell(c.replied)}${tell(c.rejected)}${tell(c.cleaned)}</tr>`)}
    </tbody></table></div>`;
};

/** @param {string | undefined} times */
const none = (times) => !times || times === "0";

/**
 * The class and the sign of what ran.
 * @param {{ran?: number, blocks?: number}} of
 * @returns {["ok" | "waits" | "bad", string, string]}
 */
const kindOf = (of) => (!of.ran ? ["bad", "✗", "not covered"] : of.ran < (of.blocks ?? 0) ? ["waits", "~", "partly covered"] : ["ok", "✓", "covered"]);

/** @param {{modules: any[]}} props */
const Functions = ({ modules }) => {
  const find = parameter("find").toLowerCase();
  const rows = useMemo(() => modules.flatMap((m) => (m.functions ?? []).map((/** @type {any} */ f) => ({ ...f, ran: f.ran ?? 0, canister: m.canisterId }))), [modules]);
  const hits = find ? rows.filter((f) => f.name.toLowerCase().includes(find)) : rows;
  const sorted = [...hits].sort((a, b) => Number(b.ran > 0 && b.ran < b.blocks) - Number(a.ran > 0 && a.ran < a.blocks) || Number(b.ran > 0) - Number(a.ran > 0));
  const left = modules.reduce((sum, m) => sum + (m.leftOut ?? 0), 0);
  return html`<h2>Functions</h2><label class="field">Find functions <input type="search" value=${parameter("find")} placeholder="part of a name" onInput=${(/** @type {any} */ e) => change({ find: e.target.value })} /></label>
    <div class="scroll"><table><thead><tr><th>function</th><th>blocks</th><th>source</th><th>canister</th></tr></thead><tbody>
      ${sorted.slice(0, shownFunctions).map((f) => html`<tr key=${`${f.canister} ${f.index}`}><td class=${kindOf(f)[0]} title=${kindOf(f)[2]}>${kindOf(f)[1]} <code>${f.name}</code></td><td><${Share} of=${{ ran: f.ran, total: f.blocks ?? 0 }} /></td><td>${f.file ? html`<button type="button" class="copy" onClick=${() => change({ file: f.file })}>${f.file}:${f.line}</button>` : html`<span class="soft">–</span>`}</td><td><${Party} id=${f.canister} /></td></tr>`)}
    </tbody></table></div>${hits.length > shownFunctions ? html`<p class="soft">${count(hits.length - shownFunctions, "function")} more.</p>` : ""}
    ${left > 0 ? html`<p class="soft">${count(left, "function")} of the standard library and packages ${left === 1 ? "is" : "are"} left out.</p>` : ""}`;
};

/**
 * The files of all modules, in which a line has the blocks of each.
 * @param {any[]} modules
 */
const filesOf = (modules) => {
  /** @type {Map<string, Map<number, {number: number, ran: number, blocks: number}>>} */
  const files = new Map();
  for (const m of modules) {
    for (const file of m.files ?? []) {
      const lines = files.get(file.name) ?? new Map();
      files.set(file.name, lines);
      for (const l of file.lines ?? []) {
        const known = lines.get(l.number) ?? { number: l.number, ran: 0, blocks: 0 };
        lines.set(l.number, { number: l.number, ran: known.ran + (l.ran ?? 0), blocks: known.blocks + (l.blocks ?? 0) });
      }
    }
  }
  return new Map([...files].map(([name, lines]) => [name, [...lines.values()].sort((a, b) => a.number - b.number)]));
};

/** @param {{modules: any[]}} props */
const Files = ({ modules }) => {
  const files = useMemo(() => filesOf(modules), [modules]);
  if (files.size === 0) return null;
  const at = parameter("file");
  const lines = files.get(at);
  const choose = (/** @type {any} */ e) => {
    sources.value = new Map([...e.target.files].map((f) => [f.webkitRelativePath || f.name, f]));
  };
  return html`<h2>Source lines</h2><div class="row"><label class="file">Choose the folder of the sources…<input type="file" webkitdirectory multiple onChange=${choose} /></label><span class="soft">${sources.value.size > 0 ? `${count(sources.value.size, "file")} chosen` : "to see their text; it stays in this browser"}</span></div>
    <div class="scroll"><table><thead><tr><th>file</th><th>lines</th></tr></thead><tbody>
      ${[...files].map(([name, all]) => html`<tr key=${name} class=${name === at ? "sel" : ""}><td><button type="button" class="copy" aria-pressed=${name === at} onClick=${() => change({ file: name === at ? "" : name })}>${name}</button></td><td><${Share} of=${ranOf(all)} /></td></tr>`)}
    </tbody></table></div>
    ${lines ? html`<${Source} key=${at} name=${at} lines=${lines} />` : ""}`;
};

/**
 * The chosen file that a name in the debug information means: that whose path ends most like it.
 * @param {string} name
 */
const sourceOf = (name) => {
  const parts = name.split("/");
  for (let i = 0; i < parts.length; i++) {
    const tail = parts.slice(i).join("/");
    for (const [path, file] of sources.value) if (path === tail || path.endsWith(`/${tail}`)) return file;
  }
  return undefined;
};

/**
 * The lines of a file: with their text if it was chosen.
 * @param {{name: string, lines: {number: number, ran: number, blocks: number}[]}} props
 */
const Source = ({ name, lines }) => {
  const [text, set] = useState(/** @type {string[] | undefined} */ (undefined));
  const file = sourceOf(name);
  useEffect(() => {
    set(undefined);
    file?.slice(0, shownBytes).text().then((t) => set(t.split("\n")));
  }, [file]);
  const marks = new Map(lines.map((l) => [l.number, l]));
  const last = lines[lines.length - 1]?.number ?? 0;
  const legend = html`<p class="soft"><span class="ok">✓ covered</span> · <span class="waits">~ partly: not all of its blocks ran</span> · <span class="bad">✗ not covered</span></p>`;
  if (text && text.length < last) return html`<h3 class="name">${name}</h3><p class="waits">The chosen file has ${count(text.length, "line")}, fewer than the module's: it is of another version.</p><${Ranges} lines=${lines} />`;
  if (!text) return html`<h3 class="name">${name}</h3>${legend}${sources.value.size > 0 && !file ? html`<p class="waits">The chosen folder has no such file.</p>` : ""}<${Ranges} lines=${lines} />`;
  return html`<h3 class="name">${name}</h3>${legend}<div class="scroll"><table class="source" aria-label=${name}><tbody>${text.map((line, i) => {
    const mark = marks.get(i + 1);
    const [kind, sign, word] = mark ? kindOf(mark) : ["", "", ""];
    return html`<tr class=${kind && `line-${kind}`}><td class="number soft">${i + 1}</td><td class=${kind} title=${word}>${sign}</td><td><code>${line}</code></td></tr>`;
  })}</tbody></table></div>`;
};

/**
 * The numbers of lines that ran, ran in part, and did not run.
 * @param {{lines: {number: number, ran: number, blocks: number}[]}} props
 */
const Ranges = ({ lines }) => {
  const rows = ["bad", "waits", "ok"].map((kind) => ({ kind, of: lines.filter((l) => kindOf(l)[0] === kind) })).filter((r) => r.of.length > 0);
  return html`<dl>${rows.map(({ kind, of }) => html`<dt class=${kind}>${kindOf(of[0])[1]} ${kindOf(of[0])[2]}</dt><dd>${rangesOf(of.map((l) => l.number), lines.map((l) => l.number))}</dd>`)}</dl>`;
};

/**
 * Numbers as ranges. Lines without code do not interrupt a range.
 * @param {number[]} numbers in order
 * @param {number[]} code all lines with code, in order
 */
const rangesOf = (numbers, code) => {
  const place = new Map(code.map((n, i) => [n, i]));
  /** @type {[number, number][]} */
  const ranges = [];
  for (const n of numbers) {
    const open = ranges[ranges.length - 1];
    if (open && place.get(n) === (place.get(open[1]) ?? 0) + 1) open[1] = n;
    else ranges.push([n, n]);
  }
  return ranges.map(([a, b]) => (a === b ? String(a) : `${a}–${b}`)).join(", ");
};
