// The test of docs/javascript.md: canisterd exec runs it in a network with the canisters of examples/motoko.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { Actor, HttpAgent } from "@icp-sdk/core/agent";

const agent = await HttpAgent.create({ host: process.env.CANISTERD_HTTP, shouldFetchRootKey: true });
const greeter = Actor.createActor(
  ({ IDL }) => IDL.Service({ greet: IDL.Func([IDL.Text], [IDL.Text], []), count: IDL.Func([], [IDL.Nat], ["query"]) }),
  { agent, canisterId: process.env.CANISTER_ID_GREETER },
);

test("the greeter greets and counts", async () => {
  assert.equal(await greeter.greet("Ada"), "Hello, Ada!");
  assert.equal(await greeter.count(), 1n);
});

test("the agent notices nothing when a year passes", async () => {
  execFileSync("canisterd", ["time", "+52w"]);
  assert.equal(await greeter.greet("Ada"), "Hello, Ada!");
});
