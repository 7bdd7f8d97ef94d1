// Arguments and replies of calls: as bytes, and in Candid's text form on one line.
import { valuesOf } from "./api.js";
import { hexOf } from "./format.js";
import { instance } from "./route.js";

/** @typedef {import("./test_of.js").Message} Message */

/**
 * Writes an argument list on one line. Strings are copied as they are: line breaks are only between them.
 * @param {string} text as the daemon writes it, over several lines if it is long
 */
export const onOneLine = (text) => {
  const parts = text.split(/("(?:[^"\\]|\\.)*")/);
  const line = parts.map((part, i) => (i % 2 === 1 ? part : part.replace(/\s*\n\s*/g, " "))).join("");
  return line.replace(/("(?:[^"\\]|\\.)*")|[;,]? ([)}])|\( /g, (all, string, closing) => (string ? all : closing === "}" ? " }" : closing ?? "("));
};

/**
 * Decodes an argument or a reply.
 * @param {any} call
 * @param {boolean} reply
 * @returns {Promise<Message>}
 */
export const messageOf = async (call, reply) => {
  const bytes = reply ? call.replyBytes : call.argumentBytes;
  if (!bytes) return { text: "", hex: "" };
  try {
    const { text } = await valuesOf({ instance: instance.value, canister: call.canisterId, method: call.method, reply, bytes });
    return { text: onOneLine(text), hex: hexOf(bytes) };
  } catch {
    return { text: "", hex: hexOf(bytes) };
  }
};

/**
 * Reports whether the whole argument of a call is remembered.
 * @param {any} call
 */
export const isWhole = (call) => call.argumentBytes !== "" || call.argumentSize === "0";
