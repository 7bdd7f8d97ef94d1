// One instance: what it is, and what can be done with it: show, fork, export or delete it.
import { useState } from "preact/hooks";
import { Failure, rpc } from "./api.js";
import { bytesOf, bytesText, count, grouped, quoted, timeText } from "./format.js";
import { pacingText, wordOf } from "./network.js";
import { go, instance, instanceName, linkTo } from "./route.js";
import { touch } from "./store.js";
import { Action, Copy, Facts, html, Id } from "./ui.js";

/** The name of the instance that exists from the start. */
const first = "default";

/**
 * Reads the file of an instance, or of its journal.
 * @param {object} request
 * @param {AbortSignal} signal
 * @param {(bytes: number) => void} tell how many bytes are there so far
 * @returns {Promise<Blob>}
 */
const exported = (request, signal, tell) =>
  new Promise((take, fail) => {
    const parts = /** @type {BlobPart[]} */ ([]);
    let size = 0;
    const source = new EventSource(`/_/inspect/stream/Instances/ExportInstance?${new URLSearchParams({ request: JSON.stringify(request) })}`);
    signal.addEventListener("abort", () => source.close());
    source.onmessage = (event) => {
      const bytes = bytesOf(JSON.parse(event.data).chunk ?? "");
      parts.push(new Blob([bytes]));
      size += bytes.length;
      tell(size);
    };
    source.addEventListener("ended", () => {
      source.close();
      take(new Blob(parts));
    });
    source.addEventListener("failed", (event) => {
      source.close();
      fail(new Failure(JSON.parse(/** @type {MessageEvent} */ (event).data), 0));
    });
    source.onerror = () => {
      source.close();
      fail(new Failure({ code: "unavailable", message: "the export broke off: the daemon was stopped, or refuses to export the instance now" }, 0));
    };
  });

/**
 * Saves a file as a download of the browser.
 * @param {Blob} file
 * @param {string} name
 */
const download = (file, name) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
};

/**
 * @param {{of: any, census: any, all: any[], left: () => void}} props census: what is open in it, if known; left: called when it is gone
 */
export const Instance = ({ of: i, census, all, left }) => {
  const shown = i.name === instanceName.value;
  return html`<h1>${i.name}</h1><p>${i.state === "INSTANCE_STATE_FAILED" ? html`<span class="bad">A bug stopped it:</span> ${i.failure}` : "It runs."}</p>
    ${shown ? html`<p class="soft">All pages show this instance.</p>` : html`<div class="row"><a class="button" href=${linkTo(["now"], { i: i.name })}>Show this instance</a></div>`}
    <${Facts} rows=${[
      ["round", grouped(i.height)], ["time", timeText(i.time)], ["pacing", pacingText(i.pacing)], ["HTTP outcalls", wordOf(i.outcalls, "OUTCALL_MODE_")],
      ["forked from", i.forkedFrom && (all.some((a) => a.name === i.forkedFrom.split("@")[0]) ? html`<a href=${linkTo(["network"], { sel: i.forkedFrom.split("@")[0] })}>${i.forkedFrom}</a>` : `${i.forkedFrom}, which is gone`)],
      ["inside", census && `${count(Number(census.canisters), "canister")}, ${count(Number(census.callContexts), "call context")}, ${count(Number(census.heldMessages), "held message")}`],
      ["kept", i.ephemeral ? "no: it ends with the daemon" : "for the next start of the daemon"], ["lease", i.lease],
      ["made", timeText(i.created)], ["network id", html`<${Copy} text=${i.networkId}><code>${i.networkId.slice(0, 12)}</code></${Copy}>`],
      ["subnets", i.subnets.map((/** @type {any} */ s) => html`<div>${wordOf(s.kind, "SUBNET_KIND_")}, ${count(s.nodes, "node")} <${Id} id=${s.subnetId} /></div>`)],
    ]} />
    <${Fork} of=${i} /><${Export} of=${i} /><${Delete} of=${i} all=${all} left=${left} />`;
};

/** @param {{of: any}} props */
const Fork = ({ of: i }) => {
  const [name, setName] = useState("");
  const [kept, keep] = useState(!i.ephemeral);
  const fork = async () => {
    const made = await rpc("Instances/ForkInstance", { instance: i.name, name, ephemeral: !kept });
    touch();
    go(linkTo(["network"], { sel: made.instance.name }));
  };
  return html`<h3>Fork</h3><p class="soft">A fork begins with the present state; both go on. <a href=${linkTo(["time"], { i: i.name === first ? "" : i.name })}>Time</a> forks its past.</p>
    <label class="field">name of the fork; empty for the next number<input type="text" name="fork" value=${name} autocomplete="off" spellcheck="false" onInput=${(/** @type {any} */ e) => setName(e.target.value)} /></label>
    <label class="field"><input type="checkbox" checked=${kept} onChange=${(/** @type {any} */ e) => keep(e.target.checked)} /> keep it for the next start of the daemon</label><div class="row"><${Action} act=${fork}>Fork<//></div>`;
};

/** @param {{of: any}} props */
const Export = ({ of: i }) => {
  const [size, tell] = useState(0);
  const save = (/** @type {boolean} */ journal) => async (/** @type {AbortSignal} */ signal) => {
    tell(0);
    download(await exported({ instance: i.name, journal }, signal, tell), journal ? `${i.name}.journal` : `${i.name}.ic`);
  };
  return html`<h3>Export</h3><p class="soft">The file has the keys and everything in the instance; on another machine, <code>canisterd instance import ${quoted(`${i.name}.ic`)}</code> makes an instance of it.</p>
    <div class="row"><${Action} act=${save(false)}>Download<//>${i.ephemeral ? "" : html`<${Action} act=${save(true)}>Download the journal<//>`}<span class="soft" role="status">${size > 0 ? bytesText(size) : ""}</span></div>
    <p class="soft"><code>canisterd -i ${quoted(i.name)} instance export ${quoted(`${i.name}.ic`)}</code></p>`;
};

/** @param {{of: any, all: any[], left: () => void}} props */
const Delete = ({ of: i, all, left }) => {
  const forks = all.filter((a) => a.forkedFrom.split("@")[0] === i.name).length;
  const remove = async () => {
    await rpc("Instances/DeleteInstance", { instance: i.name });
    touch();
    if ((instance.value || first) === i.name && i.name !== first) go(linkTo(["network"], { i: first }));
    else left();
  };
  const lost = `All canisters of ${i.name}, its messages, snapshots and history are lost, and calls that wait end with an error.${forks > 0 ? ` Its ${count(forks, "fork")} ${forks === 1 ? "stays" : "stay"}.` : ""}${i.name === first ? " It is the instance that commands are about without --instance." : ""} Delete it?`;
  return html`<h3>Delete</h3><div class="row"><${Action} kind="bad" confirm=${lost} act=${remove}>Delete<//></div>`;
};
