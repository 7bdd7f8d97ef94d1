// Times updates through PocketIC's JavaScript client: with a server, with a handler that gives the same two answers each
// time, and beside them requests of the same client to a handler that does nothing. A line of its input says what to do
// and how often; a line of its output says how many nanoseconds one took.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { PocketIc, SubnetStateType } from "@dfinity/pic";

const [server, nothing] = process.argv.slice(2);
const wasm = new Uint8Array(readFileSync(new URL("../../canistertest/fixtures/counter.wasm", import.meta.url)));
const counter = ({ IDL }) => IDL.Service({ inc: IDL.Func([], [IDL.Nat], []) });
const network = await PocketIc.create(server, { application: [{ state: { type: SubnetStateType.New } }] });
const { actor } = await network.setupCanister({ idlFactory: counter, wasm });

const http = network["client"].serverClient;
const { body } = await new Promise((resolve) => { // of the first of an update's two requests
  const post = http.jsonPost;
  http.jsonPost = (request) => (resolve(request), delete http.jsonPost, post.call(http, request));
  actor.inc();
});
const at = (url, operation) => () => ((http.baseUrl = url), operation());
const work = {
  update: at(server, () => actor.inc()),
  stored: at(nothing, () => actor.inc()),
  request: at(nothing, () => http.jsonPost({ path: "/", body })),
};
for await (const line of createInterface({ input: process.stdin })) {
  const [what, times] = line.split(" ");
  const start = process.hrtime.bigint();
  for (let n = Number(times); n > 0; n--) await work[what]();
  console.log(String((process.hrtime.bigint() - start) / BigInt(times)));
}
http.baseUrl = server;
await network.tearDown();
