// When rounds run, and the buttons that run them and let time pass.
import { useState } from "preact/hooks";
import { rpc } from "./api.js";
import { count, nanoseconds, spanText, timeText } from "./format.js";
import { instance } from "./route.js";
import { durationOf } from "./rules.js";
import { clock, touch } from "./store.js";
import { Action, commandOf, html } from "./ui.js";

/** When rounds run: as the control API and the command line say it, and in words. */
const modes = /** @type {[string, string, string][]} */ ([
  ["PACING_MODE_AUTO", "auto", "as there is work, and time follows the wall clock"], ["PACING_MODE_STILL", "still", "as there is work, and time stands still"],
  ["PACING_MODE_MANUAL", "manual", "only when asked, and time stands still"], ["PACING_MODE_INTERVAL", "1s", "in an interval, and time follows the wall clock"],
]);

/**
 * What some rounds did.
 * @param {any} done an answer of the clock
 */
const didText = (done) => {
  if (done.made !== undefined || done.roundClosed !== undefined) return done.made ? `One message was delivered in round ${done.height}.` : `Round ${done.height} is over: no message was left.`;
  const rounds = done.rounds ?? "1";
  return `${count(Number(rounds), "round")}, ${count(Number(done.messages ?? 0), "message")}; it is ${timeText(done.time)}.`;
};

export const Pace = () => {
  const [said, say] = useState("");
  const [by, setBy] = useState("");
  const [interval, setInterval] = useState("1s");
  const time = clock.value;
  const of = { instance: instance.value };
  const mode = time.pacing?.mode ?? modes[0][0];
  const manual = mode === "PACING_MODE_MANUAL";
  const run = (/** @type {string} */ method, /** @type {object} */ request) => async (/** @type {AbortSignal} */ signal) => {
    say("");
    const done = await rpc(method, { ...of, ...request }, signal);
    say(didText(done));
    touch();
  };
  const pace = (/** @type {string} */ to) => rpc("Clock/SetPacing", { ...of, pacing: { mode: to, ...(to === "PACING_MODE_INTERVAL" && { interval: durationOf(interval) }) } }).then(touch);
  const next = time.nextTimer && nanoseconds(time.nextTimer) - nanoseconds(time.time);
  return html`<div class="row tight pace" role="group" aria-label="rounds and time">
      <label>rounds run <select value=${mode} onChange=${(/** @type {any} */ e) => pace(e.target.value)}>${modes.map(([key, , text]) => html`<option value=${key}>${text}</option>`)}</select></label>
      ${mode === "PACING_MODE_INTERVAL" ? html`<label>of <input type="text" size="5" value=${interval} onInput=${(/** @type {any} */ e) => setInterval(e.target.value)} /></label><${Action} act=${() => pace(mode)}>Set<//>` : ""}
      ${manual ? html`<${Action} act=${() => pace("PACING_MODE_AUTO")}>Play<//><${Action} act=${run("Clock/StepMessage", {})}>Step<//>` : html`<${Action} act=${() => pace("PACING_MODE_MANUAL")}>Pause<//>`}
      <${Action} act=${run("Clock/RunRounds", { rounds: 1 })}>Run a round<//><${Action} act=${run("Clock/RunUntil", { idle: true })}>Run until idle<//>
      <${Action} act=${run("Clock/AdvanceTime", { duration: "3600s" })}>+1 h<//><${Action} disabled=${next === undefined} act=${run("Clock/AdvanceTime", { toNextTimer: true })}>Next timer${next !== undefined ? ` · ${spanText(next > 0n ? next : 0n)}` : ""}<//>
      <label>let pass <input type="text" size="6" placeholder="7d" value=${by} onInput=${(/** @type {any} */ e) => setBy(e.target.value)} /></label><${Action} disabled=${by === ""} act=${async (/** @type {AbortSignal} */ signal) => run("Clock/AdvanceTime", { duration: durationOf(by) })(signal)}>Advance<//></div>
    <p role="status" class="soft">${said || html`On the command line: ${[`pacing ${modes.find(([key]) => key === mode)?.[1]}`, "step", "run", "time +1h", "time next-timer"].map((args, i) => html`${i > 0 ? ", " : ""}<code>${commandOf(args)}</code>`)}.`}</p>`;
};
