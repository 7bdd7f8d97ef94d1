// The page Profile: where canisters spend instructions.
import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Failure, rpc } from "./api.js";
import { difference, Flame, percent } from "./flame.js";
import { count, grouped } from "./format.js";
import { sumsOf, totalsByPath, treeOf } from "./profiletree.js";
import { useRested } from "./rested.js";
import { go, instance, linkTo, parameter } from "./route.js";
import { changes, nameOf, names, touch } from "./store.js";
import { Action, CommandLine, html, Party, Problem, useLoaded } from "./ui.js";

/** The profile that was stopped last, and the one that others are compared with, by instance. */
const stopped = signal(/** @type {Record<string, any>} */ ({}));
const kept = signal(/** @type {Record<string, any>} */ ({}));

/** The instances whose profile this page has stopped: what was read before that is not shown as running. */
const over = signal(/** @type {Record<string, boolean>} */ ({}));

/** How many functions the table has. */
const shownFunctions = 100;

/**
 * Reads the profile of the instance; undefined if there is none.
 * @param {AbortSignal} abort
 */
const running = async (abort) => {
  try {
    return (await rpc("Profiler/ReadProfile", { instance: instance.value }, abort)).profile;
  } catch (error) {
    if (error instanceof Failure && error.reason === "INSTANCE_NOT_PROFILED") {
      over.value = { ...over.value, [instance.value]: false };
      return null;
    }
    throw error;
  }
};

/**
 * Begins a profile of the instance.
 * @param {string} canister "": of all canisters
 */
const beginProfile = async (canister) => {
  const at = instance.value;
  await rpc("Profiler/StartProfile", { instance: at, canisterIds: canister ? [canister] : [] });
  over.value = { ...over.value, [at]: false };
};

/** Ends the profile of the instance, which the page Profile shows from now on. */
const endProfile = async () => {
  const at = instance.value;
  const { profile } = await rpc("Profiler/StopProfile", { instance: at });
  stopped.value = { ...stopped.value, [at]: profile };
  over.value = { ...over.value, [at]: true };
  touch();
};

/**
 * Begins and ends a profile on the page of a canister, and leads to its flame graph.
 * @param {{id: string}} props
 */
export const ProfileSwitch = ({ id }) => {
  const { value: read, failure, reload } = useLoaded(running, [id], { live: false });
  const at = instance.value;
  const value = read && over.value[at] ? null : read;
  const graph = html`<a href=${linkTo(["profile"], { canister: id })}>Flame graph</a>`;
  if (failure) return html`<${Problem} failure=${failure} />`;
  if (value === undefined) return html`<div class="row" aria-busy="true"></div>`;
  return html`<div class="row">${value
    ? html`<${Action} key="end" act=${() => endProfile().then(reload)}>Stop the profile<//><span class="ok" role="status">Every message is counted.</span>${graph}`
    : html`<${Action} key="begin" act=${() => beginProfile(id).then(reload)}>Profile<//>${stopped.value[at] ? graph : html`<span class="soft">where it spends instructions</span>`}`}</div>`;
};

export const Profile = () => {
  const { value: read, failure, reload } = useLoaded(running, [], { live: false });
  useEffect(reload, [useRested(changes.value)]);
  const at = instance.value;
  const value = read && over.value[at] ? null : read;
  const begin = (/** @type {string} */ canister) => beginProfile(canister).then(reload);
  const end = () => endProfile().then(reload);
  const keep = async () => {
    kept.value = { ...kept.value, [at]: shown };
  };
  if (failure) return html`<div class="page"><${Problem} failure=${failure} /></div>`;
  if (value === undefined) return html`<div class="page" aria-busy="true"></div>`;
  const shown = value ?? stopped.value[at];
  return html`<div class="page"><h1>Profile</h1>
    ${value
      ? html`<p role="status"><span class="ok">Every message is counted</span> since the profile began: ${count(Number(value.messages ?? 0), "run")} of code.</p>`
      : html`<p>${shown ? "The profile has ended." : "A profile says where canisters spend instructions: by function and call path, across awaits and canisters. The counts are exact, and canisters need not be built for it."}</p>`}
    <div class="row">${value ? html`<${Action} kind="main" act=${end}>Stop<//>` : html`<${Begin} begin=${begin} again=${Boolean(shown)} />`}
      ${shown && Number(shown.messages ?? 0) > 0 ? html`<${Action} act=${keep}>Keep to compare<//>` : ""}
      ${kept.value[at] ? html`<${Action} act=${async () => { kept.value = { ...kept.value, [at]: undefined }; }}>Compare no more<//>` : ""}</div>
    ${shown ? html`<${Graph} profile=${shown} before=${kept.value[at] === shown ? undefined : kept.value[at]} />` : ""}
  </div><${CommandLine} args=${value ? "profile read" : shown ? "profile stop --out profile.pprof" : "profile start"} />`;
};

/**
 * @param {{begin: (canister: string) => Promise<any>, again: boolean}} props
 */
const Begin = ({ begin, again }) => {
  const canister = parameter("canister");
  return html`<label>of <select value=${canister} onChange=${(/** @type {any} */ e) => go(linkTo(["profile"], { canister: e.target.value }), { replace: true })}>
      <option value="">all canisters</option>${Object.entries(names.value.canisters).map(([id, name]) => html`<option value=${id}>${name}</option>`)}${canister && !names.value.canisters[canister] ? html`<option value=${canister}>${canister}</option>` : ""}</select></label>
    <${Action} kind="main" act=${() => begin(canister)}>${again ? "Profile again" : "Profile"}<//>`;
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
