// Forms for what is explored: an operation, and a line that must hold.
import { useEffect, useState } from "preact/hooks";
import { rpc, typesOf } from "./api.js";
import { argumentsText } from "./candidtext.js";
import { Fields, drawn, fits, formLimit, initial, useHistory } from "./form.js";
import { instance } from "./route.js";
import { nameOf, names } from "./store.js";
import { Boundary, html, Problem, useLoaded } from "./ui.js";

/**
 * The canisters with code, those with names first.
 * @param {AbortSignal} abort
 * @returns {Promise<string[]>} ids
 */
const canistersOf = async (abort) => {
  const { canisters } = await rpc("Canisters/ListCanisters", { instance: instance.value, pageSize: 1000 }, abort);
  const ids = canisters.filter((/** @type {any} */ c) => c.moduleHash).map((/** @type {any} */ c) => c.canisterId);
  const named = (/** @type {string} */ id) => (names.value.canisters[id] ? 0 : 1);
  return ids.sort((/** @type {string} */ a, /** @type {string} */ b) => named(a) - named(b) || nameOf(a).localeCompare(nameOf(b)));
};

/**
 * The methods of a canister with their types, or only their names if its interface is not known.
 * @param {string} id
 * @returns {Promise<{types: any[], methods: {name: string, query: boolean, composite: boolean, args?: any[], results?: any[]}[]}>}
 */
const methodsOf = async (id) => {
  try {
    return await typesOf(instance.value, id);
  } catch {
    const { canister } = await rpc("Canisters/GetCanister", { instance: instance.value, canisterId: id });
    return { types: [], methods: canister.methods.map((/** @type {any} */ m) => ({ name: m.name, query: m.kind !== "update", composite: m.kind === "composite query" })) };
  }
};

/**
 * The selection of a canister.
 * @param {{canister: string, all: string[], set: (id: string) => void}} props
 */
const CanisterField = ({ canister, all, set }) => html`<label>canister<select value=${canister} onChange=${(/** @type {any} */ e) => set(e.target.value)}>${all.map((id) => html`<option value=${id}>${nameOf(id)}</option>`)}</select></label>`;

/**
 * The selection of a canister and one of its methods.
 * @param {(m: any) => boolean} suitable
 */
const useMethod = (suitable) => {
  const { value: all, failure } = useLoaded(canistersOf, [JSON.stringify(names.value.canisters)], { live: false });
  const [canister, setCanister] = useState("");
  const [method, setMethod] = useState("");
  const id = canister || all?.[0] || "";
  const { value: about, failure: untyped } = useLoaded(async () => (id ? methodsOf(id) : undefined), [id], { live: false });
  const methods = (about?.methods ?? []).filter((m) => suitable(m) && !m.name.startsWith("__"));
  const chosen = methods.find((m) => m.name === method) ?? methods[0];
  const choose = (/** @type {string} */ to) => {
    setCanister(to);
    setMethod("");
  };
  return { all, id, types: about?.types ?? [], methods, chosen, failure: failure ?? untyped, choose, setMethod };
};

/**
 * @param {{add: (o: import("./exploration.js").Operation, before: boolean) => void}} props
 */
export const OperationForm = ({ add }) => {
  const { all, id, types, methods, chosen, failure, choose, setMethod } = useMethod((m) => !m.composite);
  if (failure) return html`<${Problem} failure=${failure} />`;
  if (all?.length === 0) return html`<p class="soft">No canister has code yet: <code>canisterd deploy</code> installs those of a project.</p>`;
  if (!all || !chosen) return html`<p aria-busy=${!all}>${all ? "It exports no method." : ""}</p>`;
  const sorted = [...methods].sort((a, b) => Number(a.query) - Number(b.query));
  return html`<div class="row"><${CanisterField} canister=${id} all=${all} set=${choose} />
      <label>method<select value=${chosen.name} onChange=${(/** @type {any} */ e) => setMethod(e.target.value)}>${sorted.map((m) => html`<option value=${m.name}>${m.name}${m.query ? " (query)" : ""}</option>`)}</select></label></div>
    <${Boundary} what="The form" of=${`${id} ${chosen.name}`}><${Arguments} key=${`${id} ${chosen.name}`} canister=${id} method=${chosen} types=${types} add=${add} /><//>`;
};

/**
 * The arguments of an operation, and who calls.
 * @param {{canister: string, method: any, types: any[], add: (o: import("./exploration.js").Operation, before: boolean) => void}} props
 */
const Arguments = ({ canister, method: m, types, add }) => {
  const args = m.args ?? [];
  const [values, setValues] = useState(() => args.map((/** @type {any} */ a) => initial(types, a.type)));
  const drawable = m.args !== undefined && fits(types, args, values);
  const [text, setText] = useState("()");
  const [asText, setAsText] = useState(!drawable);
  const [full, setFull] = useState(false);
  const [as, setAs] = useState("");
  const [title, setTitle] = useState("");
  const [before, setBefore] = useState(false);
  const history = useHistory(`${canister} ${m.name}`);
  const set = (/** @type {any[]} */ to) => {
    const fitting = fits(types, args, to);
    setFull(!fitting);
    if (fitting) setValues(to);
  };
  const recall = (/** @type {string} */ old) => {
    const typed = old.startsWith("[");
    setAsText(!typed);
    if (typed) set(JSON.parse(old));
    else setText(old);
  };
  const made = () => {
    const argument = asText ? (text.trim().startsWith("(") ? text.trim() : `(${text.trim()})`) : argumentsText(types, args, values);
    const caller = idOf(as.trim());
    add({ canister, method: m.name, argument, ...(caller && { as: caller }), ...(title.trim() && { title: title.trim() }) }, before);
  };
  return html`${asText ? html`<label class="field">arguments in Candid's text form<textarea value=${text} onInput=${(/** @type {any} */ e) => setText(e.target.value)}></textarea></label>` : html`<${Fields} types=${types} args=${args} values=${values} set=${set} />`}
    ${full ? html`<p class="soft" role="status">${formLimit}</p>` : ""}
    ${args.length > 0 || asText ? html`<div class="row">${history.all.length > 0 ? html`<select aria-label="arguments of earlier calls" onChange=${(/** @type {any} */ e) => e.target.value && recall(e.target.value)}><option value="">earlier arguments</option>${history.all.map((old) => html`<option value=${old}>${old.slice(0, 80)}</option>`)}</select>` : ""}
      ${drawable ? html`<button type="button" disabled=${asText} onClick=${() => set(args.map((/** @type {any} */ a) => drawn(types, a.type)))}>Random values</button><button type="button" onClick=${() => { if (!asText) setText(argumentsText(types, args, values)); setAsText(!asText); }}>${asText ? "As a form" : "As text"}</button>` : ""}</div>` : ""}
    <div class="grid"><label class="field">caller<input type="text" list="callers" value=${as} placeholder="anonymous" spellcheck="false" autocomplete="off" onInput=${(/** @type {any} */ e) => setAs(e.target.value)} /></label>
      <label class="field">title, if it needs one<input type="text" value=${title} onInput=${(/** @type {any} */ e) => setTitle(e.target.value)} /></label>
      <label class="field">it begins<select value=${before ? "before" : "any"} onChange=${(/** @type {any} */ e) => setBefore(e.target.value === "before")}><option value="any">at any time</option><option value="before">before each run</option></select></label></div>
    <datalist id="callers">${Object.values(names.value.canisters).map((name) => html`<option value=${name}></option>`)}</datalist>
    <div class="row"><button type="button" class="main" onClick=${made}>Add</button></div>`;
};

/**
 * The principal of a canister's name; another text stays as it is.
 * @param {string} text
 */
const idOf = (text) => (text === "anonymous" ? "" : Object.entries(names.value.canisters).find(([, name]) => name === text)?.[0] ?? text);

/** When an invariant must hold, and what else a line may say: the list, the beginning of the line, the words. */
const sorts = /** @type {const} */ ([
  ["invariants", "", "must hold when no message is left"], ["invariants", "each message: ", "must hold after each message"], ["invariants", "eventually: ", "must hold in the end, after timers"],
  ["sometimes", "", "must hold at the end of some run"], ["maximize", "", "is to become as large as it can"], ["observe", "", "is compared with serial orders"],
]);

const relations = ["<=", "==", ">=", "<", ">", "!="];
const numbers = /^(nat|int)(8|16|32|64)?$/;

/**
 * @param {{add: (kind: any, line: string) => void}} props
 */
export const LineForm = ({ add }) => {
  const { all, id, types, methods, chosen, failure, choose, setMethod } = useMethod((m) => m.query && !m.composite);
  const [sort, setSort] = useState(0);
  const [relation, setRelation] = useState("<=");
  const [argument, setArgument] = useState("");
  const [value, setValue] = useState(/** @type {string | undefined} */ (undefined));
  const [kind, prefix] = sorts[sort];
  const compares = kind === "invariants" || kind === "sometimes";
  const takes = chosen?.args?.length ?? 0;
  const { value: present } = useLoaded(async () => (chosen && takes === 0 ? presentOf(id, chosen.name) : ""), [id, chosen?.name]);
  useEffect(() => setValue(undefined), [id, chosen?.name]);
  if (failure) return html`<${Problem} failure=${failure} />`;
  if (!all) return html`<p aria-busy="true"></p>`;
  const result = chosen?.results?.[0] ? types[chosen.results[0].type].kind : "";
  const right = value ?? present ?? "";
  const canister = names.value.canisters[id] ?? id;
  const line = chosen ? `${prefix}${canister} ${chosen.name}${takes > 0 ? ` ${argument || "()"}` : ""}${compares ? ` ${relation} ${right}` : ""}` : "";
  return html`<div class="row"><${CanisterField} canister=${id} all=${all} set=${choose} />
      ${chosen ? html`<label>query<select value=${chosen.name} onChange=${(/** @type {any} */ e) => setMethod(e.target.value)}>${methods.map((m) => html`<option value=${m.name}>${m.name}</option>`)}</select></label>` : html`<p class="soft">It exports no query.</p>`}
      ${compares ? html`<label>relation<select value=${relation} onChange=${(/** @type {any} */ e) => setRelation(e.target.value)}>${relations.map((r) => html`<option value=${r}>${r}</option>`)}</select></label>
      <label>value${present ? html` <span class="soft">now ${present.slice(0, 40)}</span>` : ""}<input type=${numbers.test(result) ? "number" : "text"} min=${result.startsWith("nat") ? 0 : undefined} value=${right} onInput=${(/** @type {any} */ e) => setValue(e.target.value)} /></label>` : ""}
      <label>what it says<select value=${String(sort)} onChange=${(/** @type {any} */ e) => setSort(Number(e.target.value))}>${sorts.map(([, , words], i) => html`<option value=${String(i)}>${words}</option>`)}</select></label></div>
    ${takes > 0 ? html`<label class="field">arguments of the query in Candid's text form<input type="text" value=${argument} spellcheck="false" onInput=${(/** @type {any} */ e) => setArgument(e.target.value)} /></label>` : ""}
    <div class="row"><button type="button" class="main" disabled=${!chosen || (compares && right === "")} onClick=${() => add(kind, line)}>Add</button>${chosen ? html`<code>${line}</code>` : ""}</div>`;
};

/**
 * What a query without arguments answers now, as a value in Candid's text form; "" if it is not one value.
 * @param {string} canisterId
 * @param {string} method
 */
const presentOf = async (canisterId, method) => {
  try {
    const { outcome } = await rpc("Calls/Query", { instance: instance.value, call: { canisterId, method, argument: { text: "()" }, replyForm: "FORM_TEXT" } });
    const text = /^\((.*)\)$/s.exec(outcome?.reply?.text ?? "")?.[1] ?? "";
    return text.replace(/^(-?[\d_]+) : \w+$/, (_, digits) => digits.replaceAll("_", ""));
  } catch {
    return "";
  }
};
