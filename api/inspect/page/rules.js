// Rules: what they match and do, and the form that adds one. The fields of the form are in the address of the page.
import { useState } from "preact/hooks";
import { Failure, namesOf, rpc } from "./api.js";
import { count, grouped, quoted } from "./format.js";
import { go, instance, linkTo, parameter } from "./route.js";
import { doubtsAbout, idOf } from "./rulecheck.js";
import { names, touch } from "./store.js";
import { Action, Facts, html, Party, useLoaded } from "./ui.js";

/** The reject codes that an answer may have, as in Candid's ic.did. */
export const rejectCodes = /** @type {const} */ (["canister_reject", "canister_error", "sys_fatal", "sys_transient", "destination_invalid", "sys_unknown"]);

/** The kinds of messages: as on the command line, and in words. */
const kinds = /** @type {[string, string][]} */ ([["request", "calls of canisters"], ["response", "answers to canisters"], ["ingress", "users' messages"]]);

/** What a rule can do: as on the command line, and in words. */
const actions = /** @type {[string, string][]} */ ([["hold", "hold it until you release or answer it"], ["delay", "delay it"], ["reply", "answer with a reply"], ["reject", "answer with a reject"], ["unknown", "answer that the outcome is unknown (best-effort calls)"], ["drop", "lose it (best-effort calls)"]]);

/** @param {any} rule */
export const actionText = (rule) => {
  if (rule.mock) return "mock";
  if (rule.hold) return "hold";
  if (rule.drop) return "drop";
  if (rule.delay) return `delay ${rule.delay}`;
  if (rule.answer?.reject) return "reject";
  return rule.answer?.unknown ? "unknown" : "reply";
};

/**
 * What a rule matches, in words.
 * @param {any} match
 */
export const matchText = (match) => {
  const kind = String(match?.kind ?? "").replace("MESSAGE_KIND_", "").toLowerCase();
  const what = kind === "ingress" ? "users' messages" : kind === "response" ? "answers" : "calls";
  const answers = kind === "response";
  const method = match?.method ? ` ${match.method}` : "";
  const callee = match?.callee ? html` ${answers ? "of" : "to"} <${Party} id=${match.callee} />` : "";
  const caller = match?.caller ? html` ${answers ? "to" : "from"} <${Party} id=${match.caller} />` : "";
  const skip = Number(match?.skip ?? 0);
  const times = Number(match?.times ?? 0);
  return html`${what}${method}${callee}${caller}${skip > 0 ? `, after the first ${grouped(skip)}` : ""}${times > 0 ? `, at most ${grouped(times)}` : ""}`;
};

/**
 * A rule, how often it applied, and its removal.
 * @param {{rule: any, tell: (command: string) => void, removed: () => void}} props
 */
export const Rule = ({ rule: r, tell, removed }) => {
  const [release, setRelease] = useState(false);
  const remove = () => rpc("Messages/RemoveRule", { instance: instance.value, ruleId: r.ruleId, release }).then(touch).then(removed);
  const again = { sel: "new", ...fieldsOf(r) };
  return html`<h1>Rule ${r.ruleId}</h1><p>${sentences[actionText(r).split(" ")[0]] ?? "It applies to"} ${matchText(r.match)}.</p>
    <${Facts} rows=${[
      ["took", r.seen === "0" ? html`<span class="waits">matched 0 messages</span>` : `${grouped(r.matched)} of ${count(Number(r.seen), "matching message")}`],
      ["passed", r.passed !== "0" && `${count(Number(r.passed), "message")}: no network could do so, or too many are held`],
      ["delay", r.delay],
      ["reply", r.answer?.reply && html`<code>${r.answer.reply.text ?? r.answer.reply.json ?? "bytes"}</code>`],
      ["reject", r.answer?.reject && `${r.answer.reject.code.replace("REJECT_CODE_", "").toLowerCase()}: ${r.answer.reject.text}`],
      ["note", r.note],
    ]} />
    ${r.mock ? html`<p class="soft">It belongs to a mock, and ends with it.</p>` : html`<label class="field"><input type="checkbox" checked=${release} onChange=${(/** @type {any} */ e) => {
      setRelease(e.target.checked);
      tell(`rule remove ${r.ruleId}${e.target.checked ? " --release" : ""}`);
    }} /> release the messages that it holds</label>
    <div class="row"><${Action} kind="bad" act=${remove}>Remove<//><a class="button" href=${linkTo(["messages"], again)}>Another like it</a></div>`}`;
};

/** The beginning of the sentence about a rule. */
const sentences = /** @type {Record<string, string>} */ ({ hold: "It holds", drop: "It loses", delay: "It delays", reply: "It replies to", reject: "It rejects", unknown: "It answers “unknown” to", mock: "A client answers" });

/**
 * The fields of the form that would add the same rule.
 * @param {any} r
 * @returns {Record<string, string>}
 */
const fieldsOf = (r) => ({
  do: actionText(r).split(" ")[0], kind: String(r.match?.kind ?? "").replace("MESSAGE_KIND_", "").toLowerCase().replace(/^unspecified$/, ""), caller: shownParty(r.match?.caller), callee: shownParty(r.match?.callee), method: r.match?.method ?? "",
  skip: r.match?.skip === "0" ? "" : r.match?.skip ?? "", times: r.match?.times === "0" ? "" : r.match?.times ?? "", note: r.note,
  delay: r.delay ?? "", text: r.answer?.reply?.text ?? r.answer?.reject?.text ?? "", code: r.answer?.reject?.code.replace("REJECT_CODE_", "").toLowerCase() ?? "",
});

/** @param {string | undefined} id */
const shownParty = (id) => (id ? names.value.canisters[id] ?? id : "");

/** The fields of the form as the address has them. */
const fields = () => Object.fromEntries(["do", "kind", "caller", "callee", "method", "skip", "times", "note", "delay", "text", "code"].map((name) => [name, parameter(name)]));

/**
 * The command that adds the rule of the form.
 */
export const newRuleCommand = () => {
  const f = fields();
  const does = f.do || "hold";
  const argument = does === "delay" ? f.delay || "30s" : does === "reply" ? f.text || "()" : does === "reject" ? f.text : undefined;
  const code = does === "reject" && f.code && f.code !== rejectCodes[0] ? ` ${f.code}` : "";
  const flags = ["kind", "caller", "callee", "method", "skip", "times", "note"].filter((name) => f[name] && !(name === "kind" && f.kind === "request")).map((name) => ` --${name} ${quoted(f[name])}`).join("");
  return `rule add ${does}${code}${argument === undefined ? "" : ` ${quoted(argument)}`}${flags}`;
};

const units = /** @type {Record<string, number>} */ ({ w: 604_800, d: 86_400, h: 3600, m: 60, s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 });

/**
 * Reads a duration as the command line takes it: 30s, 1h30m.
 * @param {string} text
 * @returns {string} as the control API takes it: in seconds
 */
export const durationOf = (text) => {
  const parts = [...text.replaceAll(" ", "").matchAll(/(\d+(?:\.\d+)?)(w|d|h|ms|m|us|s|ns)/g)];
  if (parts.length === 0 || parts.map((p) => p[0]).join("") !== text.replaceAll(" ", "")) throw new Failure({ code: "invalid_argument", message: `invalid duration "${text}": expected an amount with its unit, such as 30s or 1h30m` }, 400);
  const seconds = parts.reduce((sum, [, n, unit]) => sum + Number(n) * units[unit], 0);
  return `${seconds.toFixed(9).replace(/\.?0+$/, "")}s`;
};

/**
 * The rule that the form describes, in which canisters have their ids.
 * @param {Record<string, string>} f
 * @param {Record<string, string>} canisters names by id
 */
const ruleOf = (f, canisters) => {
  const does = f.do || "hold";
  const match = { kind: `MESSAGE_KIND_${(f.kind || "request").toUpperCase()}`, caller: idOf(f.caller, canisters), callee: idOf(f.callee, canisters), method: f.method, skip: f.skip || "0", times: f.times || "0" };
  const action = does === "hold" ? { hold: true } : does === "drop" ? { drop: true } : does === "delay" ? { delay: durationOf(f.delay || "30s") }
    : { answer: does === "unknown" ? { unknown: true } : does === "reply" ? { reply: { text: f.text || "()" } } : { reject: { code: `REJECT_CODE_${(f.code || rejectCodes[0]).toUpperCase()}`, text: f.text } } };
  return { match, ...action, note: f.note };
};

/**
 * The form that adds a rule.
 * @param {{added: (id: string) => void}} props
 */
export const NewRule = ({ added }) => {
  const f = fields();
  const does = f.do || "hold";
  const set = (/** @type {Record<string, string>} */ to) => go(linkTo(["messages"], { sel: "new", ...f, ...to }), { replace: true });
  const input = (/** @type {string} */ name) => (/** @type {any} */ e) => set({ [name]: e.target.value });
  const { value: doubts } = useLoaded((abort) => doubtsAbout(f, abort), [f.do, f.kind, f.caller, f.callee, f.method]);
  const [warning, warn] = useState("");
  const add = async () => {
    warn("");
    // The form may be filled from its address before the page knows the names.
    const { canisters } = await namesOf(instance.value);
    const made = await rpc("Messages/AddRule", { instance: instance.value, rule: ruleOf(f, canisters) });
    touch();
    if (made.warning && (does === "drop" || does === "unknown")) warn(made.warning);
    else added(made.rule.ruleId);
  };
  const answers = f.kind === "response";
  return html`<h1>Add a rule</h1><p class="soft">It applies to messages that match from now on; the oldest rule that matches a message counts.</p>
    <datalist id="canisters">${Object.values(names.value.canisters).map((name) => html`<option value=${name}></option>`)}</datalist>
    <label class="field">what it does<select name="do" value=${does} onChange=${input("do")}>${actions.map(([key, text]) => html`<option value=${key}>${key}: ${text}</option>`)}</select></label>
    ${does === "delay" ? html`<label class="field">by, such as 30s or 1h30m, in the network's time<input type="text" name="delay" value=${f.delay} placeholder="30s" onInput=${input("delay")} /></label>` : ""}
    ${does === "reply" ? html`<label class="field">the reply in Candid's text form<textarea name="text" value=${f.text} placeholder="()" spellcheck="false" onInput=${input("text")}></textarea></label>` : ""}
    ${does === "reject" ? html`<label class="field">reject code<select name="code" value=${f.code || rejectCodes[0]} onChange=${input("code")}>${rejectCodes.map((code) => html`<option>${code}</option>`)}</select></label><label class="field">the text of the reject<textarea name="text" value=${f.text} onInput=${input("text")}></textarea></label>` : ""}
    <label class="field">to<select name="kind" value=${f.kind || "request"} onChange=${input("kind")}>${kinds.map(([key, text]) => html`<option value=${key}>${text}</option>`)}</select></label>
    <label class="field">callee: ${answers ? "the canister that answers" : "the canister that is called"}; empty for any<input type="text" name="callee" list="canisters" value=${f.callee} autocomplete="off" spellcheck="false" onInput=${input("callee")} /></label>
    <label class="field">caller: ${answers ? "the canister that gets the answer" : f.kind === "ingress" ? "the user" : "the canister that calls"}; empty for any<input type="text" name="caller" list="canisters" value=${f.caller} autocomplete="off" spellcheck="false" onInput=${input("caller")} /></label>
    <label class="field">method, with * for any characters; empty for any<input type="text" name="method" value=${f.method} autocomplete="off" spellcheck="false" onInput=${input("method")} /></label>
    <div class="sides"><label class="field">pass the first<input type="text" inputmode="numeric" name="skip" value=${f.skip} placeholder="0" onInput=${input("skip")} /></label><label class="field">apply at most, times<input type="text" inputmode="numeric" name="times" value=${f.times} placeholder="all" onInput=${input("times")} /></label></div>
    <label class="field">note<input type="text" name="note" value=${f.note} onInput=${input("note")} /></label>
    ${doubts?.length ? html`<div class="why" role="status"><b>No message seems to match this rule:</b> ${doubts.join("; ")}.${answers ? " The callee of an answer is the canister that answers, the caller the one that gets it." : ""}</div>` : ""}
    <div class="row"><${Action} kind="main" act=${add}>Add the rule<//><a class="button" href=${linkTo(["messages"])}>Cancel</a></div>
    ${warning ? html`<div class="why" role="status"><b>The rule is added.</b> ${warning}</div>` : ""}`;
};
