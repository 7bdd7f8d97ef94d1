// The forms that make an instance: a new network, or one from an exported file. The fields are in the address of the page.
import { useState } from "preact/hooks";
import { Failure, rpc, send } from "./api.js";
import { base64, bytesText, quoted } from "./format.js";
import { go, linkTo, parameter } from "./route.js";
import { durationOf } from "./rules.js";
import { touch } from "./store.js";
import { Action, html } from "./ui.js";

/** The kinds of subnets, as on the command line. */
const kinds = ["application", "nns", "ii", "sns", "fiduciary", "bitcoin", "test_keys", "system", "verified_application", "cloud_engine"];

/** When rounds run, and what happens to HTTP outcalls: "" is the default. */
const pacings = ["", "auto", "manual", "still"];
const outcallModes = ["", "allow", "hold", "deny", "replicated", "strict"];

/** The bytes of a file in one message of an import. */
const chunkBytes = 2 << 20;

/** The largest file that the page imports, in bytes: it is in the memory of the browser. */
const mostImported = 256 << 20;

const fieldNames = /** @type {const} */ (["name", "subnets", "seed", "start", "pacing", "outcalls", "ephemeral", "limits", "system"]);

/** The fields of the form as the address has them. */
const fields = () => Object.fromEntries(fieldNames.map((name) => [name, parameter(name)]));

/** The command that makes the instance of the form. */
export const newInstanceCommand = () => {
  const f = fields();
  const flags = /** @type {[string, string][]} */ ([["subnet", f.subnets], ["system-canisters", f.system], ["seed", f.seed], ["start-time", f.start], ["pacing", f.pacing], ["outcalls", f.outcalls]]);
  return `instance create${f.name ? ` ${quoted(f.name)}` : ""}${flags.filter(([, value]) => value).map(([name, value]) => ` --${name} ${quoted(value)}`).join("")}${f.limits ? " --rate-limits" : ""}${f.ephemeral ? " --ephemeral" : ""}`;
};

/** @param {string} text */
const listOf = (text) => text.split(",").map((one) => one.trim()).filter(Boolean);

/**
 * The bytes of a seed.
 * @param {string} text hexadecimal digits
 */
const seedOf = (text) => {
  const digits = text.replace(/^0x/, "");
  if (!/^([0-9a-f]{2})*$/i.test(digits)) throw new Failure({ code: "invalid_argument", message: `invalid seed "${text}": expected bytes in hexadecimal digits, such as 07` }, 400);
  return base64(Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16)));
};

/** @param {string} text */
const pacingOf = (text) => (pacings.includes(text) ? { mode: `PACING_MODE_${text.toUpperCase()}` } : { mode: "PACING_MODE_INTERVAL", interval: durationOf(text) });

/**
 * @param {{made: (name: string) => void}} props
 */
export const NewInstance = ({ made }) => {
  const f = fields();
  const set = (/** @type {string} */ name) => (/** @type {any} */ e) => go(linkTo(["network"], { sel: "+", ...f, [name]: e.target.type === "checkbox" ? (e.target.checked ? "1" : "") : e.target.value }), { replace: true });
  const create = async () => {
    const { instance } = await rpc("Instances/CreateInstance", {
      instance: f.name, subnets: listOf(f.subnets).map((kind) => ({ kind: `SUBNET_KIND_${kind.toUpperCase()}` })), seed: seedOf(f.seed), ...(f.start && { startTime: f.start }), ...(f.pacing && { pacing: pacingOf(f.pacing) }),
      ...(f.outcalls && { outcalls: `OUTCALL_MODE_${f.outcalls.toUpperCase()}` }), ephemeral: f.ephemeral !== "", rateLimits: f.limits !== "", systemCanisters: listOf(f.system),
    });
    touch();
    made(instance.name);
  };
  return html`<h1>New instance</h1><p class="soft">An instance is a network of its own, with its own canisters, clock and keys. Every field may stay as it is.</p>
    <label class="field">name; empty for the next number<input type="text" name="name" value=${f.name} autocomplete="off" spellcheck="false" onInput=${set("name")} /></label>
    <label class="field">kinds of subnets, with commas<input type="text" name="subnets" list="kinds" value=${f.subnets} placeholder="nns,application" autocomplete="off" spellcheck="false" onInput=${set("subnets")} /></label><p class="soft">${kinds.join(", ")}</p>
    <label class="field">rounds run<select name="pacing" value=${f.pacing} onChange=${set("pacing")}>${pacings.map((p) => html`<option value=${p}>${p || "as the default: auto"}</option>`)}</select></label>
    <label class="field">HTTP outcalls<select name="outcalls" value=${f.outcalls} onChange=${set("outcalls")}>${outcallModes.map((m) => html`<option value=${m}>${m || "as the daemon's"}</option>`)}</select></label>
    <label class="field">time of its first round<input type="text" name="start" value=${f.start} placeholder="2030-01-01T00:00:00Z" autocomplete="off" spellcheck="false" onInput=${set("start")} /></label>
    <label class="field">seed in hexadecimal digits: the same seed and inputs give the same network<input type="text" name="seed" value=${f.seed} placeholder="drawn" autocomplete="off" spellcheck="false" onInput=${set("seed")} /></label>
    <label class="field">system canisters, with commas: registry, icp_token, cycles_minting, cycles_token, all<input type="text" name="system" value=${f.system} placeholder="none" autocomplete="off" spellcheck="false" onInput=${set("system")} /></label>
    <label class="field"><input type="checkbox" name="ephemeral" checked=${f.ephemeral !== ""} onChange=${set("ephemeral")} /> in memory only: it ends with the daemon</label>
    <label class="field"><input type="checkbox" name="limits" checked=${f.limits !== ""} onChange=${set("limits")} /> limit memory changes and installations as mainnet does</label>
    <div class="row"><${Action} kind="main" act=${create}>Create<//><a class="button" href=${linkTo(["network"])}>Cancel</a></div>
    <${Import} name=${f.name} made=${made} />`;
};

/**
 * Makes an instance from a file.
 * @param {{name: string, made: (name: string) => void}} props
 */
const Import = ({ name, made }) => {
  const [file, setFile] = useState(/** @type {File | undefined} */ (undefined));
  const tooLarge = file !== undefined && file.size > mostImported;
  const load = async () => {
    const bytes = new Uint8Array(await /** @type {File} */ (file).arrayBuffer());
    const messages = /** @type {object[]} */ ([{ options: { instance: name, ephemeral: parameter("ephemeral") !== "" } }]);
    for (let at = 0; at < bytes.length; at += chunkBytes) messages.push({ chunk: base64(bytes.subarray(at, at + chunkBytes)) });
    const { instance } = await send("Instances/ImportInstance", messages);
    touch();
    made(instance.name);
  };
  return html`<h3>From a file</h3><label class="field">a file that an instance was exported to<input type="file" onChange=${(/** @type {any} */ e) => setFile(e.target.files[0])} /></label>
    <div class="row"><${Action} disabled=${!file || tooLarge} act=${load}>Import<//>${file ? html`<span class="soft">${bytesText(file.size)}</span>` : ""}</div>
    <p class="soft">${tooLarge ? `The page imports up to ${bytesText(mostImported)}. ` : ""}<code>canisterd instance import ${quoted(file?.name ?? "lab.ic")}${name ? ` ${quoted(name)}` : ""}</code></p>`;
};
