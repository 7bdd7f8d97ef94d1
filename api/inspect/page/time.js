// The page Time: the rounds of the instance with their marks, two cursors and what differs between them, and what can be done
// at a moment.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { rpc } from "./api.js";
import { count, grouped, timeText } from "./format.js";
import { Moment } from "./moment.js";
import { diffCommands, forkCommand, momentText, past, withForks } from "./moments.js";
import { Pace } from "./pace.js";
import { useRested } from "./rested.js";
import { go, linkTo, parameter } from "./route.js";
import { answersOf, Differences, Queries } from "./state.js";
import { useSteps } from "./steps.js";
import { changes, clock, events, nameOf } from "./store.js";
import { Shape, Strip } from "./strip.js";
import { CommandLine, html, LongList, Problem, useLoaded } from "./ui.js";

/** The most canisters whose queries are asked at both cursors. */
const mostAsked = 20;

/** Goes to the page with some of its parameters changed. */
const change = (/** @type {Record<string, string>} */ to) => {
  const now = Object.fromEntries(["at", "from", "lo", "hi", "canister", "method", "args", "as"].map((name) => [name, parameter(name)]));
  go(linkTo(["time"], { ...now, ...to }), { replace: true });
};

/** How many messages ran in each round, as far as events are remembered. */
const messagesByRound = () => {
  const ran = new Map();
  for (const e of events) if (e.kind === "EVENT_KIND_MESSAGE_EXECUTED") ran.set(Number(e.height), (ran.get(Number(e.height)) ?? 0) + 1);
  return ran;
};

/** The newest event: the journal is read again only when something has happened, because a read writes the time to it. */
const newest = () => Number(events[events.length - 1]?.sequence ?? 0);

export const Time = () => {
  const rested = useRested(changes.value && newest());
  const { value, failure, reload } = useLoaded(past, [], { live: false });
  const seen = useRef(rested);
  const reading = useRef(true); // a long journal takes longer than a rest: what is being read is not begun again
  useEffect(() => {
    if (value || failure) reading.current = false;
  }, [value, failure]);
  useEffect(() => {
    if (reading.current || seen.current === rested) return;
    seen.current = rested;
    reading.current = true;
    reload();
  }, [rested, value, failure]);
  const messages = useMemo(messagesByRound, [rested]);
  const at = parameter("at");
  const from = parameter("from");
  const select = (/** @type {string} */ moment) => change({ at: moment });
  useSteps(value ? [...new Set(value.points.map((p) => p.key)), ""] : [], at, select);
  if (failure) return html`<div class="page"><h1>Time</h1><${Problem} failure=${failure} /></div>`;
  if (!value || !clock.value) return html`<div class="page" aria-busy="true"></div>`;
  const { kept, points } = value;
  const now = Math.max(Number(clock.value.height), Number(kept?.lastHeight ?? 0));
  const first = kept ? Number(kept.firstHeight) : Math.min(now, ...points.map((p) => p.height), ...messages.keys());
  const heightOf = (/** @type {string} */ moment) => points.find((p) => p.key === moment)?.height ?? (moment === "" ? now : Number(moment.replace(/\D/g, "")));
  const point = points.find((p) => p.key === at);
  const compared = from !== "" && from !== at && !(from === "now" && at === "");
  const start = from === "now" ? "" : from;
  return html`<div class="split"><section class="inbox" aria-label="rounds and marks"><h1>Time</h1><${Sentence} kept=${kept} points=${points} first=${first} now=${now} /><${Pace} />
      <${Rounds} first=${first} now=${now} points=${points} messages=${messages} at=${heightOf(at)} from=${compared ? heightOf(start) : undefined} any=${Boolean(kept)} select=${select} />
      ${compared ? html`<${Compared} before=${start} after=${at} />` : ""}
      <${Marks} points=${points} at=${at} more=${Boolean(kept?.more)} /></section>
    <aside aria-label="selected moment"><${Moment} key=${`${at} ${from}`} at=${at} point=${point} height=${heightOf(at)} kept=${kept} from=${compared ? start : undefined} change=${change} marked=${reload} /></aside></div>
    <${CommandLine} args=${compared ? diffCommands(start, at) : at ? forkCommand("then", at) : kept ? ["time", "instance history"] : ["time", "instance snapshots"]} />`;
};

/**
 * What there is of the past, in a sentence.
 * @param {{kept: any, points: import("./moments.js").Point[], first: number, now: number}} props
 */
const Sentence = ({ kept, points, first, now }) => {
  const of = (/** @type {string} */ kind) => points.filter((p) => p.kind === kind).length;
  const has = [[of("snapshot"), "snapshot"], [of("mark"), "mark"], [of("trap"), "trap"]].filter(([n]) => Number(n) > 0).map(([n, what]) => count(Number(n), String(what)));
  const marks = has.length > 0 ? ` There ${of("snapshot") + of("mark") + of("trap") === 1 ? "is" : "are"} ${has.join(", ").replace(/, ([^,]*)$/, " and $1")}.` : "";
  if (kept) return html`<p role="status">It is round ${grouped(now)}. Every round since ${grouped(first)} can be looked at in a fork.${marks}</p>`;
  return html`<p role="status">It is round ${grouped(now)}.${marks}</p><div class="why"><b>This instance keeps no history:</b> it is in memory only, so its snapshots, and the events that are remembered, are all of its past. <code>canisterd start</code> without <code>--ephemeral</code> keeps the network and its history in a state directory, and so do other instances without <code>--ephemeral</code>.</div>`;
};

/**
 * The strip, its zoom and its legend.
 * @param {{first: number, now: number, points: import("./moments.js").Point[], messages: Map<number, number>, at: number, from?: number, any: boolean, select: (moment: string) => void}} props
 */
const Rounds = ({ first, now, points, messages, at, from, any, select }) => {
  const inside = (/** @type {number} */ height) => Math.min(now, Math.max(first, Math.round(height)));
  const lo = inside(Number(parameter("lo") || first));
  const hi = Math.max(lo, inside(Number(parameter("hi") || now)));
  const zoom = (/** @type {number} */ factor) => {
    const half = ((hi - lo + 1) * factor) / 2;
    const [l, h] = [inside(at - half), inside(at + half)];
    change(l <= first && h >= now ? { lo: "", hi: "" } : { lo: String(l), hi: String(h) });
  };
  return html`<${Strip} lo=${lo} hi=${hi} points=${points} messages=${messages} at=${at} from=${from} any=${any} select=${select} />
    <div class="row tight"><button type="button" disabled=${hi - lo < 4} onClick=${() => zoom(0.25)}>Zoom in</button><button type="button" disabled=${lo === first && hi === now} onClick=${() => zoom(4)}>Zoom out</button>
      <span class="soft legend"><${Shape} kind="snapshot">snapshot<//><${Shape} kind="mark">mark<//><${Shape} kind="trap">trap<//><span>bars: messages</span> <span><kbd>[</kbd> and <kbd>]</kbd> go from mark to mark</span></span></div>`;
};

/**
 * Snapshots, marks and traps as a list.
 * @param {{points: import("./moments.js").Point[], at: string, more: boolean}} props
 */
const Marks = ({ points, at, more }) => html`<h2>Marks</h2>
  ${points.length === 0 ? html`<p>No moment has a mark yet. A snapshot of now can be gone back to; a mark names now, so that a fork can begin there.</p>`
    : html`<${LongList} rows=${points} height=${24} label="snapshots, marks and traps" row=${(/** @type {import("./moments.js").Point} */ p) => html`<${Shape} kind=${p.kind}><a href=${linkTo(["time"], { ...parameters(), at: p.key })} aria-current=${p.key === at ? "true" : undefined}>round ${grouped(p.height)}</a> <span class="soft">${timeText(p.time)}</span> ${p.kind} ${p.canister ? `of ${nameOf(p.canister)}.${p.method}: ` : ""}${p.text}<//>`} />`}
  ${more ? html`<p class="soft">There are more: <code>canisterd instance history</code> lists all.</p>` : ""}`;

/** The parameters of the page that stay when another moment is selected. */
const parameters = () => Object.fromEntries(["from", "lo", "hi", "canister", "method", "args", "as"].map((name) => [name, parameter(name)]));

/**
 * Compares two moments: what differs, and what queries of the canisters that differ answer to the principal of the form.
 * @param {string} before
 * @param {string} after
 */
const comparison = (before, after) => (/** @type {AbortSignal} */ signal) =>
  withForks([before, after], signal, async ([a, b]) => {
    const diff = await rpc("Instances/Diff", { before: { instance: a }, after: { instance: b } }, signal);
    const ids = [...new Set(diff.differences.map((/** @type {any} */ d) => d.canisterId))].filter(Boolean).slice(0, mostAsked);
    return { differences: diff.differences, more: Number(diff.more), queries: await answersOf(ids, parameter("as"), a, b) };
  });

/** @param {{before: string, after: string}} props */
const Compared = ({ before, after }) => {
  const { value, failure, reload } = useLoaded(comparison(before, after), [before, after], { live: false });
  return html`<h2>What changed from ${momentText(before)} to ${momentText(after)}</h2>
    <div class="row tight"><button type="button" onClick=${() => change({ from: after || "now", at: before })}>Swap</button><button type="button" onClick=${() => change({ from: "" })}>Compare no more</button><button type="button" onClick=${reload}>Compare again</button></div>
    ${failure ? html`<${Problem} failure=${failure} />` : !value ? html`<p role="status" aria-busy="true">Both moments are being read.</p>`
      : html`<h3>Answers of queries</h3><${Queries} all=${value.queries} of="The canisters that changed" /><h3>Differences</h3><${Differences} all=${value.differences} more=${value.more} />`}`;
};
