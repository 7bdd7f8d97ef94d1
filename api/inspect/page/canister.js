// The page of one canister: status, methods with forms, settings, logs, module.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { follow, rpc, send, typesOf } from "./api.js";
import { base64, bytesText, count, grouped, hexOf, nanoseconds, quoted, spanText, textOf, timeText } from "./format.js";
import { Fields, drawn, fits, formLimit, initial, useHistory } from "./form.js";
import { Answer, useCalls } from "./pending.js";
import { statusWord } from "./canisters.js";
import { Queues, queueCommands } from "./queues.js";
import { instance, linkTo, parameter, path } from "./route.js";
import { snapshotCommand, Snapshots } from "./snapshots.js";
import { clock, nameOf, touch } from "./store.js";
import { Action, Boundary, Bytes, CommandLine, Copy, Cycles, Facts, html, Id, later, LongList, Party, Problem, Tabs, useLoaded } from "./ui.js";

const ProfileSwitch = later(() => import("./profile.js").then((m) => m.ProfileSwitch));
const CoverageSwitch = later(() => import("./coverage.js").then((m) => m.CoverageSwitch));

/** The bytes of a module in one message of an installation. */
const chunkBytes = 2 << 20;

export const Canister = () => {
  const [, id = "", tab = "status"] = path.value;
  const { value, failure } = useLoaded((signal) => rpc("Canisters/GetCanister", { instance: instance.value, canisterId: id }, signal), [id]);
  if (failure) return html`<div class="page"><h1>${nameOf(id)}</h1><${Problem} failure=${failure} /></div>`;
  if (!value) return html`<div class="page" aria-busy="true"></div>`;
  const c = value.canister;
  const name = quoted(nameOf(id).includes("…") ? id : nameOf(id));
  const tabs = /** @type {[string, string][]} */ ([["status", "Status"], ["methods", "Methods"], ["settings", "Settings"], ["queues", "Queues"], ["logs", "Logs"], ["snapshots", "Snapshots"], ["module", "Module"]]);
  const command = { status: `canister status ${name}`, methods: `canister call ${name} METHOD`, settings: `canister settings ${name}`, queues: queueCommands(name), snapshots: snapshotCommand(c, "list_canister_snapshots"), logs: `canister logs ${name} --follow`, module: `canister install ${name} FILE` }[tab] ?? "";
  return html`<div class="page"><h1><${Party} id=${id} plain /></h1><p class="soft"><${Id} id=${id} /> on subnet <${Id} id=${c.subnetId} /></p><${Condition} canister=${c} />
    <${Tabs} tabs=${tabs} at=${tab} link=${(/** @type {string} */ t) => linkTo(["canister", id, t])} label="views of the canister" />
    ${tab === "methods" ? html`<${Methods} canister=${c} />` : tab === "settings" ? html`<${Settings} canister=${c} />` : tab === "logs" ? html`<${Logs} id=${id} />` : tab === "queues" ? html`<${Queues} canister=${c} />` : tab === "snapshots" ? html`<${Snapshots} canister=${c} />` : tab === "module" ? html`<${Module} canister=${c} />` : html`<${Status} canister=${c} />`}
  </div><${CommandLine} args=${command} />`;
};

/**
 * The state of a canister in a sentence.
 * @param {{canister: any}} props
 */
const Condition = ({ canister: c }) => {
  if (!c.moduleHash) return html`<div class="why">It has no code. Drop a module in the tab Module, or deploy it.</div>`;
  if (c.status === "CANISTER_STATUS_STOPPING") return html`<div class="why"><b>It is stopping:</b> it takes no calls, and waits for the answers to ${count(Number(c.callContexts), "call")}.</div>`;
  if (c.status === "CANISTER_STATUS_STOPPED") return html`<div class="why"><b>It is stopped:</b> calls of it are rejected.</div>`;
  const open = Number(c.callContexts);
  return html`<p>It runs${open > 0 ? html`; <a href=${linkTo(["now"])}>${count(open, "call")}</a> ${open === 1 ? "is" : "are"} open` : ""}${Number(c.queuedMessages) > 0 ? `; ${count(Number(c.queuedMessages), "message")} queued` : ""}.</p>`;
};

/**
 * What the daemon knows of the module of a canister, "" for nothing.
 * @param {any} c
 */
const knownModule = (c) => (c.knownModule ? `${[c.knownModule.name, c.knownModule.version].filter(Boolean).join(" ")} (${c.knownModule.source})` : "");

/** @param {{canister: any}} props */
const Status = ({ canister: c }) => {
  const of = { instance: instance.value, canisterId: c.canisterId };
  const now = nanoseconds(clock.value?.time);
  const burned = BigInt(c.idleCyclesBurnedPerDay || "0");
  const days = burned > 0n ? BigInt(c.cycles || "0") / burned : undefined;
  const other = Number(c.memoryBytes) - Number(c.heapBytes) - Number(c.stableBytes);
  return html`<${Facts} rows=${[
      ["status", statusWord(c.status)],
      ["cycles", html`<${Cycles} amount=${c.cycles} />`],
      ["burns a day", html`<${Cycles} amount=${c.idleCyclesBurnedPerDay} /> for memory and compute allocation${days !== undefined ? `: they last ${grouped(days)} days` : ""}`],
      ["reserved", c.reservedCycles && c.reservedCycles !== "0" && html`<${Cycles} amount=${c.reservedCycles} />`],
      ["memory", html`<${Bytes} size=${c.memoryBytes} />: heap <${Bytes} size=${c.heapBytes} />, stable <${Bytes} size=${c.stableBytes} />, module, log and snapshots <${Bytes} size=${other} />`],
      ["timer", c.globalTimer ? `${timeText(c.globalTimer)}, in ${spanText(nanoseconds(c.globalTimer) - now)}` : "no global timer is set: nothing runs by itself until the canister sets one"],
      ["heartbeat", c.heartbeat ? "it runs in every round" : ""],
      ["module", knownModule(c)],
      ["version", grouped(c.canisterVersion)],
      ["created", timeText(c.created)],
      ["installed", timeText(c.installed)],
      ["queries", `${grouped(c.queryStats?.calls ?? 0)}, with ${grouped(c.queryStats?.instructions ?? 0)} instructions`],
      ["certified data", c.certifiedData && hexOf(c.certifiedData)],
      ["features", c.features?.join(", ")],
    ]} />
    <div class="row">${c.status === "CANISTER_STATUS_RUNNING" ? html`<${Action} key="stop" act=${(/** @type {AbortSignal} */ signal) => rpc("Canisters/StopCanister", of, signal).then(touch)}>Stop<//>` : html`<${Action} key="start" act=${() => rpc("Canisters/StartCanister", of).then(touch)}>Start<//>`}
      <${Action} act=${() => rpc("Canisters/AddCycles", { ...of, cycles: "10000000000000" }).then(touch)}>Add 10 T cycles<//>
      ${c.globalTimer ? html`<${Action} act=${() => rpc("Messages/FireTimer", of).then(touch)}>Fire the timer<//>` : ""}
      <${Action} kind="bad" confirm="The code and the state are lost; the id and the cycles stay. Uninstall the code?" act=${() => rpc("Canisters/UninstallCode", of).then(touch)}>Uninstall code<//></div>
    ${c.moduleHash ? html`<${ProfileSwitch} key=${c.canisterId} id=${c.canisterId} /><${CoverageSwitch} key=${`coverage ${c.canisterId}`} id=${c.canisterId} />` : ""}`;
};

/** @param {{canister: any}} props */
const Methods = ({ canister: c }) => {
  const { value, failure } = useLoaded(() => typesOf(instance.value, c.canisterId), [c.canisterId, c.moduleHash], { live: false });
  const [as, setAs] = useState("2vxsx-fae");
  if (failure) return html`<${Problem} failure=${failure} /><${Untyped} canister=${c} as=${as} />`;
  if (!value) return html`<div aria-busy="true"></div>`;
  return html`<label class="field">call as<input type="text" value=${as} spellcheck="false" onInput=${(/** @type {any} */ e) => setAs(e.target.value)} /></label>
    ${value.methods.map((/** @type {any} */ m) => html`<${Boundary} key=${m.name} what=${`The method ${m.name}`}><${Method} method=${m} types=${value.types} canister=${c.canisterId} as=${as} /><//>`)}
    <details><summary>Candid</summary><pre>${value.candid}</pre></details>`;
};

/**
 * A method with a form for its arguments, or only with their text if they are too many for a form.
 * @param {{method: any, types: any[], canister: string, as: string}} props
 */
const Method = ({ method: m, types, canister, as }) => {
  const given = parameter("method") === m.name ? parameter("args") : "";
  const [open, setOpen] = useState(given !== "");
  const start = useMemo(() => (open ? m.args.map((/** @type {any} */ a) => initial(types, a.type)) : []), [open, types]);
  const drawable = useMemo(() => fits(types, m.args, start), [start]);
  const [edited, edit] = useState(/** @type {any[] | undefined} */ (undefined));
  const [full, setFull] = useState(false);
  const [text, setText] = useState(given);
  const [asText, setAsText] = useState(given !== "");
  const { answer, call: make } = useCalls();
  const history = useHistory(`${canister} ${m.name}`);
  const values = edited ?? start;
  const raw = asText || !drawable;
  const set = (/** @type {any[]} */ to) => {
    const fitting = fits(types, m.args, to);
    setFull(!fitting);
    if (fitting) edit(to);
  };
  const argument = raw ? { text: text || "()" } : { json: JSON.stringify(values) };
  const call = async () => {
    await make({ canisterId: canister, method: m.name, argument, sender: as, replyForm: "FORM_TEXT" }, m.query);
    history.add(raw ? text : JSON.stringify(values));
  };
  const recall = (/** @type {string} */ old) => {
    const typed = old.startsWith("[");
    setAsText(!typed);
    if (typed) set(JSON.parse(old));
    else setText(old);
  };
  return html`<details class="method" open=${open} onToggle=${(/** @type {any} */ e) => setOpen(e.target.open)} id=${`method-${m.name}`}><summary><b>${m.name}</b> <code>${m.signature}</code>${m.query ? html` <span class="soft">${m.composite ? "composite query" : "query"}</span>` : ""}</summary>
    ${!open ? "" : raw ? html`<label class="field">arguments in Candid's text form<textarea value=${text} onInput=${(/** @type {any} */ e) => setText(e.target.value)}></textarea></label>` : html`<${Boundary} what="The form"><${Fields} types=${types} args=${m.args} values=${values} set=${set} /><//>`}
    ${open && (full || !drawable) ? html`<p class="soft" role="status">${formLimit}</p>` : ""}
    <div class="row"><${Action} kind="main" act=${call}>${m.query ? "Query" : "Call"}<//>
      ${m.args.length > 0 && drawable ? html`<button type="button" onClick=${() => set(m.args.map((/** @type {any} */ a) => drawn(types, a.type)))} disabled=${raw}>Random values</button><button type="button" onClick=${() => setAsText(!raw)}>${raw ? "As a form" : "As text"}</button>` : ""}
      ${history.all.length > 0 ? html`<select aria-label="arguments of earlier calls" onChange=${(/** @type {any} */ e) => e.target.value && recall(e.target.value)}><option value="">earlier arguments</option>${history.all.map((old) => html`<option value=${old}>${old.slice(0, 80)}</option>`)}</select>` : ""}</div>
    <${Answer} answer=${answer} /></details>`;
};

/**
 * A call of a canister whose interface is not known.
 * @param {{canister: any, as: string}} props
 */
const Untyped = ({ canister: c, as }) => {
  const [method, setMethod] = useState(c.methods[0]?.name ?? "");
  const [text, setText] = useState("()");
  const { answer, call: make } = useCalls();
  const query = c.methods.find((/** @type {any} */ m) => m.name === method)?.kind !== "update";
  const call = () => make({ canisterId: c.canisterId, method, argument: { text }, sender: as, replyForm: "FORM_TEXT" }, query);
  if (c.methods.length === 0) return html`<p class="soft">It exports no methods.</p>`;
  return html`<label class="field">method<select value=${method} onChange=${(/** @type {any} */ e) => setMethod(e.target.value)}>${c.methods.map((/** @type {any} */ m) => html`<option value=${m.name}>${m.name} (${m.kind})</option>`)}</select></label>
    <label class="field">arguments in Candid's text form<textarea value=${text} onInput=${(/** @type {any} */ e) => setText(e.target.value)}></textarea></label><div class="row"><${Action} kind="main" act=${call}>${query ? "Query" : "Call"}<//></div><${Answer} answer=${answer} />`;
};

/** The settings that are numbers or amounts: key, name, unit. */
const amounts = /** @type {const} */ ([
  ["computeAllocation", "compute allocation", "percent of a core"], ["memoryAllocation", "memory allocation", "bytes"], ["freezingThreshold", "freezing threshold", "seconds"],
  ["reservedCyclesLimit", "reserved cycles limit", "cycles"], ["wasmMemoryLimit", "Wasm memory limit", "bytes"], ["wasmMemoryThreshold", "Wasm memory threshold", "bytes"], ["logMemoryLimit", "log memory limit", "bytes"],
  ["minimumIncomingCanisterCallCycles", "minimum cycles of incoming calls", "cycles"],
]);

/** @param {{canister: any}} props */
const Settings = ({ canister: c }) => {
  const [changed, change] = useState(/** @type {Record<string, any>} */ ({}));
  const now = /** @type {Record<string, any>} */ (c.settings);
  const value = (/** @type {string} */ key) => changed[key] ?? now[key] ?? "";
  const controllers = changed.controllers ?? (now.controllers?.principals ?? []).join("\n");
  const environment = changed.environment ?? (now.environment?.variables ?? []).map((/** @type {any} */ v) => `${v.name}=${v.value}`).join("\n");
  const save = async () => {
    /** @type {Record<string, any>} */
    const settings = {};
    for (const [key] of amounts) if (changed[key] !== undefined) settings[key] = changed[key].replaceAll("_", "");
    if (changed.controllers !== undefined) settings.controllers = { principals: changed.controllers.split(/\s+/).filter(Boolean) };
    if (changed.environment !== undefined) settings.environment = { variables: changed.environment.split("\n").filter(Boolean).map((/** @type {string} */ line) => ({ name: line.split("=")[0], value: line.slice(line.indexOf("=") + 1) })) };
    await rpc("Canisters/UpdateSettings", { instance: instance.value, canisterId: c.canisterId, settings });
    change({});
    touch();
  };
  const shown = (/** @type {any} */ v) => (v?.public ? "everyone" : v?.viewers?.length > 0 ? v.viewers.map(nameOf).join(", ") : "the controllers");
  return html`<label class="field">controllers, one in each line<textarea value=${controllers} spellcheck="false" onInput=${(/** @type {any} */ e) => change({ ...changed, controllers: e.target.value })}></textarea></label>
    ${amounts.map(([key, name, unit]) => html`<label class="field" key=${key}>${name}, in ${unit}<input type="text" inputmode="numeric" value=${value(key)} onInput=${(/** @type {any} */ e) => change({ ...changed, [key]: e.target.value })} /></label>`)}
    <label class="field">environment variables, NAME=VALUE in each line<textarea value=${environment} spellcheck="false" onInput=${(/** @type {any} */ e) => change({ ...changed, environment: e.target.value })}></textarea></label>
    <${Facts} rows=${[["who reads the log", shown(now.logVisibility)], ["who reads snapshots", shown(now.snapshotVisibility)], ["who reads the status", shown(now.statusVisibility)]]} />
    <div class="row"><${Action} kind="main" disabled=${Object.keys(changed).length === 0} act=${save}>Change the settings<//><button type="button" disabled=${Object.keys(changed).length === 0} onClick=${() => change({})}>Discard changes</button></div>`;
};

/** The most lines of a log that the page keeps. */
const mostLines = 20000;

/** @param {{id: string}} props */
const Logs = ({ id }) => {
  const lines = useRef(/** @type {any[]} */ ([]));
  const [, draw] = useState(0);
  const [find, setFind] = useState("");
  useEffect(() => {
    lines.current = [];
    let frame = 0;
    const end = follow("Canisters/ReadLogs", { instance: instance.value, canisterId: id, follow: true }, {
      message: (m) => {
        const last = lines.current[lines.current.length - 1];
        if (last && Number(m.index ?? 0) <= Number(last.index ?? 0)) return; // the stream began again
        lines.current.push(m);
        if (lines.current.length > 2 * mostLines) lines.current = lines.current.slice(-mostLines);
        frame ||= requestAnimationFrame(() => {
          frame = 0;
          draw((n) => n + 1);
        });
      },
      failed: () => draw((n) => n + 1),
    });
    return () => {
      end();
      cancelAnimationFrame(frame);
    };
  }, [id, instance.value]);
  const all = lines.current.map((m) => ({ time: m.time, text: textOf(m.content ?? "") })).filter((l) => l.text.includes(find));
  return html`<label class="field">Find <input type="search" value=${find} onInput=${(/** @type {any} */ e) => setFind(e.target.value)} /></label>
    ${all.length === 0 ? html`<p class="soft">${find ? "No line has this text." : "The log is empty."}</p>` : html`<${LongList} rows=${all} height=${22} end label="lines of the log" row=${(/** @type {any} */ l) => html`<span class="soft">${timeText(l.time)}</span>  ${l.text}`} />`}`;
};

/** @param {{canister: any}} props */
const Module = ({ canister: c }) => {
  const [file, setFile] = useState(/** @type {File | undefined} */ (undefined));
  const [mode, setMode] = useState("INSTALL_MODE_UNSPECIFIED");
  const [argument, setArgument] = useState("");
  const [done, setDone] = useState(/** @type {any} */ (undefined));
  const install = async () => {
    const bytes = new Uint8Array(await /** @type {File} */ (file).arrayBuffer());
    const messages = /** @type {object[]} */ ([{ head: { instance: instance.value, canisterId: c.canisterId, mode, ...(argument && { argument: { text: argument } }) } }]);
    for (let at = 0; at < bytes.length; at += chunkBytes) messages.push({ chunk: base64(bytes.subarray(at, at + chunkBytes)) });
    setDone(await send("Canisters/InstallCode", messages));
    touch();
  };
  const drop = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    setFile(event.dataTransfer?.files[0]);
  };
  return html`<${Facts} rows=${[["module", c.moduleHash ? html`<${Copy} text=${hexOf(c.moduleHash)}><code>${hexOf(c.moduleHash)}</code></${Copy}>` : "none"], ["known as", knownModule(c)], ["methods", c.methods.length], ["metadata", c.metadata.join(", ")]]} />
    <h2>${c.moduleHash ? "Upgrade" : "Install"}</h2>
    <label class="field" onDragOver=${(/** @type {DragEvent} */ e) => e.preventDefault()} onDrop=${drop}>module: drop a file here, or choose one<input type="file" accept=".wasm,.gz" onChange=${(/** @type {any} */ e) => setFile(e.target.files[0])} /></label>
    ${file ? html`<p class="soft">${file.name}, ${bytesText(file.size)}</p>` : ""}
    <label class="field">argument in Candid's text form; empty for none<textarea value=${argument} onInput=${(/** @type {any} */ e) => setArgument(e.target.value)}></textarea></label>
    <label class="field">mode<select value=${mode} onChange=${(/** @type {any} */ e) => setMode(e.target.value)}><option value="INSTALL_MODE_UNSPECIFIED">install, or upgrade what is installed</option><option value="INSTALL_MODE_UPGRADE">upgrade</option><option value="INSTALL_MODE_REINSTALL">reinstall: the state is lost</option></select></label>
    <div class="row"><${Action} kind="main" disabled=${!file} confirm=${mode === "INSTALL_MODE_REINSTALL" ? "The state of the canister is lost. Reinstall it?" : undefined} act=${install}>${c.moduleHash ? "Upgrade" : "Install"}<//></div>
    ${done ? html`<div class="why ok" role="status">Installed <code>${hexOf(done.moduleHash).slice(0, 8)}</code> with ${grouped(done.instructions)} instructions.</div>` : ""}`;
};
