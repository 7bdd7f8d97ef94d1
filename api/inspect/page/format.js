// Numbers, ids, times and bytes as people read them. Nothing here makes HTML.

/**
 * Groups the digits of a whole number: 1_234_567.
 * @param {string | number | bigint} number
 */
export const grouped = (number) => String(number).replace(/\B(?=(\d{3})+(?!\d))/g, "_");

const cyclesUnits = /** @type {const} */ ([[12n, "T"], [9n, "B"], [6n, "M"], [3n, "K"]]);

/**
 * Formats an amount of cycles: 99.98 T.
 * @param {string} cycles a decimal number
 */
export const cyclesText = (cycles) => {
  const amount = BigInt(cycles || "0");
  for (const [digits, unit] of cyclesUnits) {
    const one = 10n ** digits;
    if (amount >= one) return `${scaled(amount, one)} ${unit}`;
  }
  return String(amount);
};

/**
 * Divides with up to three significant digits after a rounding down.
 * @param {bigint} amount
 * @param {bigint} unit
 */
const scaled = (amount, unit) => {
  const whole = amount / unit;
  const places = whole >= 100n ? 0 : whole >= 10n ? 1 : 2;
  if (places === 0) return grouped(whole);
  const part = ((amount % unit) * 10n ** BigInt(places)) / unit;
  return `${whole}.${String(part).padStart(places, "0")}`;
};

/**
 * Formats a number of bytes: 5.3 MiB.
 * @param {string | number} bytes
 */
export const bytesText = (bytes) => {
  let amount = Number(bytes);
  if (amount < 1024) return `${amount} B`;
  for (const unit of ["KiB", "MiB", "GiB", "TiB"]) {
    amount /= 1024;
    if (amount < 1024 || unit === "TiB") return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${unit}`;
  }
  return "";
};

/**
 * Shortens an id: the first and the last group of a principal, or the first digits of a request id.
 * @param {string} id
 */
export const shortId = (id) => {
  const groups = id.split("-");
  if (groups.length > 2) return `${groups[0]}…${groups[groups.length - 1]}`;
  return id.length > 12 ? id.slice(0, 8) : id;
};

/**
 * Formats a time of the network in UTC without the date's zone: 2030-01-01 00:00:07.
 * @param {string | undefined} time RFC 3339
 */
export const timeText = (time) => (time ? time.replace("T", " ").replace(/(\.\d{1,3})?\d*Z$/, "$1") : "");

/**
 * Returns a time in nanoseconds since 1970.
 * @param {string | undefined} time RFC 3339
 */
export const nanoseconds = (time) => {
  if (!time) return 0n;
  const part = /\.(\d+)Z$/.exec(time)?.[1] ?? "";
  const second = Date.parse(time.replace(/\.\d+Z$/, "Z"));
  return BigInt(second) * 1_000_000n + BigInt(part.padEnd(9, "0").slice(0, 9) || "0");
};

const spans = /** @type {const} */ ([[86_400_000_000_000n, "d"], [3_600_000_000_000n, "h"], [60_000_000_000n, "min"], [1_000_000_000n, "s"], [1_000_000n, "ms"], [1000n, "µs"], [1n, "ns"]]);

/**
 * Formats a span of time with its two largest units: 4 h 10 min.
 * @param {bigint} span nanoseconds
 */
export const spanText = (span) => {
  const parts = [];
  for (const [size, unit] of spans) {
    if (span >= size) {
      parts.push(`${span / size} ${unit}`);
      span %= size;
      if (parts.length === 2 || size <= 1_000_000_000n) break;
    } else if (parts.length > 0) {
      break;
    }
  }
  return parts.join(" ") || "0 s";
};

/**
 * Decodes base64.
 * @param {string} text
 */
export const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

/**
 * Encodes as base64.
 * @param {Uint8Array} bytes
 */
export const base64 = (bytes) => {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
};

/**
 * Returns base64 as hexadecimal digits.
 * @param {string} text
 */
export const hexOf = (text) => [...bytesOf(text)].map((b) => b.toString(16).padStart(2, "0")).join("");

/**
 * Returns the text in base64 if it is UTF-8, or else its hexadecimal digits. Control characters are escaped: they are for
 * terminals.
 * @param {string} text base64
 */
export const textOf = (text) => {
  try {
    const decoded = new TextDecoder("utf-8", { fatal: true }).decode(bytesOf(text));
    return decoded.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (c) => `\\u{${c.charCodeAt(0).toString(16)}}`);
  } catch {
    return `0x${hexOf(text)}`;
  }
};

/**
 * Returns "1 message", "2 messages".
 * @param {number} n
 * @param {string} what
 */
export const count = (n, what) => `${grouped(n)} ${what}${n === 1 ? "" : "s"}`;

/**
 * Writes an argument of a command for a POSIX shell.
 * @param {string} text
 */
export const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
