// Times updates through PocketIC's JavaScript client, and requests of the same client to a handler that does nothing. A
// line of its input says what to do and how often; a line of its output says how many nanoseconds one took.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { PocketIc, SubnetStateType } from "@dfinity/pic";

const { Http2Client } = createRequire(import.meta.url)("./node_modules/@dfinity/pic/dist/http2-client.js"); // the package does not export it
const [server, nothing] = process.argv.slice(2);
const wasm = new Uint8Array(readFileSync(new URL("../../canister/canistertest/fixtures/counter.wasm", import.meta.url)));
const counter = ({ IDL }) => IDL.Service({ inc: IDL.Func([], [IDL.Nat], []) });
const network = await PocketIc.create(server, { application: [{ state: { type: SubnetStateType.New } }] });
const { actor } = await network.setupCanister({ idlFactory: counter, wasm });
const empty = new Http2Client(nothing, 30_000);

const work = {
  update: () => actor.inc(),
  request: () => empty.jsonPost({ path: "/", body: { canister: "a", method: "inc" } }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const [what, times] = line.split(" ");
  const start = process.hrtime.bigint();
  for (let n = Number(times); n > 0; n--) await work[what]();
  console.log(String((process.hrtime.bigint() - start) / BigInt(times)));
}
await network.tearDown();
