// The JavaScript agent, unmodified, against the daemon whose address is in
// CANISTERD_URL. It fetches the root key as for any local network and from then
// on verifies every certificate and every query signature.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { Actor, CanisterStatus, HttpAgent } from "@icp-sdk/core/agent";
import { IDL } from "@icp-sdk/core/candid";
import { ECDSAKeyIdentity, DelegationChain, DelegationIdentity, Ed25519KeyIdentity } from "@icp-sdk/core/identity";
import { Principal } from "@icp-sdk/core/principal";

const host = process.env.CANISTERD_URL;
const effective = Principal.fromText(process.env.CANISTERD_EFFECTIVE_ID);
const fixtures = new URL("../../canistertest/fixtures/", import.meta.url);
const wasm = (name) => new Uint8Array(readFileSync(new URL(`${name}.wasm`, fixtures)));

const management = ({ IDL }) => {
  const id = IDL.Record({ canister_id: IDL.Principal });
  const mode = IDL.Variant({ install: IDL.Null, reinstall: IDL.Null, upgrade: IDL.Opt(IDL.Record({
    skip_pre_upgrade: IDL.Opt(IDL.Bool),
    wasm_memory_persistence: IDL.Opt(IDL.Variant({ keep: IDL.Null, replace: IDL.Null })),
  })) });
  return IDL.Service({
    provisional_create_canister_with_cycles: IDL.Func([IDL.Record({ amount: IDL.Opt(IDL.Nat) })], [id], []),
    install_code: IDL.Func([IDL.Record({ mode, canister_id: IDL.Principal, wasm_module: IDL.Vec(IDL.Nat8), arg: IDL.Vec(IDL.Nat8) })], [], []),
    canister_status: IDL.Func([id], [IDL.Record({ status: IDL.Variant({ running: IDL.Null, stopping: IDL.Null, stopped: IDL.Null }), module_hash: IDL.Opt(IDL.Vec(IDL.Nat8)) })], []),
    stop_canister: IDL.Func([id], [], []),
    start_canister: IDL.Func([id], [], []),
  });
};
const counterInterface = ({ IDL }) => IDL.Service({
  inc: IDL.Func([], [IDL.Nat], []),
  add: IDL.Func([IDL.Nat], [IDL.Nat], []),
  get: IDL.Func([], [IDL.Nat], ["query"]),
});
const callerInterface = ({ IDL }) => IDL.Service({
  bump: IDL.Func([IDL.Text], [IDL.Nat], []),
  trapAfterAwait: IDL.Func([IDL.Text], [], []),
  seen: IDL.Func([], [IDL.Nat, IDL.Nat], ["query"]),
});

let agent;
let ic;
const persist = [{ skip_pre_upgrade: [], wasm_memory_persistence: [{ keep: null }] }];

async function connect(identity) {
  return HttpAgent.create({ host, identity, shouldFetchRootKey: true, verifyQuerySignatures: true });
}

function managementOf(agent) {
  return Actor.createActor(management, {
    agent,
    canisterId: Principal.fromHex(""),
    callTransform: (method, args) => ({ effectiveCanisterId: args[0]?.canister_id ?? effective }),
  });
}

async function deploy(name) {
  const { canister_id } = await ic.provisional_create_canister_with_cycles({ amount: [] });
  await ic.install_code({ mode: { install: null }, canister_id, wasm_module: wasm(name), arg: new Uint8Array(IDL.encode([], [])) });
  return canister_id;
}

before(async () => {
  agent = await connect(Ed25519KeyIdentity.generate());
  ic = managementOf(agent);
});

test("a counter is created, installed, called, queried, and survives an upgrade", async () => {
  const canisterId = await deploy("counter");
  const counter = Actor.createActor(counterInterface, { agent, canisterId });
  assert.equal(await counter.inc(), 1n);
  assert.equal(await counter.add(41n), 42n);
  assert.equal(await counter.get(), 42n);
  await ic.install_code({ mode: { upgrade: persist }, canister_id: canisterId, wasm_module: wasm("counter"), arg: new Uint8Array(IDL.encode([], [])) });
  assert.equal(await counter.get(), 42n);
});

test("one canister calls another, and a trap after the await keeps what came before it", async () => {
  const counter = (await deploy("counter")).toText();
  const caller = Actor.createActor(callerInterface, { agent, canisterId: await deploy("caller") });
  assert.equal(await caller.bump(counter), 1n);
  await assert.rejects(caller.trapAfterAwait(counter), /after the await/);
  assert.deepEqual(await caller.seen(), [11n, 1n]);
});

test("status, stop and start; a stopped canister refuses", async () => {
  const canisterId = await deploy("counter");
  assert.deepEqual((await ic.canister_status({ canister_id: canisterId })).status, { running: null });
  await ic.stop_canister({ canister_id: canisterId });
  const counter = Actor.createActor(counterInterface, { agent, canisterId });
  await assert.rejects(counter.inc(), /stopped|not running/);
  await ic.start_canister({ canister_id: canisterId });
  assert.equal(await counter.inc(), 1n);
});

test("read_state of a canister verifies: controllers, module hash, candid, subnet", async () => {
  const canisterId = await deploy("counter");
  const status = await CanisterStatus.request({ agent, canisterId, paths: ["controllers", "module_hash", "candid", "time", "subnet"] });
  assert.deepEqual(status.get("controllers").map(String), [(await agent.getPrincipal()).toText()]);
  assert.equal(typeof status.get("module_hash"), "string");
  assert.match(status.get("candid"), /service/);
  assert.ok(status.get("subnet").nodeKeys.size > 0);
});

test("other keys sign too: P-256, and a delegation from Ed25519 to Ed25519", async () => {
  const canisterId = await deploy("counter");
  const p256 = await ECDSAKeyIdentity.generate();
  const byP256 = Actor.createActor(counterInterface, { agent: await connect(p256), canisterId });
  assert.equal(await byP256.inc(), 1n);

  const user = Ed25519KeyIdentity.generate();
  const session = Ed25519KeyIdentity.generate();
  const chain = await DelegationChain.create(user, session.getPublicKey(), new Date(Date.now() + 600_000));
  const delegated = Actor.createActor(counterInterface, { agent: await connect(DelegationIdentity.fromDelegation(session, chain)), canisterId });
  assert.equal(await delegated.inc(), 2n);
});

test("an unknown method and a foreign controller get the replica's answers", async () => {
  const canisterId = await deploy("counter");
  const wrong = Actor.createActor(({ IDL }) => IDL.Service({ nope: IDL.Func([], [], []) }), { agent, canisterId });
  await assert.rejects(wrong.nope(), /no update method 'nope'/);
  const stranger = managementOf(await connect(Ed25519KeyIdentity.generate()));
  await assert.rejects(stranger.stop_canister({ canister_id: canisterId }), /controller/i);
});
