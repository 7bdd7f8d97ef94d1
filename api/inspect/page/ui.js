// Components that all pages share.
import { Component, h } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import htm from "htm";
import { Failure } from "./api.js";
import { bytesText, cyclesText, grouped, quoted, shortId } from "./format.js";
import { instance, instanceName, linkTo } from "./route.js";
import { changes, hueOf, nameOf, noteFailure } from "./store.js";

export const html = htm.bind(h);

/**
 * Loads something, and loads it again when something has happened in the instance or what it depends on is another.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @param {any[]} of what it depends on besides the instance
 * @param {{live?: boolean}} [how] live: also after each change (the default)
 * @returns {{value: T | undefined, failure: Failure | undefined, reload: () => void}}
 */
export const useLoaded = (load, of, { live = true } = {}) => {
  const [state, set] = useState(/** @type {{value?: T, failure?: Failure, of: string}} */ ({ of: "" }));
  const [again, setAgain] = useState(0);
  const key = JSON.stringify([instance.value, ...of]);
  const change = live ? changes.value : 0;
  useEffect(() => {
    const abort = new AbortController();
    load(abort.signal).then(
      (value) => abort.signal.aborted || set({ value, of: key }),
      (error) => {
        if (abort.signal.aborted) return;
        if (!(error instanceof Failure)) throw error;
        noteFailure(error);
        set({ failure: error, of: key });
      },
    );
    return () => abort.abort();
  }, [key, change, again]);
  const current = state.of === key ? state : { value: undefined, failure: undefined };
  return { value: current.value, failure: current.failure, reload: () => setAgain(again + 1) };
};

/**
 * Makes a component of a file that is loaded when it is first shown.
 * @param {() => Promise<(props: any) => any>} load
 */
export const later = (load) => {
  /** @type {((props: any) => any) | undefined} */
  let loaded;
  return (/** @type {any} */ props) => {
    const [, draw] = useState(0);
    useEffect(() => {
      if (loaded) return;
      load().then((component) => {
        loaded = component;
        draw(1);
      });
    }, []);
    return loaded ? html`<${loaded} ...${props} />` : html`<p aria-busy="true"></p>`;
  };
};

/**
 * A canister, user or other party by its name, in the canister's color, with its id on hover.
 * @param {{id: string, plain?: boolean}} props
 */
export const Party = ({ id, plain }) => {
  if (!id) return null;
  const known = id.endsWith("-cai") && !plain;
  const dot = html`<span class="dot" style=${`--hue:${hueOf(id)}`}></span>`;
  return known
    ? html`<a class="party" href=${linkTo(["canister", id])} title=${id}>${dot}${nameOf(id)}</a>`
    : html`<span class="party" title=${id}>${nameOf(id)}</span>`;
};

/**
 * An id in short form that copies the whole one.
 * @param {{id: string}} props
 */
export const Id = ({ id }) => html`<${Copy} text=${id}><code>${shortId(id)}</code></${Copy}>`;

/**
 * A button that copies a text.
 * @param {{text: string, label?: string, children?: any}} props children are what the button shows, or else the label
 */
export const Copy = ({ text, label = "copy", children }) => {
  const [done, set] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    set(true);
    setTimeout(() => set(false), 1200);
  };
  return html`<button class="copy" type="button" title=${`copy ${text}`} onClick=${copy}>${children ?? label}${done ? html`<span class="copied" role="status">copied</span>` : ""}</button>`;
};

/** @param {{amount: string}} props */
export const Cycles = ({ amount }) => html`<span class="number" title=${`${grouped(amount || "0")} cycles`}>${cyclesText(amount)}</span>`;

/** @param {{size: string | number}} props */
export const Bytes = ({ size }) => html`<span class="number" title=${`${grouped(size)} bytes`}>${bytesText(size)}</span>`;

/**
 * A command for the selected instance.
 * @param {string} args after canisterd and its instance
 */
export const commandOf = (args) => `canisterd${instance.value ? ` -i ${quoted(instanceName.value)}` : ""} ${args}`;

/**
 * The command line that does the same as what is shown.
 * @param {{args: string | string[]}} props after canisterd and its instance; several if one command does not do
 */
export const CommandLine = ({ args }) => {
  const text = [args].flat().map(commandOf).join(" && ");
  return html`<footer class="command" aria-label="the same on the command line"><span aria-hidden="true">$ </span><${Copy} text=${text}><code>${text}</code></${Copy}></footer>`;
};

/**
 * Why something could not be shown or done.
 * @param {{failure: Failure | undefined}} props
 */
export const Problem = ({ failure }) =>
  failure ? html`<div class="problem" role="alert"><p>${failure.message}</p>${failure.reason ? html`<p class="soft"><code>${failure.reason}</code></p>` : ""}</div>` : null;

/**
 * A part of a page that fails alone: in its place the page says why, until it is about something else.
 * @extends {Component<{what: string, of?: string, children?: any}, {error?: unknown, of?: string}>}
 */
export class Boundary extends Component {
  /**
   * @param {{of?: string}} props
   * @param {{of?: string}} state
   */
  static getDerivedStateFromProps(props, state) {
    return props.of === state.of ? null : { of: props.of, error: undefined };
  }

  /** @param {unknown} error */
  static getDerivedStateFromError(error) {
    return { error };
  }

  render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return html`<div class="problem" role="alert"><p>${this.props.what} cannot be shown: ${error instanceof Error ? error.message : String(error)}. The command line shows it too.</p></div>`;
  }
}

/**
 * A button whose action takes time. It shows why the action failed. The signal of the action ends with the button.
 * @param {{act: (signal: AbortSignal) => Promise<any>, children?: any, kind?: string, confirm?: string, label?: string, disabled?: boolean}} props
 */
export const Action = ({ act, children, kind = "", confirm: question, label, disabled }) => {
  const [busy, setBusy] = useState(false);
  const [failure, fail] = useState(/** @type {Failure | undefined} */ (undefined));
  const [asking, ask] = useState(false);
  const left = useRef(new AbortController());
  useEffect(() => () => left.current.abort(), []);
  const run = async () => {
    const { signal } = left.current;
    ask(false);
    setBusy(true);
    fail(undefined);
    try {
      await act(signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Failure)) throw error;
      noteFailure(error);
      fail(error);
    } finally {
      setBusy(false);
    }
  };
  if (asking) {
    return html`<span class="asking" role="alertdialog" aria-label=${question}><span>${question}</span>
      <button type="button" class="bad" onClick=${run}>${children}</button><button type="button" onClick=${() => ask(false)}>Cancel</button></span>`;
  }
  return html`<button type="button" class=${kind} disabled=${busy || disabled} aria-busy=${busy} aria-label=${label} onClick=${() => (question ? ask(true) : run())}>${children}</button>
    ${failure ? html`<${Problem} failure=${failure} />` : ""}`;
};

/**
 * A list of names with values; those without a value are left out.
 * @param {{rows: [string, any][]}} props
 */
export const Facts = ({ rows }) => html`<dl>${rows.filter(([, value]) => value !== undefined && value !== "" && value !== null && value !== false).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;

/**
 * Tabs, each of which has its own address.
 * @param {{tabs: [string, string][], at: string, link: (tab: string) => string, label: string}} props
 */
export const Tabs = ({ tabs, at, link, label }) => html`<nav class="tabs" aria-label=${label}>${tabs.map(([tab, text]) => html`<a href=${link(tab)} aria-current=${tab === at ? "page" : undefined}>${text}</a>`)}</nav>`;

/**
 * Draws a list of which only the rows in view are in the document.
 * @param {{rows: any[], height: number, row: (r: any, i: number) => any, end?: boolean, label: string}} props height of a row in pixels; end: stay at the end as rows are added
 */
export const LongList = ({ rows, height, row, end, label }) => {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const stay = useRef(true);
  const [top, setTop] = useState(0);
  const [view, setView] = useState(600);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    setView(element.clientHeight);
    if (end && stay.current) element.scrollTop = element.scrollHeight;
  }, [rows.length]);
  const scrolled = () => {
    const element = /** @type {HTMLElement} */ (box.current);
    stay.current = element.scrollTop + element.clientHeight > element.scrollHeight - height;
    setTop(element.scrollTop);
  };
  const first = Math.max(0, Math.floor(top / height) - 5);
  const last = Math.min(rows.length, Math.ceil((top + view) / height) + 5);
  return html`<div class="long" ref=${box} onScroll=${scrolled} tabindex="0" role="list" aria-label=${label}>
    <div style=${`height:${rows.length * height}px`}><div style=${`transform:translateY(${first * height}px)`}>
      ${rows.slice(first, last).map((r, i) => html`<div class="line" role="listitem" style=${`height:${height}px`} key=${first + i}>${row(r, first + i)}</div>`)}
    </div></div></div>`;
};

const icons = {
  pause: "M5 3v10M11 3v10",
  play: "M5 3l8 5-8 5z",
  trap: "M9 1L3 9h4l-1 6 7-9H8z",
  timer: "M8 3a5.5 5.5 0 1 0 0 11A5.5 5.5 0 0 0 8 3zM8 5.500v3.500l2.500 1.500M6 1h4",
  wait: "M6 4v8M10 4v8",
  reply: "M6 4L2 8l4 4M2 8h8a4 4 0 0 1 4 4",
  out: "M3 13L13 3M7 3h6v6",
};

/** @param {{name: keyof typeof icons}} props */
export const Icon = ({ name }) => html`<svg class="icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path d=${icons[name]} /></svg>`;
