// Draws a run as a sequence diagram, of which a message can be selected. Time runs down.
import { useEffect, useRef } from "preact/hooks";
import { count } from "./format.js";
import { hueOf, nameOf } from "./store.js";
import { html } from "./ui.js";

const wideLane = 196; // in pixels, as everything here
const narrowLane = 120; // in a narrow window
const left = 34; // the numbers of messages
const head = 44;
const row = 44;
const bar = 5; // width of an await

/**
 * Who a message is from and to: users share a lane, which is "".
 * @param {any} m
 */
const ends = (m) => (m.kind === "ingress" ? { from: "", to: m.canisterId } : m.kind === "request" || m.kind === "response" ? { from: m.sender, to: m.canisterId } : { from: m.canisterId, to: m.canisterId });

/**
 * Shortens a text.
 * @param {string} text
 * @param {number} most
 */
const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** @param {any} m */
const labelOf = (m) => {
  if (m.kind === "response") return m.reject ? "reject" : `reply ${m.value ?? ""}`;
  if (m.kind === "ingress" || m.kind === "request") return `${m.kind === "ingress" ? `${m.message}: ` : ""}${m.method}${m.value ?? ""}`;
  return m.message;
};

/**
 * The rows in which calls were made and answered, for the times in which canisters await.
 * @param {any[]} messages
 */
const awaitsOf = (messages) => {
  /** @type {Map<string, {at: number, canister: string}>} */
  const made = new Map();
  /** @type {{canister: string, from: number, to: number, call: string, place: number}[]} */
  const all = [];
  messages.forEach((m, i) => {
    const call = m.kind === "response" ? m.message.replace(/\.reply$/, "") : "";
    const begun = made.get(call);
    if (begun) all.push({ canister: m.canisterId, from: begun.at, to: i, call, place: 0 });
    made.delete(call);
    for (const c of m.calls ?? []) made.set(c, { at: i, canister: m.canisterId });
  });
  for (const [call, { at, canister }] of made) all.push({ canister, from: at, to: messages.length, call, place: 0 });
  for (const a of all) a.place = all.filter((b) => b !== a && b.canister === a.canister && b.from < a.from && b.to > a.from).length % 4;
  return all;
};

/**
 * @param {{moments: any[], at: number, select: (at: number) => void}} props at: the number of the selected message, from 1; 0: before the first
 */
export const RunDiagram = ({ moments, at, select }) => {
  const messages = moments.slice(1);
  const lane = innerWidth < 600 ? narrowLane : wideLane;
  const most = Math.floor(lane / 7.5); // characters of a text
  const lanes = [...new Set(messages.flatMap((m) => { const e = ends(m); return [e.from, e.to]; }))];
  if (lanes.includes("")) lanes.sort((a, b) => Number(b === "") - Number(a === ""));
  const x = (/** @type {string} */ id) => left + lanes.indexOf(id) * lane + lane / 2;
  const y = (/** @type {number} */ i) => head + 26 + i * row;
  const width = left + lanes.length * lane;
  const height = head + messages.length * row + 16;
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => box.current?.querySelector("g.sel")?.scrollIntoView?.({ block: "nearest" }), [at]);
  return html`<div class="scroll rundiagram" ref=${box}><svg class="lanes" width=${width} height=${height} role="group" aria-label=${`${count(messages.length, "message")} between ${lanes.map((id) => nameOf(id) || "users").join(", ")}`}>
    <defs><marker id="runtip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8z" fill="var(--edge)" /></marker></defs>
    ${lanes.map((id) => html`<text x=${x(id)} y="18" text-anchor="middle" class="lanename">${id ? cut(nameOf(id), most) : "users"}</text><line class="rule" x1=${x(id)} x2=${x(id)} y1="28" y2=${height - 8} />`)}
    ${messages.map((m, i) => html`<${Row} key=${i} m=${m} number=${i + 1} selected=${i + 1 === at} after=${i + 1 > at} select=${() => select(i + 1)} most=${most} x=${x} y=${y(i)} width=${width} />`)}
    ${awaitsOf(messages).map((a) => html`<rect class="awaits" style=${`--hue:${hueOf(a.canister)}`} x=${x(a.canister) + 2 + a.place * (bar + 1)} y=${y(a.from)} width=${bar} height=${(a.to - a.from) * row}><title>awaits ${a.call}</title></rect>`)}</svg></div>`;
};

/**
 * @param {{m: any, number: number, selected: boolean, after: boolean, select: () => void, most: number, x: (id: string) => number, y: number, width: number}} props most: characters of a text; after: the message is delivered after the selected one
 */
const Row = ({ m, number, selected, after, select, most, x, y, width }) => {
  const { from, to } = ends(m);
  const self = from === to;
  const answer = m.kind === "response";
  const bad = Boolean(m.trap || m.reject);
  const text = cut(labelOf(m), most);
  const fault = m.fault ? `✕ ${m.fault}` : m.trap ? "✕ traps" : "";
  const middle = self ? x(from) + 30 : (x(from) + x(to)) / 2;
  const keyed = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    select();
  };
  return html`<g class=${`step ${selected ? "sel" : ""} ${after ? "later" : ""}`} role="button" tabindex="0" aria-pressed=${selected} onClick=${select} onKeyDown=${keyed}>
    <title>${m.line}</title><rect class="hit" x="0" y=${y - 26} width=${width} height=${row} rx="4" /><text class="soft" x="6" y=${y + 4}>${number}</text>
    <path class=${`arrow ${bad ? "waits" : ""}`} d=${self ? `M${x(from)} ${y - 4} h22 v9 h-18` : `M${x(from)} ${y} L${x(to) + (x(to) > x(from) ? -2 : 2)} ${y}`} marker-end="url(#runtip)" stroke-dasharray=${answer ? "5 3" : undefined} />
    <text x=${middle} y=${y - 7} text-anchor=${self ? "start" : "middle"} class=${bad ? "bad" : ""}>${bad && !m.fault && !m.trap ? "✕ " : ""}${text}</text>
    ${fault ? html`<text x=${middle} y=${y + 13} text-anchor=${self ? "start" : "middle"} class="bad">${cut(fault, most)}</text>` : ""}</g>`;
};
