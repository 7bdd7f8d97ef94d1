// The strip of rounds: marks above, how many messages ran below, and the two cursors. However many rounds there are, it has
// at most a fixed number of parts.
import { useEffect, useRef, useState } from "preact/hooks";
import { count, grouped } from "./format.js";
import { html } from "./ui.js";

/** The most parts of the strip, and the least width of one in pixels. */
const mostParts = 160;
const leastWidth = 9;

const high = 100;
const base = 74; // the bottom of the bars
const tallest = 34;
const side = 12; // left and right of the rounds, in pixels

/** What stands for a kind of point, 12 pixels wide and high. */
const shapes = /** @type {Record<string, string>} */ ({ snapshot: "M6 1l5 5-5 5-5-5z", mark: "M3 11V1h7L8 4l2 3H3", trap: "M2 2l8 8M10 2l-8 8" });
const kinds = /** @type {const} */ (["snapshot", "mark", "trap"]);

/**
 * @typedef {object} Part
 * @property {number} first round
 * @property {number} last round
 * @property {import("./moments.js").Point[]} points
 * @property {number} messages
 */

/**
 * Divides rounds into parts of equal length.
 * @param {{lo: number, hi: number, most: number, points: import("./moments.js").Point[], messages: Map<number, number>}} of
 * @returns {Part[]}
 */
export const partsOf = ({ lo, hi, most, points, messages }) => {
  const size = Math.max(1, Math.ceil((hi - lo + 1) / most));
  const parts = /** @type {Part[]} */ ([]);
  for (let first = lo; first <= hi; first += size) parts.push({ first, last: Math.min(hi, first + size - 1), points: [], messages: 0 });
  const at = (/** @type {number} */ height) => parts[Math.floor((height - lo) / size)];
  for (const p of points) if (p.height >= lo && p.height <= hi) at(p.height).points.push(p);
  for (const [height, n] of messages) if (height >= lo && height <= hi) at(height).messages += n;
  return parts;
};

/**
 * A shape with its meaning, for the legend.
 * @param {{kind: string, children?: any}} props
 */
export const Shape = ({ kind, children }) => html`<span class="shape"><svg class=${`point ${kind}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true"><path d=${shapes[kind]} /></svg> ${children}</span>`;

/**
 * What a part has, in words.
 * @param {Part} part
 */
const labelOf = ({ first, last, points, messages }) => {
  const rounds = first === last ? `round ${grouped(first)}` : `rounds ${grouped(first)} to ${grouped(last)}`;
  const counted = kinds.map((kind) => [kind, points.filter((p) => p.kind === kind)]).filter(([, of]) => of.length > 0);
  const names = counted.map(([kind, of]) => (of.length === 1 ? `${kind} ${/** @type {any} */ (of[0]).text}` : count(of.length, String(kind))));
  return `${rounds}: ${[...names, ...(messages > 0 ? [count(messages, "message")] : [])].join(", ") || "nothing is known"}`;
};

/**
 * @param {{
 *   lo: number, hi: number, points: import("./moments.js").Point[], messages: Map<number, number>,
 *   at: number, from?: number, any: boolean, select: (moment: string) => void,
 * }} props at, from: the rounds of the cursors; any: any round can be selected
 */
export const Strip = ({ lo, hi, points, messages, at, from, any, select }) => {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [width, setWidth] = useState(800);
  useEffect(() => {
    const measure = () => box.current && setWidth(box.current.clientWidth);
    measure();
    addEventListener("resize", measure);
    return () => removeEventListener("resize", measure);
  }, []);
  const inner = Math.max(100, width - 2 * side);
  const parts = partsOf({ lo, hi, most: Math.min(mostParts, Math.floor(inner / leastWidth)), points, messages });
  const each = inner / parts.length;
  const busiest = Math.max(1, ...parts.map((p) => p.messages));
  const size = parts[0].last - parts[0].first + 1;
  const place = (/** @type {number} */ height) => side + Math.min(inner, Math.max(0, ((height - lo + 0.5) / size) * each));
  const clicked = (/** @type {MouseEvent} */ event) => {
    if (!any || !box.current) return;
    const x = event.clientX - box.current.getBoundingClientRect().left - side;
    select(String(Math.min(hi, Math.max(lo, lo + Math.floor((x / each) * size)))));
  };
  const cursor = (/** @type {number} */ height, /** @type {string} */ name) =>
    height < lo || height > hi ? "" : html`<g class=${`cursor ${name}`}><line x1=${place(height)} x2=${place(height)} y1="16" y2=${base + 4} /><text x=${Math.min(Math.max(place(height), 24), width - 24)} y="11" text-anchor="middle">${name}</text></g>`;
  return html`<div class="strip" ref=${box}><svg width=${width} height=${high} role="group" aria-label=${`rounds ${grouped(lo)} to ${grouped(hi)}`} onClick=${clicked}>
    <rect class="ground" x=${side} y="18" width=${inner} height=${base - 18} />
    ${parts.map((p, i) => html`<${PartOf} key=${p.first} part=${p} x=${side + i * each} width=${each} tall=${(tallest * p.messages) / busiest} select=${select} />`)}
    <line class="rule" x1=${side} x2=${side + inner} y1=${base} y2=${base} />
    ${from === undefined ? "" : cursor(from, "before")}${cursor(at, from === undefined ? "selected" : "after")}
    <text class="soft" x=${side} y=${high - 8}>round ${grouped(lo)}</text><text class="soft" x=${side + inner} y=${high - 8} text-anchor="end">round ${grouped(hi)}</text></svg></div>`;
};

/**
 * @param {{part: Part, x: number, width: number, tall: number, select: (moment: string) => void}} props
 */
const PartOf = ({ part, x, width, tall, select }) => {
  const label = labelOf(part);
  const bar = part.messages > 0 ? html`<rect class="ran" x=${x + 1} y=${base - Math.max(2, tall)} width=${Math.max(1, width - 2)} height=${Math.max(2, tall)} />` : "";
  if (part.points.length === 0) return bar ? html`<g><title>${label}</title>${bar}</g>` : null;
  const found = kinds.filter((kind) => part.points.some((p) => p.kind === kind));
  const choose = (/** @type {Event} */ event) => {
    event.stopPropagation();
    select(part.points[0].key);
  };
  const keyed = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose(event);
  };
  return html`<g class="part" role="button" tabindex="0" aria-label=${label} onClick=${choose} onKeyDown=${keyed}><title>${label}</title><rect class="hit" x=${x + width / 2 - 7} y="18" width="14" height=${base - 18} />${bar}
    ${found.map((kind, i) => html`<path class=${`point ${kind}`} d=${shapes[kind]} transform=${`translate(${x + width / 2 - 6} ${20 + i * 14})`} />`)}</g>`;
};
