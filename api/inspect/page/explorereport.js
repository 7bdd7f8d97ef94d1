// What an exploration has found.
import { useEffect, useRef } from "preact/hooks";
import { faultKinds } from "./exploration.js";
import { count, grouped } from "./format.js";
import { html } from "./ui.js";

/** When the report that was scrolled to had begun. */
let arrived = 0;

/**
 * @param {{report: any, began: number, link: (number: number) => string}} props began: 0 for a report that was kept; link: the address of a finding, numbered from 1
 */
export const Report = ({ report: r, began, link }) => {
  const head = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (began <= arrived) return;
    arrived = began;
    head.current?.scrollIntoView?.();
  }, [began]);
  const findings = r.findings ?? [];
  const violations = findings.filter((/** @type {any} */ f) => !f.suspicion).length;
  const largest = (r.largest ?? []).map((/** @type {any} */ x, /** @type {number} */ i) => ({ ...x, number: x.found ? findings.length + 1 + r.largest.slice(0, i).filter((/** @type {any} */ o) => o.found).length : 0 }));
  return html`<h2 ref=${head}>Findings</h2>
    <div class=${`why ${violations > 0 ? "bad" : findings.length > 0 ? "" : "ok"}`} role="status"><b>${violations > 0 ? `It found ${count(violations, "violation")}.` : findings.length > 0 ? "It found no violation." : "It found nothing wrong."}</b> ${r.conclusion}</div>
    ${findings.length > 0 ? html`<ol class="findings">${findings.map((/** @type {any} */ f, /** @type {number} */ i) => html`<li>${f.schedule ? html`<a href=${link(i + 1)}>${f.text}</a>` : f.text} <span class="soft">${f.suspicion ? "suspicion" : "violation"}${f.phase === "end" ? "" : ` in run ${grouped(f.run)} (${f.phase})`}${Number(f.others ?? 0) > 0 ? `, ${count(Number(f.others), "more run")}` : ""}</span></li>`)}</ol>` : ""}
    ${violations < findings.length ? html`<p class="soft">A suspicion is a result that no serial order of the operations gives. Your canisters may allow that.</p>` : ""}
    ${largest.length > 0 ? html`<ul>${largest.map((/** @type {any} */ x) => html`<li>The largest <code>${x.title}</code> is ${x.value ? html`<b>${x.value}</b>` : "not known: no run gives a number"}${x.number ? html`: <a href=${link(x.number)}>the run that gives it</a>` : ""}.</li>`)}</ul>` : ""}
    ${(r.reached ?? []).length > 0 ? html`<ul>${r.reached.map((/** @type {any} */ g) => html`<li><code>${g.title}</code> held at the end of ${count(Number(g.runs ?? 0), "run")}.</li>`)}</ul>` : ""}
    <h2>Answers</h2><p>How often each operation was answered, and how.</p><${Answers} all=${r.operations ?? []} />
    ${(r.awaits ?? []).length > 0 ? html`<h2>Faults at awaits</h2><p>Runs in which a fault took place at a call. 0 is a gap: no run has tried it. A dash: it cannot happen there.</p><${Awaits} all=${r.awaits} />` : ""}`;
};

/** @param {{all: any[]}} props */
const Answers = ({ all }) => html`<div class="scroll" tabindex="0" role="region" aria-label="answers"><table><thead><tr><th>operation</th><th class="number">replied</th><th class="number">rejected</th><th class="number">trapped</th><th class="number">open</th></tr></thead><tbody>
  ${all.map((o, i) => html`<tr><td><span class="soft">op${i + 1}</span> <code>${o.title}</code></td>${["replied", "rejected", "trapped", "open"].map((key) => html`<td class="number">${grouped(o[key] ?? 0)}</td>`)}</tr>`)}</tbody></table></div>`;

/** @param {{all: any[]}} props */
const Awaits = ({ all }) => {
  const kinds = Object.keys(faultKinds).concat("upgrade", "other_answer").filter((kind) => all.some((a) => (a.tried ?? []).some((/** @type {any} */ t) => t.fault === kind)));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="faults at awaits"><table><thead><tr><th>call</th><th class="number">runs</th>${kinds.map((kind) => html`<th class="number" title=${faultKinds[kind]}>${kind.replaceAll("_", " ")}</th>`)}</tr></thead><tbody>
    ${all.map((a) => html`<tr><td>${a.caller} › ${a.callee}</td><td class="number">${grouped(a.runs ?? 0)}</td>${kinds.map((kind) => {
      const tried = (a.tried ?? []).find((/** @type {any} */ t) => t.fault === kind);
      return html`<td class=${`number ${tried && !Number(tried.runs ?? 0) ? "waits" : ""}`}>${tried ? grouped(tried.runs ?? 0) : "–"}</td>`;
    })}</tr>`)}</tbody></table></div>`;
};
