// Forms for Candid: a field for each argument by its type, to values in the JSON form of docs/json.md.
import { useState } from "preact/hooks";
import { grouped } from "./format.js";
import { html } from "./ui.js";

/**
 * @typedef {{kind: string, name?: string, elem?: number, fields?: {key: string, type: number}[]}} Type
 * @typedef {{name: string, type: number}} Argument
 */

/** How deep a value is that a form begins with: recursive types end there. */
const deepest = 8;

/** The most parts of a form: fields, and cases to choose from. A wide type has 10 to the power of 8 and more. */
export const mostParts = 2000;

/** How many parts a value may still get. */
class Room {
  left = mostParts + 1; // one more than what fits, so that a value that was cut off does not fit

  /**
   * Takes room for some parts, and reports whether there was any.
   * @param {number} parts
   */
  take(parts) {
    const some = this.left > 0;
    this.left -= parts;
    return some;
  }
}

/**
 * Returns the parts that the form of a type has for its own, without those in it.
 * @param {Type} type
 */
const partsOf = (type) => (type.kind === "variant" ? 1 + (type.fields ?? []).length : type.kind === "func" ? 3 : 1);

/**
 * Reports whether a form for values has at most as many parts as a form may have.
 * @param {Type[]} types
 * @param {Argument[]} args
 * @param {any[]} values
 */
export const fits = (types, args, values) => {
  let left = mostParts;
  /** @type {[number, any][]} */
  const pending = args.map((a, i) => [a.type, values[i]]);
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [at, value] = next;
    const type = types[at];
    left -= partsOf(type);
    if (left < 0) return false;
    if (value === null || value === undefined) continue;
    if (type.kind === "vec" && Array.isArray(value)) {
      if (value.length > left) return false;
      for (const v of value) pending.push([Number(type.elem), v]);
    } else if (type.kind === "opt") {
      const elem = Number(type.elem);
      pending.push([elem, nullable(types, elem) && Array.isArray(value) ? value[0] : value]);
    } else if (type.kind === "record" || type.kind === "variant") {
      if ((type.fields ?? []).length > left && type.kind === "record") return false;
      for (const f of type.fields ?? []) if (type.kind === "record" || Object.hasOwn(value, f.key)) pending.push([f.type, value[f.key]]);
    }
  }
  return true;
};

/**
 * Returns a value of a type with which a field begins. It is cut off where it does not fit a form.
 * @param {Type[]} types
 * @param {number} at
 * @param {Room} [room]
 * @param {number} [depth]
 * @returns {any}
 */
export const initial = (types, at, room = new Room(), depth = 0) => {
  const type = types[at];
  if (depth > deepest || !room.take(partsOf(type))) return null;
  switch (type.kind) {
    case "bool":
      return false;
    case "text":
    case "blob":
      return "";
    case "principal":
    case "service":
      return "";
    case "vec":
      return [];
    case "opt":
    case "null":
    case "reserved":
      return null;
    case "record":
      return record(types, type, (f) => initial(types, f.type, room, depth + 1));
    case "variant": {
      const first = (type.fields ?? []).find((f) => !refersTo(types, f.type, at)) ?? type.fields?.[0];
      return first ? { [first.key]: initial(types, first.type, room, depth + 1) } : null;
    }
    case "func":
      return { canister: "", method: "" };
    default:
      return "0";
  }
};

/**
 * Reports whether a value of a type always contains one of another type.
 * @param {Type[]} types
 * @param {number} from
 * @param {number} to
 */
const refersTo = (types, from, to) => {
  const seen = new Set([from]);
  for (const at of seen) { // which grows: types may be nested deeper than functions
    if (at === to) return true;
    const type = types[at];
    if (type.kind === "opt" || type.kind === "vec") continue; // they end without a value
    for (const f of type.fields ?? []) seen.add(f.type);
  }
  return false;
};

/**
 * Makes a record, as a list if it is a tuple.
 * @param {Type[]} types
 * @param {Type} type
 * @param {(f: {key: string, type: number}) => any} value
 */
const record = (types, type, value) => Object.fromEntries((type.fields ?? []).map((f) => [f.key, value(f)]));

/** @type {(bytes: number) => Uint8Array} */
const random = (bytes) => crypto.getRandomValues(new Uint8Array(bytes));

/** Bytes of the fixed-size numbers. */
const sizes = /** @type {Record<string, number>} */ ({ nat8: 1, nat16: 2, nat32: 4, nat64: 8, int8: 1, int16: 2, int32: 4, int64: 8 });

/**
 * Draws a value of a type. It is cut off where it does not fit a form.
 * @param {Type[]} types
 * @param {number} at
 * @param {Room} [room]
 * @param {number} [depth]
 * @returns {any}
 */
export const drawn = (types, at, room = new Room(), depth = 0) => {
  const type = types[at];
  if (!room.take(partsOf(type))) return null;
  const r = random(8);
  const number = r.reduce((sum, b) => sum * 256n + BigInt(b), 0n);
  switch (type.kind) {
    case "bool":
      return r[0] % 2 === 0;
    case "text":
      return Array.from(random(r[0] % 12), (b) => String.fromCharCode(97 + (b % 26))).join("");
    case "blob":
      return Array.from(random(r[0] % 16), (b) => b.toString(16).padStart(2, "0")).join("");
    case "principal":
    case "service":
      return "2vxsx-fae";
    case "vec":
      return depth > 3 ? [] : Array.from({ length: r[0] % 3 }, () => drawn(types, Number(type.elem), room, depth + 1));
    case "opt":
      return depth > 3 || r[0] % 2 === 0 ? null : wrap(types, Number(type.elem), drawn(types, Number(type.elem), room, depth + 1));
    case "record":
      return depth > deepest ? null : record(types, type, (f) => drawn(types, f.type, room, depth + 1));
    case "variant": {
      const fields = type.fields ?? [];
      if (fields.length === 0) return null;
      if (depth > 3) return initial(types, at, room, depth);
      const f = fields[r[0] % fields.length];
      return { [f.key]: drawn(types, f.type, room, depth + 1) };
    }
    case "float32":
    case "float64":
      return Number(number % 2000n) / 16;
    case "func":
      return { canister: "aaaaa-aa", method: "raw_rand" };
    case "null":
    case "reserved":
    case "empty":
      return null;
    default: {
      const bits = BigInt(8 * (sizes[type.kind] ?? 4));
      const unsigned = number & ((1n << bits) - 1n);
      return String(type.kind.startsWith("int") ? unsigned - (1n << (bits - 1n)) : unsigned);
    }
  }
};

/**
 * Reports whether null is a value of a type, so that an optional one is written as a list.
 * @param {Type[]} types
 * @param {number} at
 */
const nullable = (types, at) => ["opt", "null", "reserved"].includes(types[at].kind);

/**
 * Writes the value of an opt.
 * @param {Type[]} types
 * @param {number} elem
 * @param {any} value
 */
const wrap = (types, elem, value) => (nullable(types, elem) ? [value] : value);

/**
 * The field of a value.
 * @param {{types: Type[], at: number, value: any, set: (v: any) => void, label: string, depth?: number}} props
 */
export const Field = ({ types, at, value, set, label, depth = 0 }) => {
  const type = types[at];
  const about = `${label ? `${label} : ` : ""}${type.name ?? type.kind}`;
  switch (type.kind) {
    case "null":
    case "reserved":
    case "empty":
      return html`<div class="field soft">${about}</div>`;
    case "bool":
      return html`<label class="field"><input type="checkbox" checked=${value === true} onChange=${(/** @type {any} */ e) => set(e.target.checked)} /> ${about}</label>`;
    case "text":
      return html`<label class="field">${about}<textarea rows="1" value=${value} onInput=${(/** @type {any} */ e) => set(e.target.value)}></textarea></label>`;
    case "opt": {
      const elem = Number(type.elem);
      const inner = value === null || (Array.isArray(value) && nullable(types, elem) && value.length === 0) ? undefined : nullable(types, elem) ? value[0] : value;
      const none = nullable(types, elem) ? [] : null;
      return html`<fieldset><legend><label><input type="checkbox" checked=${inner !== undefined} onChange=${(/** @type {any} */ e) => set(e.target.checked ? wrap(types, elem, initial(types, elem)) : none)} /> ${about}</label></legend>
        ${inner !== undefined ? html`<${Field} types=${types} at=${elem} value=${inner} set=${(/** @type {any} */ v) => set(wrap(types, elem, v))} label="" depth=${depth + 1} />` : html`<span class="soft">none</span>`}</fieldset>`;
    }
    case "vec": {
      const elem = Number(type.elem);
      const list = Array.isArray(value) ? value : [];
      return html`<fieldset><legend>${about}</legend>${list.map((v, i) => html`<div class="row" key=${i}><div style="flex:1"><${Field} types=${types} at=${elem} value=${v} set=${(/** @type {any} */ to) => set(list.map((old, n) => (n === i ? to : old)))} label=${String(i)} depth=${depth + 1} /></div><button type="button" aria-label=${`remove element ${i}`} onClick=${() => set(list.filter((_, n) => n !== i))}>Remove</button></div>`)}
        <button type="button" onClick=${() => set([...list, initial(types, elem)])}>Add an element</button></fieldset>`;
    }
    case "record":
      // A value that is too deep is made step by step: a recursive record has no end.
      if (value === null || value === undefined) return html`<div class="field"><button type="button" onClick=${() => set(record(types, type, () => null))}>Add ${about}</button></div>`;
      return html`<fieldset><legend>${about}</legend>${(type.fields ?? []).map((f) => html`<${Field} key=${f.key} types=${types} at=${f.type} value=${value[f.key]} set=${(/** @type {any} */ v) => set({ ...value, [f.key]: v })} label=${f.key} depth=${depth + 1} />`)}</fieldset>`;
    case "variant": {
      const key = Object.keys(value ?? {})[0] ?? type.fields?.[0]?.key ?? "";
      const chosen = (type.fields ?? []).find((f) => f.key === key);
      return html`<fieldset><legend>${about}</legend><select aria-label=${about} value=${key} onChange=${(/** @type {any} */ e) => set({ [e.target.value]: initial(types, Number(type.fields?.find((f) => f.key === e.target.value)?.type)) })}>${(type.fields ?? []).map((f) => html`<option value=${f.key}>${f.key}</option>`)}</select>
        ${chosen && types[chosen.type].kind !== "null" ? html`<${Field} types=${types} at=${chosen.type} value=${value?.[key]} set=${(/** @type {any} */ v) => set({ [key]: v })} label="" depth=${depth + 1} />` : ""}</fieldset>`;
    }
    case "func":
      return html`<fieldset><legend>${about}</legend><${Text} label="canister" value=${value?.canister ?? ""} set=${(/** @type {string} */ v) => set({ ...value, canister: v })} /><${Text} label="method" value=${value?.method ?? ""} set=${(/** @type {string} */ v) => set({ ...value, method: v })} /></fieldset>`;
    case "blob":
      return html`<${Text} label=${`${about}, in hexadecimal digits`} value=${value} set=${set} />`;
    case "principal":
    case "service":
      return html`<${Text} label=${about} value=${value} set=${set} placeholder="aaaaa-aa" />`;
    case "float32":
    case "float64":
      return html`<${Text} label=${about} value=${String(value)} set=${(/** @type {string} */ v) => set(Number.isNaN(Number(v)) || v === "" ? v : Number(v))} />`;
    default:
      return html`<${Text} label=${about} value=${value} set=${(/** @type {string} */ v) => set(v.replaceAll("_", ""))} mode="numeric" />`;
  }
};

/** @param {{label: string, value: string, set: (v: string) => void, placeholder?: string, mode?: string}} props */
const Text = ({ label, value, set, placeholder, mode }) => html`<label class="field">${label}<input type="text" value=${value} placeholder=${placeholder} inputmode=${mode} autocomplete="off" spellcheck="false" onInput=${(/** @type {any} */ e) => set(e.target.value)} /></label>`;

/** Why a form has no more parts. */
export const formLimit = `A form has at most ${grouped(mostParts)} fields and cases: write these arguments in Candid's text form.`;

/**
 * The fields of a method's arguments.
 * @param {{types: Type[], args: Argument[], values: any[], set: (values: any[]) => void}} props
 */
export const Fields = ({ types, args, values, set }) => html`${args.map((a, i) => html`<${Field} key=${i} types=${types} at=${a.type} value=${values[i]} set=${(/** @type {any} */ v) => set(values.map((old, n) => (n === i ? v : old)))} label=${a.name || (args.length > 1 ? `argument ${i + 1}` : "")} />`)}`;

/** The longest arguments that are kept, in characters. */
const mostRemembered = 10_000;

/**
 * Reads texts that this browser keeps; none if something else is there.
 * @param {string} key
 * @returns {string[]}
 */
const remembered = (key) => {
  try {
    const all = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(all) ? all.filter((t) => typeof t === "string") : [];
  } catch {
    return [];
  }
};

/**
 * Keeps the last arguments of a method in this browser.
 * @param {string} key
 */
export const useHistory = (key) => {
  const stored = `canisterd ${key}`;
  const [all, set] = useState(() => remembered(stored));
  const add = (/** @type {string} */ text) => {
    if (text.length > mostRemembered) return;
    const next = [text, ...all.filter((t) => t !== text)].slice(0, 10);
    set(next);
    try {
      localStorage.setItem(stored, JSON.stringify(next));
    } catch {} // the browser keeps no more: they last as long as the page
  };
  return { all, add };
};
