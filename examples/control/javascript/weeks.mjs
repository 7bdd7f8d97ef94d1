// Lets four weeks pass for a canister that ticks once a day.
//
//     canisterd start                  # in another shell
//     npm ci && npm run generate && node weeks.mjs   # buf makes the stubs: go install github.com/bufbuild/buf/cmd/buf@latest
import { readFile } from "node:fs/promises";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { Calls, Form } from "./gen/control/v1/calls_pb.js";
import { Canisters } from "./gen/control/v1/canisters_pb.js";
import { Clock, PacingMode } from "./gen/control/v1/clock_pb.js";
import { Instances } from "./gen/control/v1/instances_pb.js";

const baseUrl = process.argv[2] ?? "http://127.0.0.1:4943";
const module = process.argv[3] ?? "../../../test/canistertest/fixtures/clock.wasm";

const sessionManager = new Http2SessionManager(baseUrl);
const transport = createGrpcTransport({ baseUrl, sessionManager });
const [instances, canisters, calls, clock] = [Instances, Canisters, Calls, Clock].map((s) => createClient(s, transport));

// The instance lives as long as this stream: killed or not, nothing stays behind.
const leaving = new AbortController();
const leases = instances.holdLease({}, { signal: leaving.signal })[Symbol.asyncIterator]();
const { lease } = (await leases.next()).value;

const { instance } = await instances.createInstance({ lease, pacing: { mode: PacingMode.MANUAL } });
const { canisterId } = await canisters.createCanister({ instance: instance.name });

const wasm = await readFile(new URL(module, import.meta.url));
await canisters.installCode(
  (async function* () {
    yield { part: { case: "head", value: { instance: instance.name, canisterId } } };
    for (let at = 0; at < wasm.length; at += 1 << 20) yield { part: { case: "chunk", value: wasm.subarray(at, at + (1 << 20)) } };
  })(),
);

async function call(method, ...args) {
  const json = { form: { case: "json", value: JSON.stringify(args) } };
  const { outcome } = await calls.update({ instance: instance.name, call: { canisterId, method, argument: json, replyForm: Form.JSON } });
  if (outcome.answer.case === "reject") throw new Error(outcome.answer.value.text);
  const [result] = JSON.parse(outcome.answer.value.form.value); // all results of a method are in an array, as its arguments are
  return result;
}

await call("start", String(24n * 3600n * 1_000_000_000n));
const { rounds } = await clock.advanceTime({
  instance: instance.name,
  by: { case: "duration", value: { seconds: 28n * 24n * 3600n, nanos: 0 } },
});
console.log(`four weeks in ${rounds} rounds: the clock ticked ${await call("count")} times`);

leaving.abort();
sessionManager.abort();
