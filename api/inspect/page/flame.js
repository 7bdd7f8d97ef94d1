// Draws a profile as a flame graph: the root at the top, the frames that a frame called below it.
import { useEffect, useRef, useState } from "preact/hooks";
import { count, grouped } from "./format.js";
import { barsOf } from "./profiletree.js";
import { hueOf, nameOf } from "./store.js";
import { html } from "./ui.js";

const high = 20; // of a row, in pixels
const letter = 6.6; // width of a letter
const thinnest = 2; // a bar that is drawn

/** A flame graph has at most this many bars: the document stays small however large the profile is. */
const mostBars = 1200;

/**
 * A share as people read it: 12.3 %.
 * @param {number} part
 * @param {number} whole
 */
export const percent = (part, whole) => (whole === 0 ? "0 %" : `${((100 * part) / whole).toFixed(1)} %`);

/**
 * How a total differs from an earlier one.
 * @param {number} now
 * @param {number | undefined} before
 */
export const difference = (now, before) => {
  if (before === undefined) return { kind: "more", text: "new" };
  if (now === before) return { kind: "", text: "" };
  return { kind: now > before ? "more" : "less", text: `${now > before ? "▲" : "▼"} ${before === 0 ? "new" : percent(Math.abs(now - before), before)}` };
};

/**
 * @param {{at: import("./profiletree.js").Frame, whole: number, found: (label: string) => boolean, before?: Map<string, number>, zoom: (frame: import("./profiletree.js").Frame) => void}} props
 */
export const Flame = ({ at, whole, found, before, zoom }) => {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [width, setWidth] = useState(900);
  useEffect(() => {
    const measure = () => setWidth(Math.max(240, box.current?.clientWidth ?? 900));
    measure();
    addEventListener("resize", measure);
    return () => removeEventListener("resize", measure);
  }, []);
  const bars = barsOf(at, { least: thinnest / width, most: mostBars });
  const rows = bars.reduce((most, bar) => Math.max(most, bar.row + 1), 0);
  return html`<div class="flamebox" ref=${box}><svg class="flame" width=${width} height=${rows * high} role="group" aria-label=${`flame graph of ${count(bars.length, "frame")}`}>
    ${bars.map((bar) => html`<${Bar} key=${bar.path} bar=${bar} width=${width} whole=${whole} hit=${found(bar.frame.label)} was=${before && difference(bar.frame.total, before.get(bar.path))} zoom=${zoom} />`)}
  </svg></div>`;
};

/**
 * @param {{bar: import("./profiletree.js").Bar, width: number, whole: number, hit: boolean, was?: {kind: string, text: string}, zoom: (frame: import("./profiletree.js").Frame) => void}} props
 */
const Bar = ({ bar, width, whole, hit, was, zoom }) => {
  const { frame } = bar;
  const wide = bar.share * width;
  const name = frame.parent ? frame.label : "all messages";
  const text = `${name}${was?.text ? ` ${was.text}` : ""}`;
  const room = Math.floor((wide - 6) / letter);
  const keyed = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    zoom(frame);
  };
  const label = `${name}${frame.canister && frame.kind !== "entry" && frame.kind !== "await" ? ` of ${nameOf(frame.canister)}` : ""}${frame.source ? ` (${frame.source})` : ""}: ${grouped(frame.total)} instructions, ${percent(frame.total, whole)}, ${grouped(frame.self)} of its own, ${count(frame.calls, "call")}${was?.text ? `, ${was.text}` : ""}`;
  return html`<g class=${`bar ${frame.kind} ${hit ? "hit" : ""} ${was?.kind ?? ""}`} style=${`--hue:${hueOf(frame.canister)}`} transform=${`translate(${bar.left * width} ${bar.row * high})`} role="button" tabindex="0" onClick=${() => zoom(frame)} onKeyDown=${keyed}>
    <title>${label}</title><rect width=${Math.max(1, wide - 1)} height=${high - 1} rx="2" />${room > 2 ? html`<text x="4" y="14">${text.length > room ? `${text.slice(0, room - 1)}…` : text}</text>` : ""}</g>`;
};
