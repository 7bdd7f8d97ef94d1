// Starts networks from test runners.
import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { findBinary } from "./binary.js";

export const binary = findBinary();

const run = promisify(execFile);

// A network that holds deployed canisters prints their ids and replies: far less than this.
const MAX_OUTPUT = 64 * 1024 * 1024;

/** @type {import("./index.d.ts").exec} */
export async function exec(args, options = {}) {
  const { stdout, stderr } = await run(binary, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    maxBuffer: MAX_OUTPUT,
  });
  return { stdout, stderr };
}

/** @type {import("./index.d.ts").start} */
export async function start(options = {}) {
  const kept = options.stateDir ? ["--state-dir", options.stateDir] : ["--ephemeral"];
  const child = spawn(binary, ["start", "--json", "--listen", options.listen ?? "127.0.0.1:0", ...kept, ...(options.args ?? [])], {
    cwd: options.cwd,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
  const log = keepLast(child.stderr);
  const line = await firstLine(child);
  if (line === undefined) {
    throw new Error(`canisterd start ended with ${await ended}:\n${log.text()}`);
  }
  const { url, control } = JSON.parse(line);
  // A test that fails before it stops its network ends all the same, and leaves no daemon behind.
  const handles = [child, child.stdout, child.stderr];
  for (const handle of handles) /** @type {any} */ (handle).unref();
  const end = () => child.kill();
  process.once("exit", end);
  const env = { CANISTERD_URL: url, CANISTERD_HTTP: url, CANISTERD_CONTROL: control };
  const stop = async () => {
    process.off("exit", end);
    child.ref();
    child.kill();
    await ended;
  };
  if (options.deploy !== undefined) {
    await exec(["deploy", options.deploy], { cwd: options.cwd, env }).catch((error) => stop().then(() => Promise.reject(error)));
  }
  return { url, control, env, stop };
}

/**
 * Returns the first line that a child prints, or undefined if it ends or cannot be started before. What it prints later is
 * read and dropped, so that the child never waits for a reader.
 * @param {import("node:child_process").ChildProcess} child
 * @returns {Promise<string | undefined>}
 */
function firstLine(child) {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    const lines = createInterface({ input: /** @type {import("node:stream").Readable} */ (child.stdout) });
    lines.once("line", resolve);
    lines.once("close", () => resolve(undefined));
  });
}

/**
 * Keeps the end of a stream of text.
 * @param {import("node:stream").Readable} stream
 */
function keepLast(stream) {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (more) => (text = (text + more).slice(-4096)));
  return { text: () => text };
}
