// A call as a test in Go, with package canisterd.
import { anonymous, caveats, identifier, isShown, lastOf, literal, nameIn, pieces, titleOf } from "./test_of.js";

/**
 * @typedef {import("./test_of.js").Scenario} Scenario
 * @typedef {import("./test_of.js").Step} Step
 */

/** @param {string} text */
const quoted = (text) => (isShown(text) && /["\\]/.test(text) && !text.includes("`") ? `\`${text}\`` : literal(text, (point) => (point > 0xffff ? `\\U${point.toString(16).padStart(8, "0")}` : `\\u${point.toString(16).padStart(4, "0")}`)));

/** @param {string} text */
const inFormat = (text) => text.replaceAll("%", "%%");

/** @param {string} name */
const camel = (name) => identifier(name).split("_").map((w) => w.charAt(0).toUpperCase() + w.slice(1)).join("");

/**
 * An argument or a reply.
 * @param {Scenario} of
 * @param {import("./test_of.js").Message} message
 */
const valueOf = (of, { text, hex }) => {
  if (!text) return `canisterd.Bytes("${hex.replace(/../g, "\\x$&")}")`;
  const parts = pieces(of, text);
  if (parts.length === 1) return `canisterd.Text(${quoted(text)})`;
  const format = parts.map((part, i) => (i % 2 === 1 ? "%s" : inFormat(part))).join("");
  return `canisterd.Text(fmt.Sprintf(${quoted(format)}, ${parts.filter((_, i) => i % 2 === 1).map((name) => `${name}.ID()`).join(", ")}))`;
};

/**
 * A call, without what follows it.
 * @param {Scenario} of
 * @param {Step} step
 * @param {string} [more] arguments after the last one
 */
const callOf = (of, step, more = "") => {
  const name = nameIn(of);
  const as = step.caller === anonymous ? "" : name(step.caller) ? `.As(${name(step.caller)}.ID())` : `.As(principal.MustParse("${step.caller}"))`;
  const argument = step.argument.text === "()" ? "" : `, ${valueOf(of, step.argument)}`;
  return `${name(step.canister)}${as}.Call(ctx, ${quoted(step.method)}${argument}${more})`;
};

/**
 * The last call with what it must answer.
 * @param {Scenario} of
 * @param {Step} step
 */
const checked = (of, step) => {
  const title = inFormat(titleOf(of));
  if (step.reject) return [
    "\tvar reject *canisterd.Reject",
    `\tif err := ${callOf(of, step)}; !errors.As(err, &reject) || reject.ErrorCode != ${quoted(step.reject.errorCode)} {`,
    `\t\tt.Errorf(${quoted(`${title} returns %v, want a reject with ${step.reject.errorCode}`)}, err)`, "\t}"];
  if (!step.reply?.text || step.reply.text === "()") return [`\tif err := ${callOf(of, step)}; err != nil {`, "\t\tt.Fatal(err)", "\t}"];
  return [
    "\tvar reply canisterd.Text",
    `\tif err := ${callOf(of, step, ", canisterd.Into(&reply)")}; err != nil {`, "\t\tt.Fatal(err)", "\t}",
    `\tif want := ${valueOf(of, step.reply)}; reply != want {`,
    `\t\tt.Errorf(${quoted(`${title} replies %s, want %s`)}, reply, want)`, "\t}"];
};

/**
 * A call that led to the last one.
 * @param {Scenario} of
 */
const before = (of) => (/** @type {Step} */ step) =>
  step.reject ? [`\t_ = ${callOf(of, step)} // it was rejected`] : [`\tif err := ${callOf(of, step)}; err != nil {`, "\t\tt.Fatal(err)", "\t}"];

/** @param {Scenario} of */
export const goTest = (of) => {
  const body = [...of.steps.slice(0, -1).flatMap(before(of)), ...checked(of, lastOf(of))];
  const has = (/** @type {string} */ text) => body.some((line) => line.includes(text));
  const standard = [...(has("errors.As(") ? ["errors"] : []), ...(has("fmt.Sprintf(") ? ["fmt"] : []), "testing"];
  const others = ["github.com/canisterd/canisterd", ...(has("principal.MustParse(") ? ["github.com/canisterd/canisterd/candid/principal"] : [])];
  return [
    "package main_test", "", "import (", ...standard.map((p) => `\t"${p}"`), "", ...others.map((p) => `\t"${p}"`), ")", "",
    ...caveats(of), `func Test${camel(titleOf(of))}${lastOf(of).reject ? "IsRejected" : "Replies"}(t *testing.T) {`, "\tctx := t.Context()", "\tic := canisterd.New(t)",
    ...of.installed.map((c) => `\t${c.name} := ic.Deploy(${quoted(c.file)})`), "", ...body, "}", ""].join("\n");
};
