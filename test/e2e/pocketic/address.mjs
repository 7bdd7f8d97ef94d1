// A client that takes the address of a server, as mops does, calls a canister.
import { readFileSync } from "node:fs";
import { PocketIc } from "@dfinity/pic";

const url = process.env.MOPS_POCKET_IC_URL;
for (let up = false; !up; ) up = await fetch(`${url}/status`).then((answer) => answer.ok, () => false);
const wasm = new Uint8Array(readFileSync(new URL("../../canistertest/fixtures/counter.wasm", import.meta.url)));
const network = await PocketIc.create(url);
const { actor } = await network.setupCanister({ idlFactory: ({ IDL }) => IDL.Service({ inc: IDL.Func([], [IDL.Nat], []) }), wasm });
console.log(`(${await actor.inc()})`);
await network.tearDown();
