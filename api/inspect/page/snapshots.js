// The snapshots of a canister: those of the management canister, which its controllers take.
import { useEffect, useRef } from "preact/hooks";
import { Failure, rpc } from "./api.js";
import { bytesText, count, grouped, quoted, timeText } from "./format.js";
import { instance } from "./route.js";
import { lease } from "./state.js";
import { nameOf, touch } from "./store.js";
import { Action, Bytes, Copy, html, Problem, useLoaded } from "./ui.js";

const management = "aaaaa-aa";

/**
 * Calls a method of the management canister as a controller.
 * @param {string} of the instance
 * @param {any} canister
 * @param {string} method
 * @param {object} [more] fields of the argument besides the canister
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>} the first result
 */
const manage = async (of, canister, method, more = {}, signal) => {
  const argument = { json: JSON.stringify([{ canister_id: canister.canisterId, ...more }]) };
  const sender = canister.settings.controllers.principals[0];
  const { outcome } = await rpc("Calls/Update", { instance: of, call: { canisterId: management, method, argument, sender, replyForm: "FORM_JSON" } }, signal);
  if (outcome.reject) throw new Failure({ code: "failed_precondition", message: outcome.reject.text, reason: outcome.reject.errorCode }, 400);
  return JSON.parse(outcome.reply.json || "[]")[0];
};

/**
 * Lists the snapshots of a canister. The call is made on a fork, so that looking changes nothing.
 * @param {any} canister
 */
const listed = (canister) => async (/** @type {AbortSignal} */ signal) => {
  if (canister.settings.controllers.principals.length === 0) return [];
  const held = await lease(signal);
  try {
    const made = await rpc("Instances/ForkInstance", { instance: instance.value, lease: held.name, ephemeral: true }, signal);
    return await manage(made.instance.name, canister, "list_canister_snapshots", {}, signal);
  } finally {
    held.end();
  }
};

/**
 * Formats a time of the network.
 * @param {string | number} ns nanoseconds since 1970
 */
const taken = (ns) => timeText(new Date(Number(BigInt(ns) / 1_000_000n)).toISOString());

/**
 * The command that calls a method of the management canister.
 * @param {any} canister
 * @param {string} method
 * @param {string} [snapshot] its id in hexadecimal digits
 */
export const snapshotCommand = (canister, method, snapshot) => {
  const sender = canister.settings.controllers.principals[0] ?? "CONTROLLER";
  const id = snapshot ? `; snapshot_id = blob "${snapshot.replace(/../g, "\\$&")}"` : "";
  return `canister call ${management} ${method} ${quoted(`(record { canister_id = principal "${canister.canisterId}"${id} })`)}${sender === "2vxsx-fae" ? "" : ` --as ${sender}`}`;
};

/** @param {{canister: any, method: string, snapshot?: string}} props */
const AsCommand = ({ canister, method, snapshot }) => html`<${Copy} text=${`canisterd${instance.value ? ` -i ${quoted(instance.value)}` : ""} ${snapshotCommand(canister, method, snapshot)}`} label="copy as a command" />`;

/** @param {{canister: any}} props */
export const Snapshots = ({ canister: c }) => {
  const { value, failure, reload } = useLoaded(listed(c), [c.canisterId], { live: false });
  const at = `${c.canisterVersion} ${c.memoryBytes}`;
  const seen = useRef(at);
  useEffect(() => {
    if (seen.current !== at) reload(); // taken, loaded or deleted, here or elsewhere
    seen.current = at;
  }, [at]);
  if (failure) return html`<${Problem} failure=${failure} />`;
  if (!value) return html`<div aria-busy="true"></div>`;
  if (c.settings.controllers.principals.length === 0) return html`<p>It has no controllers: nobody may take, load or delete its snapshots.</p>`;
  const act = (/** @type {string} */ method, /** @type {object} */ more) => async () => {
    await manage(instance.value, c, method, more);
    touch();
  };
  const size = value.reduce((/** @type {number} */ sum, /** @type {any} */ s) => sum + Number(s.total_size), 0);
  return html`<p role="status">${value.length === 0 ? "It has no snapshots. One keeps its code and its memory as they are." : `${count(value.length, "snapshot")} with ${bytesText(size)}, which its cycles pay for.`}</p>
    <div class="row"><${Action} kind="main" disabled=${!c.moduleHash} act=${act("take_canister_snapshot", {})}>Take a snapshot<//><${AsCommand} canister=${c} method="take_canister_snapshot" /></div>
    ${value.length > 0 ? html`<div class="scroll" tabindex="0" role="region" aria-label="snapshots"><table><thead><tr><th>taken</th><th>id</th><th class="number">size</th><th>what to do</th></tr></thead><tbody>
      ${value.map((/** @type {any} */ s) => html`<${Row} key=${s.id} snapshot=${s} canister=${c} act=${act} />`)}</tbody></table></div>` : ""}`;
};

/**
 * A snapshot and what can be done with it.
 * @param {{snapshot: any, canister: any, act: (method: string, more: object) => () => Promise<void>}} props
 */
const Row = ({ snapshot: s, canister: c, act }) => html`<tr><td><span class="number" title=${`${grouped(s.taken_at_timestamp)} ns`}>${taken(s.taken_at_timestamp)}</span></td><td><${Copy} text=${s.id}><code>${s.id.slice(0, 16)}</code></${Copy}></td><td class="number"><${Bytes} size=${s.total_size} /></td>
  <td><div class="row tight"><${Action} kind="bad" confirm=${`The code and the state of ${nameOf(c.canisterId)} since this snapshot are lost. Load it?`} act=${act("load_canister_snapshot", { snapshot_id: s.id })}>Load<//><${Action} kind="bad" confirm="The snapshot is lost; the canister stays as it is. Delete it?" act=${act("delete_canister_snapshot", { snapshot_id: s.id })}>Delete<//><${AsCommand} canister=${c} method="load_canister_snapshot" snapshot=${s.id} /></div></td></tr>`;
