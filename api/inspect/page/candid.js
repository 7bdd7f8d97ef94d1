// Candid's text form as the daemon writes it, from text to values. Nothing here draws.

/**
 * A value: what its kind has is set.
 * @typedef {object} Value
 * @property {"number" | "text" | "bool" | "null" | "opt" | "vec" | "record" | "variant" | "principal" | "service" | "func" | "blob"} kind
 * @property {string} [text] of a number its digits, of a reference its id, of a blob its text between the quotes
 * @property {string} [type] of a number or null, if it is written
 * @property {string} [method] of a func
 * @property {Value[]} [items] of opt (one) and vec
 * @property {{label: string, value: Value}[]} [fields] of record and variant; a label is a name, or an id such as _7_
 */

const tokens = /\s*(?:"((?:[^"\\]|\\.)*)"|([A-Za-z_]\w*)|([+-]?\d(?:[eE][+-]|[\w.])*|[+-]inf)|([(){};,=:.]))/y;

/** @typedef {{kind: "string" | "name" | "number" | "sign" | "end", text: string}} Token */

/**
 * @param {string} text
 * @returns {Token[]}
 */
const scan = (text) => {
  /** @type {Token[]} */
  const all = [];
  tokens.lastIndex = 0;
  while (tokens.lastIndex < text.trimEnd().length) {
    const m = tokens.exec(text);
    if (!m) throw new SyntaxError("this is not Candid's text form");
    if (m[1] !== undefined) all.push({ kind: "string", text: m[1] });
    else if (m[2] !== undefined) all.push({ kind: "name", text: m[2] });
    else if (m[3] !== undefined) all.push({ kind: "number", text: m[3] });
    else all.push({ kind: "sign", text: m[4] });
  }
  return all;
};

const escapes = /** @type {Record<string, string>} */ ({ n: "\n", r: "\r", t: "\t", "\\": "\\", '"': '"', "'": "'" });

/**
 * Reads a text between quotes.
 * @param {string} quoted
 */
const unescaped = (quoted) =>
  quoted.replace(/\\(?:u\{([0-9a-fA-F_]+)\}|([nrt\\"'])|([0-9a-fA-F]{2}))/g, (_, point, short, byte) => {
    if (short) return escapes[short];
    return String.fromCodePoint(parseInt(point ? point.replaceAll("_", "") : byte, 16));
  });

/**
 * Reads the bytes of a blob: its characters in UTF-8, and the bytes that are escaped.
 * @param {string} quoted
 */
export const blobBytes = (quoted) => {
  /** @type {number[]} */
  const bytes = [];
  for (const [part, byte] of quoted.matchAll(/\\([0-9a-fA-F]{2})|\\u\{[0-9a-fA-F_]+\}|\\.|[^\\]+/g)) {
    if (byte) bytes.push(parseInt(byte, 16));
    else bytes.push(...new TextEncoder().encode(unescaped(part)));
  }
  return bytes;
};

class Reader {
  /** @param {Token[]} all */
  constructor(all) {
    this.all = all;
    this.at = 0;
  }

  /** @returns {Token} */
  peek() {
    return this.all[this.at] ?? { kind: "end", text: "" };
  }

  next() {
    const token = this.peek();
    this.at++;
    return token;
  }

  /** @param {string} sign */
  takes(sign) {
    if (this.peek().kind !== "sign" || this.peek().text !== sign) return false;
    this.at++;
    return true;
  }

  /** @param {string} sign */
  needs(sign) {
    if (!this.takes(sign)) throw new SyntaxError(`${sign} is missing before ${this.peek().text || "the end"}`);
  }

  /**
   * @template T
   * @param {string} separator
   * @param {string} closing
   * @param {() => T} element
   */
  list(separator, closing, element) {
    const all = [];
    while (!this.takes(closing)) {
      all.push(element());
      if (this.takes(closing)) break;
      this.needs(separator);
    }
    return all;
  }

  /** @returns {Value} */
  value() {
    if (this.takes("(")) {
      const inner = this.value();
      this.needs(")");
      return inner;
    }
    const read = this.plain();
    return this.takes(":") ? { ...read, type: this.next().text } : read;
  }

  /** @returns {Value} */
  plain() {
    const token = this.next();
    if (token.kind === "string") return { kind: "text", text: unescaped(token.text) };
    if (token.kind === "number") return { kind: "number", text: token.text };
    switch (token.text) {
      case "true":
      case "false":
        return { kind: "bool", text: token.text };
      case "null":
        return { kind: "null" };
      case "nan":
      case "inf":
        return { kind: "number", text: token.text };
      case "opt":
        return { kind: "opt", items: [this.value()] };
      case "vec":
        this.needs("{");
        return { kind: "vec", items: this.list(";", "}", () => this.value()) };
      case "record": {
        this.needs("{");
        let place = 0;
        return { kind: "record", fields: this.list(";", "}", () => this.field(place++)) };
      }
      case "variant":
        this.needs("{");
        return { kind: "variant", fields: this.list(";", "}", () => this.field(-1)) };
      case "blob":
        return { kind: "blob", text: this.next().text };
      case "principal":
      case "service":
        return { kind: token.text, text: this.next().text };
      case "func": {
        const text = this.next().text;
        this.needs(".");
        return { kind: "func", text, method: this.next().text };
      }
    }
    throw new SyntaxError(`${token.text || "the end"} is no value`);
  }

  /**
   * A field with its label; one of a tuple has none, and one of a variant may have no value.
   * @param {number} place in a record; -1 in a variant
   * @returns {{label: string, value: Value}}
   */
  field(place) {
    const [first, second] = [this.peek(), this.all[this.at + 1]];
    const labeled = second?.kind === "sign" && second.text === "=";
    if (!labeled && place >= 0) return { label: `_${place}_`, value: this.value() };
    this.at++;
    const label = first.kind === "number" ? `_${first.text.replaceAll("_", "")}_` : first.kind === "string" ? unescaped(first.text) : first.text;
    if (!labeled) return { label, value: { kind: "null" } };
    this.at++;
    return { label, value: this.value() };
  }
}

/**
 * Reads an argument list.
 * @param {string} text
 * @returns {Value[]}
 */
export const parseArgs = (text) => {
  const reader = new Reader(scan(text));
  reader.needs("(");
  const all = reader.list(",", ")", () => reader.value());
  if (reader.peek().kind !== "end") throw new SyntaxError("something follows the arguments");
  return all;
};
