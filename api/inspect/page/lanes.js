// Draws a lane for each canister and a column for each round. Only what is in view is in the document.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { mostInCell } from "./picture.js";
import { count, cyclesText, bytesText, grouped, shortId, spanText } from "./format.js";
import { hueOf, nameOf } from "./store.js";
import { html } from "./ui.js";

const block = 148; // width of a block, in pixels, as everything here
const between = 10;
const high = 42;
const lane = 96;
const head = 26;
const left = 150; // the names of lanes
const gapWidth = 74;
const margin = 400; // what is drawn beside the view

/** From this on, a gap between two rounds is drawn: a second. */
const shortestGap = 1_000_000_000n;

/**
 * Where columns are.
 * @param {import("./picture.js").Column[]} columns
 */
const placesOf = (columns) => {
  let x = left;
  return columns.map((column) => {
    const gap = column.gap >= shortestGap ? gapWidth : 0;
    const at = { gapAt: x, gap, x: x + gap, width: column.width * (block + between) + between };
    x = at.x + at.width;
    return at;
  });
};

/** What stands before the title of a message, 12 pixels wide and high. */
const marks = { trap: "M2 2l8 8M10 2l-8 8", reply: "M4 2L1 5l3 3M1 5h7a3 3 0 0 1 3 3v2", timer: "M6 1a5 5 0 1 0 0 10A5 5 0 0 0 6 1zM6 3.500v3l2 1", wait: "M4 2v8M8 2v8" };

/**
 * Shortens a text to the width of a block.
 * @param {string} text
 * @param {number} [most]
 */
const cut = (text, most = 21) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/**
 * @param {{x: number, y: number, title: string, state: string, kind: string, hue: number, selected: boolean, label: string, select: () => void, mark?: keyof typeof marks}} props
 */
const Message = ({ x, y, title, state, kind, hue, selected, label, select, mark }) => {
  const keyed = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    select();
  };
  return html`<g class=${`msg ${kind} ${selected ? "sel" : ""}`} style=${`--hue:${hue}`} transform=${`translate(${x} ${y})`} role="button" tabindex="0" aria-pressed=${selected} onClick=${select} onKeyDown=${keyed}>
    <title>${label}</title><rect width=${block} height=${high} rx="5" />${mark ? html`<path class="mark" d=${marks[mark]} transform="translate(7 6)" />` : ""}<text x=${mark ? 24 : 8} y="17">${cut(title, mark ? 18 : 21)}</text><text class="state" x="8" y="33">${cut(state, 23)}</text></g>`;
};

/**
 * @param {{
 *   picture: ReturnType<typeof import("./picture.js").arrange>, canisters: Map<string, any>, waits: any[], now: bigint,
 *   selected: string, select: (key: string) => void, next?: {canister: string, span: bigint},
 * }} props waits: open calls and held messages, each {key, canister, from, title, state, label, made}
 */
export const Lanes = ({ picture, canisters, waits, now, selected, select, next }) => {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const stay = useRef(true);
  const [view, setView] = useState({ x: 0, y: 0, width: 1200, height: 800 });
  const lanes = [...picture.lanes];
  for (const w of waits) if (!lanes.includes(w.canister)) lanes.push(w.canister);
  const row = new Map(lanes.map((id, i) => [id, i]));
  const places = placesOf(picture.columns);
  const last = places[places.length - 1];
  const lastTime = picture.columns[picture.columns.length - 1]?.time ?? now;
  const nowGap = now - lastTime >= shortestGap && picture.columns.length > 0 ? gapWidth : 0;
  const nowAt = (last ? last.x + last.width : left) + nowGap;
  /** @type {Map<string, number>} */
  const perLane = new Map();
  for (const w of waits) perLane.set(w.canister, (perLane.get(w.canister) ?? 0) + 1);
  const nowWidth = Math.max(1, ...[...perLane.values()].map((n) => Math.min(n, mostInCell))) * (block + between) + between;
  const width = nowAt + nowWidth;
  const height = head + lanes.length * lane;

  const measure = () => {
    const b = box.current;
    if (!b) return; // the page was left before it was shown
    stay.current = b.scrollLeft + b.clientWidth > b.scrollWidth - 40;
    setView({ x: b.scrollLeft, y: b.scrollTop, width: b.clientWidth, height: b.clientHeight });
  };
  useLayoutEffect(() => {
    if (stay.current && box.current) box.current.scrollLeft = box.current.scrollWidth;
  }, [width]);
  useEffect(() => {
    measure();
    addEventListener("resize", measure);
    return () => removeEventListener("resize", measure);
  }, []);
  useEffect(() => {
    const at = picture.byKey.get(selected);
    if (!at || !box.current) return;
    const i = picture.columns.findIndex((c) => c.height === at.height);
    const x = places[i].x;
    if (x < box.current.scrollLeft + left || x + block > box.current.scrollLeft + box.current.clientWidth) box.current.scrollLeft = x - box.current.clientWidth / 2;
  }, [selected]);

  const inView = (/** @type {number} */ x, /** @type {number} */ wide) => x + wide > view.x - margin && x < view.x + view.width + margin;
  const rowInView = (/** @type {number} */ i) => head + (i + 1) * lane > view.y - lane && head + i * lane < view.y + view.height + lane;
  const top = (/** @type {number} */ i) => head + i * lane + 24;

  /** @type {Map<string, {x: number, y: number}>} */
  const drawn = new Map();
  const messages = [];
  const heads = [];
  picture.columns.forEach((column, i) => {
    const at = places[i];
    if (!inView(at.gapAt, at.gap + at.width)) return;
    if (at.gap) heads.push(html`<rect class="gap" x=${at.gapAt + 6} y=${head} width=${at.gap - 12} height=${height - head} rx="4" /><text class="soft" x=${at.gapAt + 12} y=${head + 16}>+${spanText(column.gap)}</text>`);
    heads.push(html`<line class="rule" x1=${at.x} x2=${at.x} y1=${head} y2=${height} /><text class="soft" x=${at.x + 8} y="17">round ${grouped(column.height)}</text>`);
    for (const [canister, cell] of column.cells) {
      const r = row.get(canister) ?? 0;
      const many = cell.length > mostInCell;
      cell.slice(0, many ? mostInCell - 1 : mostInCell).forEach((b, n) => {
        const x = at.x + between + n * (block + between);
        drawn.set(b.key, { x, y: top(r) });
        if (!rowInView(r)) return;
        const state = b.state || `${grouped(b.event.instructions ?? 0)} instructions`;
        messages.push(html`<${Message} key=${b.key} x=${x} y=${top(r)} title=${b.title} mark=${b.kind === "bad" ? "trap" : b.answers ? "reply" : b.kind === "due" ? "timer" : undefined} state=${state} kind=${b.kind} hue=${hueOf(canister)} selected=${selected === b.key} select=${() => select(b.key)}
          label=${`${nameOf(canister)}.${b.title}, round ${b.height}, ${state}`} />`);
      });
      if (many && rowInView(r)) {
        const x = at.x + between + (mostInCell - 1) * (block + between);
        const hidden = cell[mostInCell - 1];
        messages.push(html`<${Message} key=${`more ${hidden.key}`} x=${x} y=${top(r)} title=${`+ ${count(cell.length - mostInCell + 1, "message")}`} state="select to go through them" kind="" hue=${hueOf(canister)} selected=${false} select=${() => select(hidden.key)} label=${`${count(cell.length - mostInCell + 1, "more message")} of ${nameOf(canister)} in round ${column.height}`} />`);
      }
    }
  });

  /** @type {any[]} */
  const arrows = [];
  const arrow = (/** @type {string} */ key, /** @type {{x: number, y: number} | undefined} */ from, /** @type {{x: number, y: number} | undefined} */ to, /** @type {string} */ kind) => {
    if (!from || !to || (!inView(from.x, block) && !inView(to.x, block))) return;
    const down = to.y > from.y;
    const d = Math.abs(from.x - to.x) < block && from.y !== to.y
      ? `M${from.x + block / 2} ${down ? from.y + high : from.y} L${to.x + block / 2} ${down ? to.y : to.y + high}`
      : `M${from.x + block} ${from.y + high / 2} C${from.x + block + 28} ${from.y + high / 2} ${to.x - 28} ${to.y + high / 2} ${to.x} ${to.y + high / 2}`;
    arrows.push(html`<path key=${key} class=${`arrow ${kind}`} d=${d} marker-end="url(#tip)" />`);
  };
  for (const key of drawn.keys()) {
    const b = picture.byKey.get(key);
    if (!b) continue;
    const kind = key === selected ? "sel" : "";
    if (b.caused) arrow(`c${key}`, drawn.get(picture.making.get(b.caused)?.key ?? ""), drawn.get(key), kind);
    if (b.answers) arrow(`a${key}`, drawn.get(picture.byCall.get(b.answers)?.key ?? ""), drawn.get(key), kind);
  }

  heads.push(html`<line class="rule" x1=${nowAt} x2=${nowAt} y1=${head} y2=${height} /><text x=${nowAt + 8} y="17">now</text>`);
  if (nowGap) heads.push(html`<rect class="gap" x=${nowAt - nowGap + 6} y=${head} width=${nowGap - 12} height=${height - head} rx="4" /><text class="soft" x=${nowAt - nowGap + 12} y=${head + 16}>+${spanText(now - lastTime)}</text>`);
  const used = new Map();
  for (const w of waits) {
    const n = used.get(w.canister) ?? 0;
    used.set(w.canister, n + 1);
    const r = row.get(w.canister) ?? 0;
    if (n >= mostInCell || !rowInView(r)) continue;
    const at = { x: nowAt + between + n * (block + between), y: top(r) };
    messages.push(html`<${Message} key=${w.key} x=${at.x} y=${at.y} title=${w.title} mark="wait" state=${w.state} kind="waits" hue=${hueOf(w.canister)} selected=${selected === w.key} select=${() => select(w.key)} label=${w.label} />`);
    arrow(`w${w.key}`, drawn.get(picture.making.get(w.call)?.key ?? "") ?? (w.call ? { x: nowAt - block, y: top(row.get(w.from) ?? r) } : undefined), at, selected === w.key ? "sel" : "waits");
  }

  return html`<div class="scroll lanebox" ref=${box} onScroll=${measure} tabindex="0" role="region" aria-label="Messages of canisters by round" style="height:100%;overflow:auto">
    <svg class="lanes" width=${width} height=${height} role="group" aria-label=${`${count(lanes.length, "lane")}, ${count(picture.columns.length, "round")} with messages, ${count(waits.length, "message")} waiting`}>
      <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8z" fill="var(--edge)" /></marker></defs>
      ${lanes.map((id, i) => rowInView(i) && html`<line class="rule" key=${id} x1="0" x2=${width} y1=${head + (i + 1) * lane} y2=${head + (i + 1) * lane} />`)}
      ${heads}${arrows}${messages}
      ${lanes.map((id, i) => rowInView(i) && html`<${LaneName} key=${id} id=${id} x=${view.x} y=${head + i * lane} canister=${canisters.get(id)} timer=${next && next.canister === id ? next.span : undefined} />`)}
    </svg></div>`;
};

/**
 * The name of a lane, which stays at the left of the view.
 * @param {{id: string, x: number, y: number, canister: any, timer?: bigint}} props
 */
const LaneName = ({ id, x, y, canister, timer }) => html`<g transform=${`translate(${x} ${y})`} style=${`--hue:${hueOf(id)}`}><title>${id}</title>
  <rect x="0" y="1" width=${left - 8} height=${lane - 2} fill="var(--bg)" />
  <rect x="12" y="27" width="9" height="9" rx="3" fill="hsl(var(--hue) 45% var(--hue-light))" />
  <text x="27" y="36" style="font-weight:600">${cut(nameOf(id), 15)}</text>
  <text class="soft" x="12" y="53">${shortId(id)}</text>
  <text class="soft" x="12" y="70">${canister ? `${cyclesText(canister.cycles)} · ${bytesText(canister.memoryBytes)}` : ""}</text>
  <text class="soft" x="12" y="87">${timer !== undefined ? `timer in ${spanText(timer)}` : ""}</text></g>`;


