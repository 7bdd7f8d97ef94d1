// An HTTP outcall that waits: its request, and the answer that a person gives it.
import { useEffect, useState } from "preact/hooks";
import { rpc } from "./api.js";
import { base64, bytesOf, bytesText, count, grouped, quoted, textOf } from "./format.js";
import { instance } from "./route.js";
import { rejectCodes } from "./rules.js";
import { touch } from "./store.js";
import { Action, Copy, Facts, html, Id, Party } from "./ui.js";

/** The most bytes of a body that are shown as text, and as hexadecimal digits. */
const mostText = 256 << 10;
const mostHex = 16 << 10;

/**
 * The command that answers an outcall, or shows it as long as no answer is written.
 * @param {any} outcall
 * @param {boolean} named whether its subnet must be named: outcalls of other subnets have the same number
 */
export const outcallCommand = (outcall, named) => `outcalls show ${outcall.number}${onSubnet(outcall, named)}`;

/**
 * @param {any} outcall
 * @param {boolean} named
 */
const onSubnet = (outcall, named) => (named ? ` --subnet ${outcall.subnetId}` : "");

/**
 * Returns JSON with line breaks, undefined for other texts.
 * @param {string} text
 */
const prettyJSON = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return undefined;
  }
};

/**
 * Sixteen bytes a line: where they are, their hexadecimal digits, and their letters.
 * @param {Uint8Array} bytes
 */
const hexLines = (bytes) => {
  const lines = [];
  for (let at = 0; at < Math.min(bytes.length, mostHex); at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    const digits = row.map((b) => b.toString(16).padStart(2, "0")).join(" ");
    lines.push(`${at.toString(16).padStart(6, "0")}  ${digits.padEnd(47)}  ${row.map((b) => (b >= 32 && b < 127 ? String.fromCharCode(b) : "·")).join("")}`);
  }
  return lines.join("\n");
};

/**
 * A body in the forms that it has: JSON, text, hexadecimal digits.
 * @param {{body: string}} props in base64
 */
const Body = ({ body }) => {
  const bytes = bytesOf(body);
  const text = textOf(body);
  const isText = !text.startsWith("0x") || body === "";
  const json = isText && bytes.length <= mostText ? prettyJSON(new TextDecoder().decode(bytes)) : undefined;
  const forms = [...(json !== undefined ? ["JSON"] : []), ...(isText ? ["text"] : []), "hex"];
  const [chosen, choose] = useState("");
  const form = forms.includes(chosen) ? chosen : forms[0];
  if (bytes.length === 0) return html`<p class="soft">It has no body.</p>`;
  const most = form === "hex" ? mostHex : mostText;
  return html`<div class="row tight" role="group" aria-label="form of the body">${forms.map((f) => html`<button type="button" aria-pressed=${f === form} onClick=${() => choose(f)}>${f}</button>`)}<span class="soft">${bytesText(bytes.length)}</span></div>
    <pre class=${form === "hex" ? "hex" : ""} tabindex="0" role="region" aria-label="body">${form === "JSON" ? json : form === "text" ? text.slice(0, mostText) : hexLines(bytes)}</pre>
    ${bytes.length > most ? html`<p class="soft">The first ${bytesText(most)} are shown.</p>` : ""}`;
};

/**
 * @param {{outcall: any, named: boolean, tell: (command: string) => void}} props tell: the command for the answer that is written
 */
export const Outcall = ({ outcall: o, named, tell }) => html`<h1>${o.method} <${Url} url=${o.url} /></h1><p class="soft">HTTP outcall ${o.number} of <${Party} id=${o.canisterId} /></p>
  <div class="why"><b>It waits because</b> this instance holds HTTP outcalls: the canister gets the answer that you give.</div>
  <h3>Request</h3><${Facts} rows=${[["URL", html`<${Copy} text=${o.url}><code>${o.url}</code></${Copy}>`], ["nodes", `${o.nodes}: each gets this answer`], ["response", `at most ${grouped(o.maxResponseBytes)} bytes, with headers`], ["subnet", html`<${Id} id=${o.subnetId} />`]]} />
  <h3>Headers</h3>${o.headers.length === 0 ? html`<p class="soft">It has no headers.</p>` : html`<dl>${o.headers.map((/** @type {any} */ h) => html`<dt><code>${h.name}</code></dt><dd><code>${h.value}</code></dd>`)}</dl>`}
  <h3>Body</h3><${Body} body=${o.body} />
  <h3>Answer</h3><${AnswerForm} outcall=${o} named=${named} tell=${tell} />`;

/**
 * The host and path of a URL; the whole one is in the table.
 * @param {{url: string}} props
 */
const Url = ({ url }) => html`<span title=${url}>${url.length > 60 ? `${url.slice(0, 59)}…` : url}</span>`;

/**
 * The headers of a text with one in each line.
 * @param {string} text
 */
const headersOf = (text) => text.split("\n").filter((line) => line.trim() !== "").map((line) => {
  const at = line.indexOf(":");
  return at < 0 ? { name: line.trim(), value: "" } : { name: line.slice(0, at).trim(), value: line.slice(at + 1).trim() };
});

/**
 * The answer to an outcall: a response with status, headers and body, or a reject.
 * @param {{outcall: any, named: boolean, tell: (command: string) => void}} props
 */
const AnswerForm = ({ outcall: o, named, tell }) => {
  const [rejects, setRejects] = useState(false);
  const [status, setStatus] = useState("200");
  const [headers, setHeaders] = useState("Content-Type: application/json");
  const [body, setBody] = useState("");
  const [code, setCode] = useState("sys_transient");
  const [text, setText] = useState("");
  const command = rejects ? `outcalls answer ${o.number} reject ${code} ${quoted(text)}${onSubnet(o, named)}`
    : `outcalls answer ${o.number} reply ${quoted(body)}${status === "200" ? "" : ` --status ${quoted(status)}`}${headersOf(headers).map((h) => ` --header ${quoted(`${h.name}: ${h.value}`)}`).join("")}${onSubnet(o, named)}`;
  useEffect(() => tell(command), [command]);
  const answer = () => rpc("Messages/AnswerOutcall", {
    instance: instance.value, subnetId: o.subnetId, number: o.number, incarnation: o.incarnation,
    answers: [rejects ? { reject: { code: `REJECT_CODE_${code.toUpperCase()}`, text } } : { response: { status: Number(status), headers: headersOf(headers), body: base64(new TextEncoder().encode(body)) } }],
  }).then(touch);
  const given = (/** @type {(value: string) => void} */ set) => (/** @type {any} */ e) => set(e.target.value);
  return html`<div class="row tight" role="group" aria-label="kind of answer"><button type="button" aria-pressed=${!rejects} onClick=${() => setRejects(false)}>Response</button><button type="button" aria-pressed=${rejects} onClick=${() => setRejects(true)}>Reject</button></div>
    ${rejects
      ? html`<label class="field">reject code<select value=${code} onChange=${given(setCode)}>${rejectCodes.map((c) => html`<option>${c}</option>`)}</select></label><label class="field">the text of the reject<textarea value=${text} onInput=${given(setText)}></textarea></label>`
      : html`<label class="field">status<input type="number" min="100" max="999" value=${status} onInput=${given(setStatus)} /></label><label class="field">headers, NAME: VALUE in each line<textarea value=${headers} spellcheck="false" onInput=${given(setHeaders)}></textarea></label><label class="field">body<textarea value=${body} spellcheck="false" onInput=${given(setBody)}></textarea></label>`}
    <div class="row"><${Action} kind="main" act=${answer}>${rejects ? "Reject" : "Answer"}<//></div>
    ${o.nodes > 1 ? html`<p class="soft">All ${count(o.nodes, "node")} get the same answer; <code>canisterd outcalls answer ${o.number} --each FILE</code> gives each its own.</p>` : ""}`;
};
