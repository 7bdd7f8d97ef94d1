// Candid for tests in JavaScript: types as IDL of @icp-sdk/core, and values as that library reads and writes them.
import { blobBytes } from "./candid.js";
import { braces, literal } from "./test_of.js";

/**
 * @typedef {import("./form.js").Type} Type
 * @typedef {import("./candid.js").Value} Value
 */

const plainTypes = /** @type {Record<string, string>} */ ({ bool: "Bool", text: "Text", principal: "Principal", null: "Null", reserved: "Reserved", empty: "Empty", nat: "Nat", int: "Int", blob: "Vec(IDL.Nat8)" });

/** Numbers that are bigint. */
const large = new Set(["nat", "int", "nat64", "int64"]);

/** Vectors that are typed arrays, by the kind of their elements. */
const arrays = /** @type {Record<string, string>} */ ({ nat8: "Uint8Array", nat16: "Uint16Array", nat32: "Uint32Array", nat64: "BigUint64Array", int8: "Int8Array", int16: "Int16Array", int32: "Int32Array", int64: "BigInt64Array" });

/** @param {string} key */
const keyText = (key) => (key === "__proto__" ? '["__proto__"]' : /^[A-Za-z_$][\w$]*$/.test(key) ? key : literal(key, braces));

/** @param {string} name */
const capital = (name) => name.charAt(0).toUpperCase() + name.slice(1);

/**
 * Writes types. Those that contain themselves are variables, which definitions declares.
 * @param {Type[]} types
 */
export const idlWriter = (types) => {
  /** @type {Map<number, string>} */
  const recursive = new Map();
  /** @type {string[]} */
  const definitions = [];
  /** @type {Set<number>} */
  const open = new Set();
  const nameOf = (/** @type {number} */ at) => recursive.get(at) ?? `${types[at].name ? capital(types[at].name ?? "").replace(/\W/g, "_") : "Type"}${at}`;
  /** @type {(at: number) => string} */
  const write = (at) => {
    if (recursive.has(at) || open.has(at)) {
      recursive.set(at, nameOf(at));
      return nameOf(at);
    }
    open.add(at);
    const text = inside(at);
    open.delete(at);
    if (!recursive.has(at)) return text;
    definitions.push(`const ${nameOf(at)} = IDL.Rec();`, `${nameOf(at)}.fill(${text});`);
    return nameOf(at);
  };
  /** @type {(at: number) => string} */
  const inside = (at) => {
    const type = types[at];
    const fields = () => `{ ${(type.fields ?? []).map((f) => `${keyText(f.key)}: ${write(f.type)}`).join(", ")} }`.replace("{  }", "{}");
    switch (type.kind) {
      case "opt":
        return `IDL.Opt(${write(Number(type.elem))})`;
      case "vec":
        return `IDL.Vec(${write(Number(type.elem))})`;
      case "record":
        return `IDL.Record(${fields()})`;
      case "variant":
        return `IDL.Variant(${fields()})`;
      case "func":
      case "service":
        throw new RangeError(`${type.kind} needs its interface`);
    }
    return `IDL.${plainTypes[type.kind] ?? capital(type.kind)}`;
  };
  return { write, definitions };
};

/**
 * Writes a value of a type.
 * @param {Type[]} types
 * @param {number} at
 * @param {Value} value
 * @param {(text: string, principal: boolean) => string} text writes a text or an id, in which ids of canisters may be
 * @returns {string}
 */
export const jsValue = (types, at, value, text) => {
  const type = types[at];
  const inner = (/** @type {number} */ to, /** @type {Value} */ v) => jsValue(types, to, v, text);
  const fields = () => (value.fields ?? []).map((f) => {
    const of = type.fields?.find((t) => t.key === f.label);
    if (!of) throw new RangeError(`the type has no field ${f.label}`);
    return `${keyText(f.label)}: ${inner(of.type, f.value)}`;
  });
  switch (type.kind) {
    case "opt":
      return value.kind === "opt" ? `[${inner(Number(type.elem), /** @type {Value[]} */ (value.items)[0])}]` : "[]";
    case "vec": {
      const list = `[${(value.items ?? []).map((v) => inner(Number(type.elem), v)).join(", ")}]`;
      const array = arrays[types[Number(type.elem)].kind];
      return array ? `new ${array}(${list})` : list;
    }
    case "blob":
      return `new Uint8Array([${blobBytes(value.text ?? "").join(", ")}])`;
    case "record":
    case "variant":
      return value.fields?.length ? `{ ${fields().join(", ")} }` : "{}";
    case "text":
      return text(value.text ?? "", false);
    case "principal":
      return text(value.text ?? "", true);
    case "bool":
      return value.text ?? "false";
    case "null":
    case "reserved":
      return "null";
    case "float32":
    case "float64":
      return (value.text ?? "").replace("nan", "NaN").replace("inf", "Infinity");
  }
  if (value.kind !== "number") throw new RangeError(`${value.kind} is no ${type.kind}`);
  return `${value.text}${large.has(type.kind) ? "n" : ""}`;
};
