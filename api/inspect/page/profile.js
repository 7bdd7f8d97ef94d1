// The page Profile: where canisters spend instructions.
import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { rpc } from "./api.js";
import { difference, Flame, percent } from "./flame.js";
import { count, grouped } from "./format.js";
import { sumsOf, totalsByPath, treeOf } from "./profiletree.js";
import { BeginRecording, recordingOf, RecordingSwitch } from "./recording.js";
import { useRested } from "./rested.js";
import { go, instance, linkTo, parameter } from "./route.js";
import { changes, nameOf, names } from "./store.js";
import { Action, CommandLine, html, Party, Problem } from "./ui.js";

const profiles = recordingOf({
  start: "Profiler/StartProfile", absent: "INSTANCE_NOT_PROFILED",
  read: async (at, abort) => (await rpc("Profiler/ReadProfile", { instance: at }, abort)).profile,
  stop: async (at) => (await rpc("Profiler/StopProfile", { instance: at })).profile,
});

/** The profile that others are compared with, by instance. */
const kept = signal(/** @type {Record<string, any>} */ ({}));

/** How many functions the table has. */
const shownFunctions = 100;

/**
 * Begins and ends a profile on the page of a canister, and leads to its flame graph.
 * @param {{id: string}} props
 */
export const ProfileSwitch = ({ id }) => html`<${RecordingSwitch} id=${id} recording=${profiles} page=${["profile", "Flame graph"]} words=${{ begin: "Profile", end: "Stop the profile", running: "Every message is counted.", about: "where it spends instructions" }} />`;

export const Profile = () => {
  const { value, failure, reload } = profiles.use([]);
  useEffect(reload, [useRested(changes.value)]);
  const at = instance.value;
  const begin = (/** @type {string} */ canister) => profiles.begin(canister).then(reload);
  const end = () => profiles.end().then(reload);
  const keep = async () => {
    kept.value = { ...kept.value, [at]: shown };
  };
  if (failure) return html`<div class="page"><${Problem} failure=${failure} /></div>`;
  if (value === undefined) return html`<div class="page" aria-busy="true"></div>`;
  const shown = value ?? profiles.stopped();
  return html`<div class="page"><h1>Profile</h1>
    ${value
      ? html`<p role="status"><span class="ok">Every message is counted</span> since the profile began: ${count(Number(value.messages ?? 0), "run")} of code.</p>`
      : html`<p>${shown ? "The profile has ended." : "A profile says where canisters spend instructions: by function and call path, across awaits and canisters. The counts are exact, and canisters need not be built for it."}</p>`}
    <div class="row">${value ? html`<${Action} kind="main" act=${end}>Stop<//>` : html`<${BeginRecording} canister=${parameter("canister")} choose=${(/** @type {string} */ to) => go(linkTo(["profile"], { canister: to }), { replace: true })} begin=${begin} word=${shown ? "Profile again" : "Profile"} />`}
      ${shown && Number(shown.messages ?? 0) > 0 ? html`<${Action} act=${keep}>Keep to compare<//>` : ""}
      ${kept.value[at] ? html`<${Action} act=${async () => { kept.value = { ...kept.value, [at]: undefined }; }}>Compare no more<//>` : ""}</div>
    ${shown ? html`<${Graph} profile=${shown} before=${kept.value[at] === shown ? undefined : kept.value[at]} />` : ""}
  </div><${CommandLine} args=${value ? "profile read" : shown ? "profile stop --out profile.pprof" : "profile start"} />`;
};

/**
 * @param {{profile: any, before?: any}} props
 */
const Graph = ({ profile, before }) => {
  const root = useMemo(() => treeOf(profile, nameOf), [profile, names.value]);
  const sums = useMemo(() => sumsOf(root), [root]);
  const earlier = useMemo(() => (before ? treeOf(before, nameOf) : undefined), [before, names.value]);
  const totals = useMemo(() => (earlier ? totalsByPath(earlier) : undefined), [earlier]);
  const find = parameter("find").toLowerCase();
  const found = (/** @type {string} */ label) => find !== "" && label.toLowerCase().includes(find);
  const at = frameAt(root, parameter("at"));
  const change = (/** @type {Record<string, string>} */ to) => go(linkTo(["profile"], { find: parameter("find"), at: parameter("at"), canister: parameter("canister"), ...to }), { replace: true });
  if (root.total === 0) return html`<p class="soft">No message has run yet.</p>`;
  const hits = sums.filter((s) => found(s.label));
  return html`<p><b class="number">${grouped(root.total)}</b> instructions${earlier ? html`, <span class="number">${grouped(earlier.total)}</span> before ${difference(root.total, earlier.total).text}` : ""}.</p>
    <label class="field">Find functions <input type="search" value=${parameter("find")} placeholder="part of a name" onInput=${(/** @type {any} */ e) => change({ find: e.target.value })} /></label>
    ${find ? html`<p role="status">${count(hits.length, "function")} with ${percent(hits.reduce((sum, s) => sum + s.self, 0), root.total)} of the instructions.</p>` : ""}
    ${at !== root ? html`<p><button type="button" onClick=${() => change({ at: "" })}>Show all</button> <span class="soft">${percent(at.total, root.total)} of all instructions are in ${at.label}</span></p>` : ""}
    <${Flame} at=${at} whole=${root.total} found=${found} before=${totals} zoom=${(/** @type {any} */ frame) => change({ at: placeOf(frame) })} />
    <h2>Functions</h2><${Functions} sums=${find ? hits : sums} whole=${root.total} before=${earlier && sumsOf(earlier)} choose=${(/** @type {string} */ label) => change({ find: label })} />`;
};

/**
 * The place of a frame in the tree: which child on each level, from the root on.
 * @param {import("./profiletree.js").Frame} frame
 */
const placeOf = (frame) => {
  const place = [];
  for (let at = frame; at.parent; at = at.parent) place.unshift(at.parent.children.indexOf(at));
  return place.join(".");
};

/**
 * The frame at a place, or the nearest one above it: another profile may not have it.
 * @param {import("./profiletree.js").Frame} root
 * @param {string} place
 */
const frameAt = (root, place) => {
  let at = root;
  for (const part of place.split(".").filter(Boolean)) at = at.children[Number(part)] ?? at;
  return at;
};

/**
 * @param {{sums: ReturnType<typeof sumsOf>, whole: number, before?: ReturnType<typeof sumsOf>, choose: (label: string) => void}} props
 */
const Functions = ({ sums, whole, before, choose }) => {
  const was = new Map(before?.map((s) => [s.key, s.self]));
  return html`<div class="scroll"><table><thead><tr><th class="number">self</th><th class="number">%</th><th class="number">total</th><th class="number">%</th><th class="number">calls</th>${before ? html`<th>before</th>` : ""}<th>function</th><th>canister</th></tr></thead><tbody>
    ${sums.slice(0, shownFunctions).map((s) => html`<tr key=${s.key}><td class="number">${grouped(s.self)}</td><td class="number">${percent(s.self, whole)}</td><td class="number">${grouped(s.total)}</td><td class="number">${percent(s.total, whole)}</td><td class="number">${grouped(s.calls)}</td>
      ${before ? html`<td class=${difference(s.self, was.get(s.key)).kind === "more" ? "waits" : ""}>${difference(s.self, was.get(s.key)).text}</td>` : ""}
      <td><button type="button" class="copy" onClick=${() => choose(s.label)}><code>${s.label}</code></button>${s.source ? html` <span class="soft">${s.source}</span>` : ""}</td><td>${s.canister ? html`<${Party} id=${s.canister} />` : ""}</td></tr>`)}
  </tbody></table></div>${sums.length > shownFunctions ? html`<p class="soft">${count(sums.length - shownFunctions, "function")} more with less.</p>` : ""}`;
};
