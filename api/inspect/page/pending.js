// Calls that a page makes, and their answers. A request that waits takes one of the six connections that a browser has for a
// host: a call is submitted, and the page asks for its answer when something has happened in the instance.
import { effect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { Failure, rpc } from "./api.js";
import { grouped, hexOf } from "./format.js";
import { instance, linkTo } from "./route.js";
import { changes, noteFailure, touch } from "./store.js";
import { html, Problem } from "./ui.js";

/** How long the page waits for something to happen before it asks again, in milliseconds: some waits end without an event. */
const askAgain = 5000;

/**
 * What is known of a call: its answer, or what it waits for, or why the answer is not known.
 * @typedef {{outcome?: any, waits?: string, requestId?: string, failure?: Failure}} Answer
 */

/**
 * Waits until something has happened in the instance, or for some time, or until the page is left.
 * @param {number} seen the count of changes before
 * @param {AbortSignal} signal
 */
const change = async (seen, signal) => {
  let timer = 0;
  let end = () => {};
  await new Promise((/** @type {(value?: any) => void} */ resolve) => {
    signal.addEventListener("abort", resolve, { once: true });
    timer = setTimeout(resolve, askAgain);
    end = effect(() => {
      if (changes.value !== seen) resolve();
    });
  });
  clearTimeout(timer);
  end();
};

/**
 * Asks for the answer to a submitted call until it is there.
 * @param {{instance: string, requestId: string, replyForm: string}} of
 * @param {AbortSignal} signal
 * @param {(answer: Answer) => void} set
 */
const follow = async (of, signal, set) => {
  // With manual pacing, a call runs the rounds that are possible when it is made. Later ones are the user's.
  for (let runRounds = true; !signal.aborted; runRounds = false) {
    const seen = changes.peek();
    try {
      const { outcome } = await rpc("Calls/Await", { ...of, noWait: true, runRounds }, signal);
      set({ outcome });
      touch();
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Failure)) throw error;
      noteFailure(error);
      if (error.reason !== "CALL_UNANSWERED" && error.status !== 0) return set({ failure: error });
      set({ waits: error.metadata.waits_for ?? error.message, requestId: of.requestId });
    }
    await change(seen, signal);
  }
};

/**
 * Makes calls of methods for a component. Another call ends the wait for the one before, and so does leaving the page. The
 * call itself goes on.
 * @returns {{answer: Answer, call: (call: any, query: boolean) => Promise<void>}}
 */
export const useCalls = () => {
  const [answer, set] = useState(/** @type {Answer} */ ({}));
  const last = useRef(new AbortController());
  useEffect(() => () => last.current.abort(), []);
  const call = async (/** @type {any} */ call, /** @type {boolean} */ query) => {
    last.current.abort();
    last.current = new AbortController();
    const { signal } = last.current;
    const of = instance.value;
    set({});
    try {
      const made = await rpc(query ? "Calls/Query" : "Calls/Submit", { instance: of, call }, signal);
      if (query) set({ outcome: made.outcome });
      else if (made.reject) set({ outcome: { reject: made.reject, instructions: "0" } });
      else follow({ instance: of, requestId: made.requestId, replyForm: call.replyForm }, signal, set);
      touch();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
  return { answer, call };
};

/**
 * The answer to a call, or what it waits for.
 * @param {{answer: Answer}} props
 */
export const Answer = ({ answer: { outcome, waits, requestId, failure } }) => {
  const whole = (/** @type {string | undefined} */ id) => (id ? html` · <a href=${linkTo(["call", hexOf(id)])}>the whole call</a>` : "");
  if (failure) return html`<${Problem} failure=${failure} />`;
  if (waits !== undefined) return html`<div class="why" role="status"><b>It waits because</b> ${waits}. <span class="soft">${whole(requestId)}</span></div>`;
  if (!outcome) return null;
  return html`<div class=${`why ${outcome.reject ? "bad" : "ok"}`} role="status">${outcome.reject ? html`<b>It was rejected because</b> ${outcome.reject.text} <code>${outcome.reject.errorCode}</code>` : html`<pre>${outcome.reply?.text ?? (outcome.reply?.bytes ? `0x${hexOf(outcome.reply.bytes)}` : "")}</pre>`}
    <span class="soft">${grouped(outcome.instructions)} instructions${whole(outcome.requestId)}</span></div>`;
};
