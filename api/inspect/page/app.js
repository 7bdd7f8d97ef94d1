// The page: the time of the network above, the places below it, the selected one in the middle.
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { rpc } from "./api.js";
import { Call, Calls } from "./call.js";
import { Canister } from "./canister.js";
import { Canisters } from "./canisters.js";
import { nanoseconds, spanText, timeText } from "./format.js";
import { Now } from "./now.js";
import { arrange } from "./picture.js";
import { followLink, go, instance, instanceName, linkTo, parameter, path } from "./route.js";
import { about, begin, clock, events, locked, lost, names, touch, waiting } from "./store.js";
import { Action, Boundary, html, Icon, later, useLoaded } from "./ui.js";

const Messages = later(() => import("./messages.js").then((m) => m.Messages));
const Time = later(() => import("./time.js").then((m) => m.Time));
const Profile = later(() => import("./profile.js").then((m) => m.Profile));
const Coverage = later(() => import("./coverage.js").then((m) => m.Coverage));
const Explorer = later(() => import("./explorer.js").then((m) => m.Explorer));
const Network = later(() => import("./network.js").then((m) => m.Network));

const places = /** @type {const} */ ([["now", "Now"], ["calls", "Calls"], ["canisters", "Canisters"], ["messages", "Messages"], ["time", "Time"], ["explorer", "Explorer"], ["profile", "Profile"], ["coverage", "Coverage"], ["network", "Network"]]);

/** What shows a place. */
const pages = /** @type {Record<string, (props: any) => any>} */ ({ now: Now, calls: Calls, call: Call, canisters: Canisters, canister: Canister, messages: Messages, time: Time, explorer: Explorer, profile: Profile, coverage: Coverage, network: Network });

/** Which place a page belongs to. */
const placeOf = /** @type {Record<string, string>} */ ({ call: "calls", canister: "canisters" });

const App = () => {
  const page = path.value[0] ?? "now";
  const Page = Object.hasOwn(pages, page) ? pages[page] : undefined;
  useEffect(begin, []);
  useEffect(() => {
    document.title = `${page} · ${instanceName.value} · canisterd`;
  }, [page, instanceName.value]);
  if (locked.value) return html`<${Locked} />`;
  return html`<${Top} place=${placeOf[page] ?? page} />
    <main id="main">${lost.value ? html`<div class="notice bad" role="alert">${lost.value}</div>` : ""}
      ${about.value?.missing ? html`<div class="page"><div class="empty"><h1>No instance ${instanceName.value}</h1><p>${about.value.missing}</p><p><a href=${linkTo(["now"], { i: "default" })}>Go to the default instance</a></p></div></div>`
        : Page ? html`<${Boundary} of=${`${path.value.join("/")} ${instance.value}`} what="This page"><${Page} key=${`${page} ${instance.value}`} /><//>` : html`<div class="page"><div class="empty"><h1>There is no page ${page}</h1><p><a href=${linkTo(["now"])}>Now</a> shows what happens.</p></div></div>`}
    </main>`;
};

/** What a browser without a session shows. */
const Locked = () => html`<main><div class="page"><div class="empty"><h1>This browser has no session</h1><p>Whoever has this page controls the networks of this machine, so a browser needs the token of this user once. Run this command, which opens the page with it:</p><pre>canisterd inspect</pre><p class="soft">canisterd start prints the same address.</p></div></div></main>`;

/** @param {{place: string}} props */
const Top = ({ place }) => html`<header class="top"><b>canisterd</b><${Instances} /><${Clock} /><${Search} />
  <nav aria-label="places">${places.map(([key, name]) => html`<a href=${linkTo([key])} aria-current=${key === place ? "page" : undefined}>${name}${key === "messages" && waiting.value > 0 ? html`<span class="count" title="messages and HTTP outcalls that wait for you">${waiting.value}</span>` : ""}</a>`)}</nav></header>`;

/** The selection of an instance. */
const Instances = () => {
  const { value } = useLoaded((signal) => rpc("Instances/ListInstances", { pageSize: 1000 }, signal), []);
  const all = (value?.instances ?? []).map((/** @type {any} */ i) => i.name);
  if (!all.includes(instanceName.value)) all.unshift(instanceName.value);
  return html`<select aria-label="instance" value=${instanceName.value} onChange=${(/** @type {any} */ e) => go(linkTo(["now"], { i: e.target.value }))}>${all.map((/** @type {string} */ name) => html`<option value=${name}>${name}</option>`)}</select>`;
};

/** The time of the network and how to move it. */
const Clock = () => {
  const time = clock.value;
  if (!time) return html`<span class="clock"></span>`;
  const of = { instance: instance.value };
  const mode = time.pacing?.mode ?? "PACING_MODE_AUTO";
  const stands = mode === "PACING_MODE_MANUAL" || mode === "PACING_MODE_STILL";
  const pace = (/** @type {string} */ to) => rpc("Clock/SetPacing", { ...of, pacing: { mode: to } }).then(touch);
  const next = time.nextTimer && nanoseconds(time.nextTimer) - nanoseconds(time.time);
  return html`<span class="clock" role="group" aria-label="time">
    ${mode === "PACING_MODE_MANUAL"
      ? html`<${Action} label="play: run rounds as there is work" act=${() => pace("PACING_MODE_AUTO")}><${Icon} name="play" /><//><${Action} act=${() => rpc("Clock/StepMessage", of).then(touch)}>step<//><${Action} act=${(/** @type {AbortSignal} */ signal) => rpc("Clock/RunUntil", { ...of, idle: true }, signal).then(touch)}>run<//>`
      : html`<${Action} label="pause: run rounds only when asked" act=${() => pace("PACING_MODE_MANUAL")}><${Icon} name="pause" /><//>`}
    <${Action} act=${() => rpc("Clock/AdvanceTime", { ...of, duration: "3600s" }).then(touch)}>+1 h<//>
    <${Action} disabled=${next === undefined} act=${() => rpc("Clock/AdvanceTime", { ...of, toNextTimer: true }).then(touch)}>next timer${next !== undefined ? ` · ${spanText(next > 0n ? next : 0n)}` : ""}<//>
    <span title=${`${time.time}, round ${time.height}${stands ? "; time stands still" : ""}`}>${timeText(time.time)}${stands ? html` <span class="soft">stands still</span>` : ""}</span></span>`;
};

/** Finds canisters, methods and calls. */
const Search = () => {
  const [text, set] = useState("");
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => keys(() => input.current?.focus()), []);
  const found = text.length < 2 ? [] : findings(text);
  const choose = (/** @type {string} */ to) => {
    set("");
    input.current?.blur();
    go(to);
  };
  return html`<span style="position:relative"><input type="search" ref=${input} value=${text} placeholder="search  /" aria-label="search canisters and calls" style="width:13em" onInput=${(/** @type {any} */ e) => set(e.target.value)} onKeyDown=${(/** @type {KeyboardEvent} */ e) => e.key === "Enter" && found[0] && choose(found[0].to)} />
    ${found.length > 0 ? html`<ul class="found" role="listbox" aria-label="found">${found.map((f) => html`<li role="option"><a href=${f.to} onClick=${() => set("")}>${f.text}</a></li>`)}</ul>` : ""}</span>`;
};

/** @param {string} text */
const findings = (text) => {
  const lower = text.toLowerCase();
  /** @type {{text: string, to: string}[]} */
  const found = [];
  for (const [id, name] of Object.entries(names.value.canisters)) if (name.toLowerCase().includes(lower) || id.includes(lower)) found.push({ text: `${name} ${id}`, to: linkTo(["canister", id]) });
  const picture = arrange(events);
  for (const id of picture.lanes) if (!names.value.canisters[id] && id.includes(lower)) found.push({ text: id, to: linkTo(["canister", id]) });
  for (const b of [...picture.byKey.values()].reverse()) {
    if (found.length >= 12) break;
    if (b.title.toLowerCase().includes(lower) || (b.request && b.request.startsWith(lower)) || b.state.toLowerCase().includes(lower)) found.push({ text: `${names.value.canisters[b.canister] ?? b.canister}.${b.title}, round ${b.height}`, to: linkTo(["now"], { sel: b.key }) });
  }
  return found.slice(0, 12);
};

/**
 * Listens to the keys of the page until the returned function is called.
 * @param {() => void} search
 */
const keys = (search) => {
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    const in_ = event.target instanceof HTMLElement && event.target.closest("input, textarea, select");
    if (in_ || event.ctrlKey || event.metaKey || event.altKey) return;
    switch (event.key) {
      case "/":
        event.preventDefault();
        search();
        break;
      case "[":
      case "k":
        step(-1);
        break;
      case "]":
      case "j":
        step(1);
        break;
      case "?":
        go(linkTo(["now"]));
    }
  };
  addEventListener("keydown", pressed);
  return () => removeEventListener("keydown", pressed);
};

/**
 * Selects the message before or after the selected one.
 * @param {number} by
 */
const step = (by) => {
  if ((path.value[0] ?? "now") !== "now") return;
  const all = [...arrange(events).byKey.keys()];
  const at = all.indexOf(parameter("sel"));
  const to = at < 0 ? all.length - 1 : Math.min(all.length - 1, Math.max(0, at + by));
  if (all[to] !== undefined) go(linkTo(["now"], { sel: all[to] }), { replace: true });
};

addEventListener("click", followLink);
const root = /** @type {HTMLElement} */ (document.getElementById("app"));
root.textContent = "";
render(html`<${App} />`, root);


