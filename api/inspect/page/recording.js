// Recordings of an instance that begin and end by hand: profiles and coverage.
import { signal } from "@preact/signals";
import { Failure, rpc } from "./api.js";
import { instance, linkTo } from "./route.js";
import { names, touch } from "./store.js";
import { Action, html, Problem, useLoaded } from "./ui.js";

/**
 * A kind of recordings. An instance has one at a time.
 * @param {object} rpcs
 * @param {string} rpcs.start
 * @param {string} rpcs.absent the reason of a refusal that says that nothing is recorded
 * @param {(at: string, abort: AbortSignal) => Promise<any>} rpcs.read returns what an instance has recorded so far
 * @param {(at: string) => Promise<any>} rpcs.stop ends the recording of an instance and returns it
 */
export const recordingOf = ({ start, absent, read, stop }) => {
  /** What was stopped last, by instance. */
  const stopped = signal(/** @type {Record<string, any>} */ ({}));
  /** The instances whose recording this page has stopped: what was read before that is not shown as running. */
  const over = signal(/** @type {Record<string, boolean>} */ ({}));
  const running = async (/** @type {AbortSignal} */ abort) => {
    try {
      return await read(instance.value, abort);
    } catch (error) {
      if (error instanceof Failure && error.reason === absent) {
        over.value = { ...over.value, [instance.value]: false };
        return null;
      }
      throw error;
    }
  };
  return {
    /** What was stopped last in the instance. */
    stopped: () => stopped.value[instance.value],
    /**
     * Loads what is recorded: null if nothing is, undefined before that is known.
     * @param {any[]} of what it depends on besides the instance
     */
    use: (of) => {
      const { value, failure, reload } = useLoaded(running, of, { live: false });
      return { value: value && over.value[instance.value] ? null : value, failure, reload };
    },
    /** @param {string} canister "": all canisters */
    begin: async (canister) => {
      const at = instance.value;
      await rpc(start, { instance: at, canisterIds: canister ? [canister] : [] });
      over.value = { ...over.value, [at]: false };
    },
    end: async () => {
      const at = instance.value;
      stopped.value = { ...stopped.value, [at]: await stop(at) };
      over.value = { ...over.value, [at]: true };
      touch();
    },
  };
};

/**
 * Begins and ends a recording on the page of a canister, and leads to its own page.
 * @param {object} props
 * @param {string} props.id of the canister
 * @param {ReturnType<typeof recordingOf>} props.recording
 * @param {[place: string, name: string]} props.page
 * @param {{begin: string, end: string, running: string, about: string}} props.words
 */
export const RecordingSwitch = ({ id, recording, page: [place, name], words }) => {
  const { value, failure, reload } = recording.use([id]);
  const link = html`<a href=${linkTo([place], { canister: id })}>${name}</a>`;
  if (failure) return html`<${Problem} failure=${failure} />`;
  if (value === undefined) return html`<div class="row" aria-busy="true"></div>`;
  return html`<div class="row">${value
    ? html`<${Action} key="end" act=${() => recording.end().then(reload)}>${words.end}<//><span class="ok" role="status">${words.running}</span>${link}`
    : html`<${Action} key="begin" act=${() => recording.begin(id).then(reload)}>${words.begin}<//>${recording.stopped() ? link : html`<span class="soft">${words.about}</span>`}`}</div>`;
};

/**
 * Selects a canister, or all, and begins a recording of it.
 * @param {{canister: string, choose: (canister: string) => void, begin: (canister: string) => Promise<any>, word: string}} props
 */
export const BeginRecording = ({ canister, choose, begin, word }) => html`<label>of <select value=${canister} onChange=${(/** @type {any} */ e) => choose(e.target.value)}>
      <option value="">all canisters</option>${Object.entries(names.value.canisters).map(([id, name]) => html`<option value=${id}>${name}</option>`)}${canister && !names.value.canisters[canister] ? html`<option value=${canister}>${canister}</option>` : ""}</select></label>
    <${Action} kind="main" act=${() => begin(canister)}>${word}<//>`;
