// What the pages show of the selected instance: its events, and a count that grows when something has happened, with
// which pages ask the daemon again.
import { computed, effect, signal } from "@preact/signals";
import { Failure, follow, namesOf, rpc } from "./api.js";
import { shortId } from "./format.js";
import { instance } from "./route.js";

/** As many events as the daemon remembers of an instance. */
const mostEvents = 16384;

/** How long the pages wait after an event before they ask again, in milliseconds: events come in bursts. */
const settle = 120;

/** Whether the daemon answers: "" if it does, or else why not. */
export const lost = signal("");

/** Whether this browser has no session. */
export const locked = signal(false);

/** The names of canisters, and the daemon's version. */
export const names = signal({ version: "", canisters: /** @type {Record<string, string>} */ ({}) });

/** The time of the network and how it moves: GetTimeResponse. */
export const clock = signal(/** @type {any} */ (undefined));

/** The instance: GetInstanceResponse.instance. */
export const about = signal(/** @type {any} */ (undefined));

/** The number of times that something has happened. */
export const changes = signal(0);

/** @type {any[]} the remembered events of the instance, the oldest first */
export let events = [];

/** The number of rules that hold something, and HTTP outcalls that wait. */
export const waiting = computed(() => Number(about.value?.census?.heldMessages ?? 0) + Number(about.value?.census?.outcalls ?? 0));

/**
 * Notes a failure that concerns the page as a whole. Others are for whoever asked.
 * @param {unknown} error
 */
export const noteFailure = (error) => {
  if (!(error instanceof Failure)) return;
  if (error.status === 401) locked.value = true;
  if (error.status === 0 && error.code === "unavailable") lost.value = error.message;
};

let timer = 0;

/** Makes the pages ask again soon. */
export const touch = () => {
  if (timer) return;
  timer = setTimeout(() => {
    timer = 0;
    refresh();
  }, settle);
};

/** Reads what every page shows, and tells the pages that something has happened. */
const refresh = async () => {
  const of = instance.value;
  try {
    const [time, described, named] = await Promise.all([
      rpc("Clock/GetTime", { instance: of }),
      rpc("Instances/GetInstance", { instance: of }),
      namesOf(of),
    ]);
    if (of !== instance.value) return;
    clock.value = time;
    about.value = described.instance;
    names.value = named;
    lost.value = "";
    locked.value = false;
  } catch (error) {
    if (of !== instance.value) return;
    noteFailure(error);
    if (error instanceof Failure && error.code === "not_found") about.value = { missing: error.message };
  }
  changes.value++;
};

/** Follows the selected instance until another one is selected. */
export const begin = () =>
  effect(() => {
    const of = instance.value;
    events = [];
    clock.value = undefined;
    about.value = undefined;
    const end = follow("Events/Watch", { instance: of, fromBeginning: true }, {
      message: (m) => {
        if (m.event) {
          events.push(m.event);
          if (events.length > 2 * mostEvents) events = events.slice(-mostEvents);
        }
        touch();
      },
      failed: (failure) => {
        events = [];
        noteFailure(failure);
        touch();
      },
      connected: (up) => {
        if (!up) lost.value ||= "the connection to the daemon broke off: it is tried again";
        touch();
      },
    });
    touch();
    return end;
  });

/**
 * Returns the name of a canister or user: the one it was deployed under, or else its short id.
 * @param {string | undefined} id
 */
export const nameOf = (id) => {
  if (!id) return "";
  if (id === "aaaaa-aa") return "management canister";
  if (id === "2vxsx-fae") return "anonymous";
  return names.value.canisters[id] ?? shortId(id);
};

/**
 * Returns the hue of a canister, 0 to 359, which depends on its id only.
 * @param {string} id
 */
export const hueOf = (id) => {
  let hash = 2166136261;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 16777619);
  return ((hash >>> 0) * 137) % 360;
};
