// The page Canisters: all canisters of the instance.
import { useState } from "preact/hooks";
import { rpc } from "./api.js";
import { count, hexOf } from "./format.js";
import { instance } from "./route.js";
import { nameOf } from "./store.js";
import { Bytes, CommandLine, Cycles, html, Id, LongList, Party, Problem, useLoaded } from "./ui.js";

/** @param {AbortSignal} signal */
const all = async (signal) => {
  const canisters = [];
  for (let token = ""; ; ) {
    const page = await rpc("Canisters/ListCanisters", { instance: instance.value, pageSize: 1000, pageToken: token }, signal);
    canisters.push(...page.canisters);
    if (!page.nextPageToken || canisters.length >= 20000) return canisters;
    token = page.nextPageToken;
  }
};

/** @param {string} status */
export const statusWord = (status) => status.replace("CANISTER_STATUS_", "").toLowerCase();

export const Canisters = () => {
  const { value, failure } = useLoaded(all, []);
  const [find, set] = useState("");
  if (failure) return html`<div class="page"><${Problem} failure=${failure} /></div>`;
  if (!value) return html`<div class="page" aria-busy="true"></div>`;
  const named = value.filter((c) => nameOf(c.canisterId).includes(find) || c.canisterId.includes(find));
  const burned = value.reduce((sum, c) => sum + BigInt(c.idleCyclesBurnedPerDay || "0"), 0n);
  const running = value.filter((c) => c.status === "CANISTER_STATUS_RUNNING").length;
  return html`<div class="page"><h1>Canisters</h1><p>${count(value.length, "canister")}${running < value.length ? `, ${value.length - running} of which ${value.length - running === 1 ? "does" : "do"} not run` : ""}. In all they burn <${Cycles} amount=${String(burned)} /> cycles a day for memory and compute allocation, at the prices of their subnets.</p>
    <label class="field">Find <input type="search" value=${find} placeholder="name or id" onInput=${(/** @type {any} */ e) => set(e.target.value)} /></label>
    ${named.length > 200
      ? html`<${LongList} rows=${named} height=${26} label="canisters" row=${(/** @type {any} */ c) => html`<${Party} id=${c.canisterId} /> ${statusWord(c.status)} <${Cycles} amount=${c.cycles} /> <${Bytes} size=${c.memoryBytes} />`} />`
      : html`<div class="scroll"><table><thead><tr><th>name</th><th>id</th><th>status</th><th class="number">cycles</th><th class="number">burns a day</th><th class="number">memory</th><th>module</th></tr></thead><tbody>
        ${named.map((c) => html`<tr><td><${Party} id=${c.canisterId} /></td><td><${Id} id=${c.canisterId} /></td><td class=${c.status === "CANISTER_STATUS_RUNNING" ? "" : "waits"}>${statusWord(c.status)}</td><td class="number"><${Cycles} amount=${c.cycles} /></td><td class="number"><${Cycles} amount=${c.idleCyclesBurnedPerDay} /></td><td class="number"><${Bytes} size=${c.memoryBytes} /></td><td>${c.moduleHash ? html`<code>${hexOf(c.moduleHash).slice(0, 8)}</code>` : html`<span class="soft">no code</span>`}</td></tr>`)}
      </tbody></table></div>`}
  </div><${CommandLine} args="canister list" />`;
};
