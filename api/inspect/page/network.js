// The page Network: the instances of the daemon and how they were forked, and the subnets of the selected one.
import { rpc } from "./api.js";
import { count, grouped, hexOf, quoted, spanText, timeText } from "./format.js";
import { forkTree } from "./forktree.js";
import { Instance } from "./instance.js";
import { NewInstance, newInstanceCommand } from "./newinstance.js";
import { Pace } from "./pace.js";
import { go, instance, instanceName, linkTo, parameter } from "./route.js";
import { useSteps } from "./steps.js";
import { about, clock } from "./store.js";
import { Bytes, CommandLine, commandOf, Copy, Facts, html, Id, Problem, useLoaded } from "./ui.js";

/** The most instances that the page lists: a daemon has up to a few thousand. */
const mostInstances = 1000;

/** @param {AbortSignal} signal */
const listed = async (signal) => {
  const [{ instances, nextPageToken }, versions] = await Promise.all([rpc("Instances/ListInstances", { pageSize: mostInstances }, signal), rpc("Instances/GetInstance", { instance: instance.value, limits: true }, signal)]);
  return { instances, more: nextPageToken !== "", versions };
};

/**
 * A value of an enumeration as the command line writes it.
 * @param {string | undefined} value
 * @param {string} prefix
 */
export const wordOf = (value, prefix) => (value ?? "").replace(prefix, "").toLowerCase().replaceAll("_", " ");

/** @param {any} pacing */
export const pacingText = (pacing) => (pacing?.mode === "PACING_MODE_INTERVAL" ? `every ${pacing.interval ?? "1s"}` : wordOf(pacing?.mode, "PACING_MODE_") || "auto");

export const Network = () => {
  const { value: all, failure } = useLoaded(listed, []);
  const selected = parameter("sel");
  const select = (/** @type {string} */ name) => go(linkTo(["network"], { sel: name }), { replace: selected !== "" });
  useSteps(all?.instances.map((/** @type {any} */ i) => i.name) ?? [], selected || instanceName.value, select);
  if (failure) return html`<div class="page"><h1>Network</h1><${Problem} failure=${failure} /></div>`;
  if (!all || !about.value || !clock.value) return html`<div class="page" aria-busy="true"></div>`;
  const shown = selected || instanceName.value;
  const found = all.instances.find((/** @type {any} */ i) => i.name === shown);
  return html`<div class="split"><section class="inbox" aria-label="instances and subnets"><h1>Network</h1><${Sentence} of=${about.value} all=${all.instances} /><${Pace} />
      <h2>Instances</h2><${Instances} all=${all.instances} selected=${shown} more=${all.more} />
      <h2>Subnets of ${instanceName.value}</h2><${Subnets} of=${about.value.subnets} />
      <h2>Addresses</h2><${Addresses} of=${about.value} />
      <h2>Versions</h2><${Facts} rows=${[["daemon", html`<code>${all.versions.daemonVersion}</code>`], ["interface specification", html`<code>${all.versions.specificationVersion}</code>`]]} />
      <h2>Limits</h2><${Limits} of=${all.versions.limits} />
      <h2>This machine</h2><p>Whether this machine and its directories are as the daemon needs them, a command says, because it looks at the machine where it runs:</p><pre>canisterd doctor</pre></section>
    <aside aria-label="selected instance">${selected === "+" ? html`<${NewInstance} made=${(/** @type {string} */ name) => go(linkTo(["network"], { i: name }))} />`
      : found ? html`<${Instance} key=${found.name} of=${found} census=${found.name === instanceName.value ? about.value.census : undefined} all=${all.instances} left=${() => select("")} />`
      : html`<p class="soft">There is no instance ${shown} any more.</p>`}</aside></div>
    <${CommandLine} args=${selected === "+" ? newInstanceCommand() : selected ? `instance show ${quoted(selected)}` : ["instance list", "instance show"]} />`;
};

/**
 * The selected instance, in a sentence.
 * @param {{of: any, all: any[]}} props
 */
const Sentence = ({ of, all }) => {
  const canisters = Number(of.census?.canisters ?? 0);
  return html`<p role="status">${of.name} ${of.state === "INSTANCE_STATE_FAILED" ? html`<span class="bad">was stopped by a bug</span>: ${of.failure}` : "runs"} with ${count(of.subnets.length, "subnet")} and ${count(canisters, "canister")}, in round ${grouped(of.height)}. ${of.ephemeral ? "It ends with the daemon." : "It is kept for the next start of the daemon."} ${all.length > 1 ? `The daemon has ${count(all.length, "instance")}.` : "It is the only instance of the daemon."}</p>`;
};

/**
 * The instances as a tree of forks.
 * @param {{all: any[], selected: string, more: boolean}} props
 */
const Instances = ({ all, selected, more }) => html`<ul class="tree forks" aria-label="instances">${forkTree(all).map((node) => html`<${Node} key=${node.instance.name} node=${node} selected=${selected} />`)}</ul>
  ${more ? html`<p class="soft">The first ${grouped(mostInstances)} are listed; <code>canisterd instance list</code> lists all.</p>` : ""}
  <div class="row"><a class="button" href=${linkTo(["network"], { sel: "+" })} aria-current=${selected === "+" ? "true" : undefined}>New instance</a></div>`;

/**
 * @param {{node: import("./forktree.js").Node, selected: string}} props
 */
const Node = ({ node: { instance: i, children, at }, selected }) => html`<li><span class="head"><a href=${linkTo(["network"], { sel: i.name })} aria-current=${i.name === selected ? "true" : undefined}>${i.name}</a>${i.name === instanceName.value ? html`<span class="ok">shown here</span>` : ""}${i.state === "INSTANCE_STATE_FAILED" ? html`<span class="bad">failed</span>` : ""}
    <span class="soft">${at ? `forked at ${at} · ` : ""}round ${grouped(i.height)} · ${timeText(i.time)} · ${pacingText(i.pacing)}${i.ephemeral ? " · in memory" : ""}</span></span>
  ${children.length > 0 ? html`<ul>${children.map((child) => html`<${Node} key=${child.instance.name} node=${child} selected=${selected} />`)}</ul>` : ""}</li>`;

/** @param {{of: any[]}} props */
const Subnets = ({ of }) => html`<div class="scroll" tabindex="0" role="region" aria-label="subnets"><table><thead><tr><th>subnet</th><th>kind</th><th class="number">nodes</th><th>canister ids</th><th>public key</th></tr></thead><tbody>
  ${of.map((s) => html`<tr key=${s.subnetId}><td><${Id} id=${s.subnetId} /></td><td>${wordOf(s.kind, "SUBNET_KIND_")}</td><td class="number">${s.nodes}</td><td>${s.ranges.map((/** @type {any} */ r) => html`<div class="number"><${Copy} text=${`${r.first} ${r.last}`}><code>${r.first} … ${r.last}</code></${Copy}></div>`)}</td><td><${Folded} hex=${hexOf(s.publicKey)} /></td></tr>`)}</tbody></table></div>`;

/**
 * Bytes that few people read: folded behind their beginning.
 * @param {{hex: string}} props
 */
export const Folded = ({ hex }) => (hex ? html`<details><summary><code>${hex.slice(0, 12)}…</code></summary><${Copy} text=${hex}><code>${hex}</code></${Copy}></details>` : null);

/** @param {{of: any[]}} props */
const Limits = ({ of }) => html`<details><summary>${count(of.length, "limit")} of each network</summary><dl>${of.map((l) => html`<dt>${l.what}</dt><dd>${l.unit === "bytes" ? html`<${Bytes} size=${l.most} />` : l.unit === "ns" ? spanText(BigInt(l.most)) : grouped(l.most)}</dd>`)}</dl></details>
  <p class="soft"><code>${commandOf("instance show --jq .limits")}</code></p>`;

/** @param {{of: any}} props */
const Addresses = ({ of }) => html`<${Facts} rows=${[
  ["HTTP", of.urls.map((/** @type {string} */ url) => html`<div><${Copy} text=${url}><code>${url}</code></${Copy}></div>`)],
  ["network id", html`<${Copy} text=${of.networkId}><code>${of.networkId}</code></${Copy}>`],
  ["root key", html`<${Folded} hex=${hexOf(of.rootKey)} />`],
  ["seed", html`<${Folded} hex=${hexOf(of.seed)} />`],
  ["canister id for other requests", html`<${Id} id=${of.defaultEffectiveCanisterId} />`],
]} />`;
