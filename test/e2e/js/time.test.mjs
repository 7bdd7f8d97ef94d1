// The unmodified JavaScript agent while the time of the network is moved ahead and back:
// CANISTERD is the binary that moves it. Every agent checks how old certificates and
// signatures are, and synchronises its clock where it finds them of another time.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { Actor, CanisterStatus, HttpAgent } from "@icp-sdk/core/agent";
import { DelegationChain, DelegationIdentity, Ed25519KeyIdentity } from "@icp-sdk/core/identity";
import { Principal } from "@icp-sdk/core/principal";

const host = process.env.CANISTERD_URL;
const fixture = (name) => fileURLToPath(new URL(`../../canistertest/fixtures/${name}.wasm`, import.meta.url));
const canisterd = (...args) => execFileSync(process.env.CANISTERD, ["--url", host, ...args], { encoding: "utf8" }).trim();

const counterInterface = ({ IDL }) => IDL.Service({ inc: IDL.Func([], [IDL.Nat], []), get: IDL.Func([], [IDL.Nat], ["query"]) });
const clockInterface = ({ IDL }) => IDL.Service({ start: IDL.Func([IDL.Nat64], [], []), count: IDL.Func([], [IDL.Nat], ["query"]) });

function deploy(name) {
  const id = canisterd("canister", "create");
  canisterd("canister", "install", id, fixture(name));
  return Principal.fromText(id);
}

async function delegated() {
  const session = Ed25519KeyIdentity.generate();
  const chain = await DelegationChain.create(Ed25519KeyIdentity.generate(), session.getPublicKey(), new Date(Date.now() + 600_000));
  return DelegationIdentity.fromDelegation(session, chain);
}

async function agents() {
  const options = { host, shouldFetchRootKey: true, verifyQuerySignatures: true };
  return [
    await HttpAgent.create({ ...options, identity: Ed25519KeyIdentity.generate() }),
    await HttpAgent.create({ ...options, identity: Ed25519KeyIdentity.generate(), shouldSyncTime: true }),
    await HttpAgent.create({ ...options, identity: await delegated() }),
    await HttpAgent.create(options),
  ];
}

const counter = deploy("counter");
let counted = 0n;

// works looks whether all an agent does is answered and verified.
async function works(agent) {
  const actor = Actor.createActor(counterInterface, { agent, canisterId: counter });
  assert.equal(await actor.inc(), ++counted);
  assert.equal(await actor.get(), counted);
  const status = await CanisterStatus.request({ agent, canisterId: counter, paths: ["time", "module_hash"] });
  assert.equal(typeof status.get("module_hash"), "string");
}

test("agents old and new go on after each week that passes, and after a restore", async () => {
  const old = await agents();
  for (const agent of old) await works(agent);
  canisterd("instance", "snapshot", "today");
  const kept = counted;
  for (let week = 0; week < 3; week++) {
    canisterd("time", "+7d");
    for (const agent of [...old, ...(await agents())]) await works(agent);
  }
  canisterd("instance", "restore", "today");
  counted = kept;
  for (const agent of [...old, ...(await agents())]) await works(agent);
});

test("timers fire on the way, and canisters see the new time", async () => {
  const canisterId = deploy("clock");
  const [agent] = await agents();
  const clock = Actor.createActor(clockInterface, { agent, canisterId });
  await clock.start(3_600_000_000_000n);
  canisterd("time", "+7d");
  assert.equal(await clock.count(), 168n);
  assert.match(canisterd("time"), / 7d ahead of the wall clock/);
});

test("a minute is moved too, which no agent would notice", async () => {
  const old = await agents();
  canisterd("time", "+1m");
  for (const agent of [...old, ...(await agents())]) await works(agent);
});
