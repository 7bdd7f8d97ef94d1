// One moment of an instance: what happened there, and what can be done: fork it, go back to it, compare it, ask a query.
import { useEffect, useState } from "preact/hooks";
import { rpc, typesOf } from "./api.js";
import { count, grouped, quoted, shortId, timeText } from "./format.js";
import { forkOf, momentText, snapshotOf, withForks } from "./moments.js";
import { go, instance, instanceName, linkTo, parameter } from "./route.js";
import { answerOf, Sides } from "./state.js";
import { clock, names, touch } from "./store.js";
import { Action, commandOf, html, Party, useLoaded } from "./ui.js";

/**
 * @param {{at: string, point?: import("./moments.js").Point, height: number, kept: any, from?: string, change: (to: Record<string, string>) => void, marked: () => void}} props at: the moment; from: the one that it is compared with; marked: what to do when there are other marks
 */
export const Moment = ({ at, point, height, kept, from, change, marked }) => {
  const snapshot = snapshotOf(at);
  const now = Number(clock.value.height);
  const forkable = at === "" || snapshot !== "" || Boolean(kept);
  return html`<h1>${at === "" ? `Now, round ${grouped(now)}` : momentText(at).replace(/^./, (c) => c.toUpperCase()).replace(/\d+$/, (n) => (snapshot ? n : grouped(n)))}</h1>
    <p class="soft">${at === "" ? timeText(clock.value.time) : point ? timeText(point.time) : ""}${at !== "" && height <= now ? `${point?.time ? " · " : ""}${count(now - height, "round")} ago` : ""}</p>
    ${point?.kind === "trap" ? html`<div class="why bad"><b>A message of <${Party} id=${point.canister ?? ""} />.${point.method} trapped because</b> ${point.text}</div><p class="soft">${kept ? "This moment is before it." : ""} ${point.request ? html`<a href=${linkTo(["call", point.request])}>The whole call ${shortId(point.request)}</a>` : ""}</p>` : ""}
    ${at === "" ? html`<${Keep} kept=${kept} marked=${marked} />` : ""}
    ${forkable ? html`<${Fork} at=${at} />` : html`<p class="soft">Without a history, this moment cannot be forked.</p>`}
    ${at === "" ? "" : html`<${Back} at=${at} height=${height} now=${now} change=${change} marked=${marked} />`}
    ${forkable ? html`<h3>Compare</h3>${from === undefined ? html`<p class="soft">Take this moment as the one before, and then select another one.</p><div class="row"><button type="button" onClick=${() => change({ from: at || "now" })}>Compare from here</button></div>` : html`<p>It is compared with ${momentText(from)}.</p>`}<${Ask} at=${at} from=${from} change=${change} />` : ""}`;
};

/**
 * Keeps the present: as a snapshot, or with a mark in the history.
 * @param {{kept: any, marked: () => void}} props
 */
const Keep = ({ kept, marked }) => {
  const [name, setName] = useState("");
  const snapshot = async () => {
    await rpc("Instances/TakeSnapshot", { instance: instance.value, snapshot: name });
    setName("");
    touch();
    marked();
  };
  const mark = async () => {
    await rpc("Instances/MarkHistory", { instance: instance.value, mark: name });
    setName("");
    touch();
    marked();
  };
  return html`<h3>Keep this moment</h3><label class="field">name, such as before-upgrade<input type="text" name="name" value=${name} autocomplete="off" spellcheck="false" onInput=${(/** @type {any} */ e) => setName(e.target.value)} /></label>
    <div class="row"><${Action} act=${snapshot}>Take a snapshot<//>${kept ? html`<${Action} disabled=${name === ""} act=${mark}>Mark<//>` : ""}</div>
    <p class="soft"><code>${commandOf("instance snapshot NAME")}</code>${kept ? html`, <code>${commandOf("instance mark NAME")}</code>` : ""}</p>`;
};

/** @param {{at: string}} props */
const Fork = ({ at }) => {
  const [name, setName] = useState("");
  const fork = async () => go(linkTo(["now"], { i: await forkOf(name, at) }));
  return html`<h3>Fork</h3><p>A fork is an instance of its own that begins with this moment; this one goes on.${at !== "" && !snapshotOf(at) ? " Its rounds run only when asked, so that it stays there." : ""}</p>
    <label class="field">name of the fork; empty for the next number<input type="text" name="fork" value=${name} autocomplete="off" spellcheck="false" onInput=${(/** @type {any} */ e) => setName(e.target.value)} /></label><div class="row"><${Action} kind="main" act=${fork}>Fork here<//></div>`;
};

/**
 * Goes back, which only snapshots allow.
 * @param {{at: string, height: number, now: number, change: (to: Record<string, string>) => void, marked: () => void}} props
 */
const Back = ({ at, height, now, change, marked }) => {
  const snapshot = snapshotOf(at);
  const restore = async () => {
    await rpc("Instances/RestoreSnapshot", { instance: instance.value, snapshot });
    touch();
    marked();
    change({ at: "", from: "", lo: "", hi: "" });
  };
  const forget = async () => {
    await rpc("Instances/DeleteSnapshot", { instance: instance.value, snapshot });
    touch();
    marked();
    change({ at: "" });
  };
  if (!snapshot) return html`<h3>Go back</h3><p class="soft">Only snapshots can be gone back to. A fork of this moment has the same state.</p>`;
  const rounds = height < now ? `${height + 1 === now ? `Round ${grouped(now)}` : `Rounds ${grouped(height + 1)} to ${grouped(now)}`} of ${instanceName.value}` : `The present of ${instanceName.value}`;
  return html`<h3>Go back</h3><p>A snapshot can be gone back to any number of times. <code>${commandOf(`instance restore ${quoted(snapshot)}`)}</code></p>
    <div class="row"><${Action} kind="bad" confirm=${`${rounds} and its history are lost, and calls that wait end with an error. A fork loses nothing. Go back?`} act=${restore}>Go back here<//><${Action} kind="bad" confirm="The snapshot is lost; the instance stays as it is. Delete it?" act=${forget}>Delete the snapshot<//></div>`;
};

/**
 * Asks a query at the moment, and at the one that it is compared with.
 * @param {{at: string, from?: string, change: (to: Record<string, string>) => void}} props
 */
const Ask = ({ at, from, change }) => {
  const named = Object.entries(names.value.canisters).sort(([, a], [, b]) => a.localeCompare(b));
  const canister = parameter("canister") || (named[0]?.[0] ?? "");
  const args = parameter("args") || "()";
  const { value: types } = useLoaded(() => (canister ? typesOf(instance.value, canister) : Promise.resolve(undefined)), [canister], { live: false });
  const queries = (types?.methods ?? []).filter((/** @type {any} */ m) => m.query).map((/** @type {any} */ m) => m.name);
  const method = parameter("method") || queries[0] || "";
  const [answers, set] = useState(/** @type {string[]} */ ([]));
  useEffect(() => set([]), [canister, method, args]);
  const ask = (/** @type {AbortSignal} */ signal) => withForks(from === undefined ? [at] : [from, at], signal, async (forks) => {
    const call = { canisterId: canister, method, argument: { text: args }, sender: parameter("as"), replyForm: "FORM_TEXT" };
    const all = await Promise.all(forks.map((of) => rpc("Calls/Query", { instance: of, call }, signal)));
    set(all.map((one) => answerOf(one)));
  });
  if (!canister) return html`<h3>Ask a query here</h3><p class="soft">No canister of this instance has a name: <code>canisterd deploy</code> gives them names.</p>`;
  return html`<h3>Ask a query here</h3>
    <label class="field">canister<select name="canister" value=${canister} onChange=${(/** @type {any} */ e) => change({ canister: e.target.value, method: "" })}>${named.map(([id, name]) => html`<option value=${id}>${name}</option>`)}</select></label>
    <label class="field">query<input type="text" name="method" list="queries" value=${method} autocomplete="off" spellcheck="false" onInput=${(/** @type {any} */ e) => change({ method: e.target.value })} /></label><datalist id="queries">${queries.map((/** @type {string} */ q) => html`<option value=${q}></option>`)}</datalist>
    <label class="field">arguments in Candid's text form<textarea name="args" value=${args} spellcheck="false" onInput=${(/** @type {any} */ e) => change({ args: e.target.value })}></textarea></label>
    <label class="field">as the principal; empty for the anonymous one<input type="text" name="as" value=${parameter("as")} autocomplete="off" spellcheck="false" onInput=${(/** @type {any} */ e) => change({ as: e.target.value })} /></label>
    <div class="row"><${Action} act=${ask}>Ask<//></div>
    ${answers.length === 2 ? html`<${Sides} before=${answers[0]} after=${answers[1]} />` : answers.length === 1 ? html`<pre role="status" aria-label="answer">${answers[0]}</pre>` : ""}`;
};
