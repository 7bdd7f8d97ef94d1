// Values in the JSON form of docs/json.md, as forms have them, in Candid's text form.
import { braces, literal } from "./test_of.js";

const keywords = new Set(["blob", "bool", "composite_query", "empty", "false", "float32", "float64", "func", "import", "int", "int16", "int32", "int64", "int8", "nat", "nat16", "nat32", "nat64", "nat8", "null", "oneway", "opt", "principal", "query", "record", "reserved", "service", "text", "true", "type", "variant", "vec"]);

/** @param {string} text */
const quotedText = (text) => literal(text, braces);

/**
 * Writes the label of a field; one without a name has its id.
 * @param {string} key
 */
const labelOf = (key) => {
  const id = /^_(\d+)_$/.exec(key);
  if (id) return id[1];
  return /^[A-Za-z_]\w*$/.test(key) && !keywords.has(key) ? key : quotedText(key);
};

/** @param {string | number} value */
const floatText = (value) => {
  const number = Number(value);
  if (Number.isNaN(number)) return String(value) === "NaN" ? "nan" : String(value);
  if (!Number.isFinite(number)) return number > 0 ? "inf" : "-inf";
  return Number.isInteger(number) ? `${number.toFixed(1)}` : String(number);
};

/**
 * Writes a value of a type. What is not a value of its type is written too: whoever reads it says what is wrong.
 * @param {import("./form.js").Type[]} types
 * @param {number} at
 * @param {any} value
 * @returns {string}
 */
export const valueText = (types, at, value) => {
  const type = types[at];
  switch (type.kind) {
    case "null":
    case "reserved":
    case "empty":
      return "null";
    case "text":
      return quotedText(String(value ?? ""));
    case "blob":
      return `blob "${String(value ?? "").replace(/../g, "\\$&")}"`;
    case "principal":
    case "service":
      return `${type.kind} ${quotedText(String(value ?? ""))}`;
    case "func":
      return `func ${quotedText(value?.canister ?? "")}.${quotedText(value?.method ?? "")}`;
    case "float32":
    case "float64":
      return floatText(value);
    case "opt": {
      const elem = Number(type.elem);
      if (["opt", "null", "reserved"].includes(types[elem].kind)) return Array.isArray(value) && value.length > 0 ? `opt ${valueText(types, elem, value[0])}` : "null";
      return value === null || value === undefined ? "null" : `opt ${valueText(types, elem, value)}`;
    }
    case "vec":
      return block("vec", (Array.isArray(value) ? value : []).map((v) => valueText(types, Number(type.elem), v)));
    case "record": {
      const fields = type.fields ?? [];
      const tuple = fields.every((f, i) => f.key === `_${i}_`);
      return block("record", fields.map((f) => `${tuple ? "" : `${labelOf(f.key)} = `}${valueText(types, f.type, value?.[f.key])}`));
    }
    case "variant": {
      const key = Object.keys(value ?? {})[0] ?? "";
      const field = (type.fields ?? []).find((f) => f.key === key);
      if (!field) return "variant {}";
      return block("variant", [`${labelOf(key)}${types[field.type].kind === "null" ? "" : ` = ${valueText(types, field.type, value[key])}`}`]);
    }
    default:
      return String(value);
  }
};

/**
 * @param {string} word
 * @param {string[]} parts
 */
const block = (word, parts) => (parts.length === 0 ? `${word} {}` : `${word} { ${parts.join("; ")} }`);

/**
 * Writes an argument list.
 * @param {import("./form.js").Type[]} types
 * @param {import("./form.js").Argument[]} args
 * @param {any[]} values
 */
export const argumentsText = (types, args, values) => `(${args.map((a, i) => valueText(types, a.type, values[i])).join(", ")})`;
