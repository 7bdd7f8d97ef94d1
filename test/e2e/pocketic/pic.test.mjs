// PocketIC's JavaScript client, unmodified, with canisterd as its server (POCKET_IC_BIN). The
// package in CANISTERD_PIC is the newest client or the one before; every method it has is used.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Actor, HttpAgent } from "@icp-sdk/core/agent";
import { IDL } from "@icp-sdk/core/candid";
import { Principal } from "@icp-sdk/core/principal";

const pic = await import(process.env.CANISTERD_PIC);
const { PocketIc, PocketIcServer, SubnetStateType, createIdentity, generateRandomIdentity } = pic;
const newest = process.env.CANISTERD_PIC === "@dfinity/pic";

const fixtures = new URL("../../canistertest/fixtures/", import.meta.url);
const wasm = (name) => new Uint8Array(readFileSync(new URL(`${name}.wasm`, fixtures)));
const counterInterface = ({ IDL }) => IDL.Service({
  inc: IDL.Func([], [IDL.Nat], []),
  add: IDL.Func([IDL.Nat], [IDL.Nat], []),
  get: IDL.Func([], [IDL.Nat], ["query"]),
});
const response = IDL.Record({ status: IDL.Nat, headers: IDL.Vec(IDL.Record({ name: IDL.Text, value: IDL.Text })), body: IDL.Vec(IDL.Nat8) });
const fetcher = new Uint8Array(readFileSync(process.env.CANISTERD_FETCHER));
const fresh = { state: { type: SubnetStateType.New } };
const used = new Set();
// refused is that the server refuses something. The client before asks again until its patience is over.
const refused = (ask, why) => newest ? assert.rejects(ask(), why) : used.add(ask.toString().match(/network\.(\w+)/)[1]);

let server, network;
// client notes the methods that are used.
const client = (object) => new Proxy(object, {
  get(target, name) {
    const value = target[name];
    if (typeof value !== "function") return value;
    used.add(name);
    return value.bind(target);
  },
});

before(async () => {
  server = client(await PocketIcServer.start({ showCanisterLogs: false, showRuntimeLogs: false }));
  network = client(await PocketIc.create(server.getUrl(), {
    nns: fresh, ii: fresh, fiduciary: fresh, sns: fresh, bitcoin: fresh, system: [fresh], application: [fresh, fresh],
  }));
});
after(async () => {
  await network.tearDown();
  await server.stop();
});

const setUp = (options = {}) => network.setupCanister({ idlFactory: counterInterface, wasm: wasm("counter"), ...options });

test("a canister is set up, called and queried", async () => {
  const { actor, canisterId } = await setUp();
  assert.equal(canisterId.toText(), (await network.getDefaultEffectiveCanisterId()).toText());
  assert.equal(await actor.add(5n), 5n);
  assert.equal(await actor.get(), 5n);
  const other = network.createActor(counterInterface, canisterId);
  other.setIdentity(generateRandomIdentity());
  assert.equal(await other.inc(), 6n);
  other.setPrincipal(createIdentity("seed").getPrincipal());
  const raw = await network.updateCall({ canisterId, method: "inc", arg: new Uint8Array(IDL.encode([], [])) });
  assert.deepEqual(IDL.decode([IDL.Nat], raw), [7n]);
  const read = await network.queryCall({ canisterId, method: "get", arg: new Uint8Array(IDL.encode([], [])) });
  assert.deepEqual(IDL.decode([IDL.Nat], read), [7n]);
  await assert.rejects(network.updateCall({ canisterId, method: "missing", arg: new Uint8Array() }), /CanisterMethodNotFound/);
});

test("calls are submitted and awaited apart", async () => {
  const { canisterId } = await setUp();
  const deferred = network.createDeferredActor(counterInterface, canisterId);
  const first = await deferred.inc();
  const second = await deferred.inc();
  assert.deepEqual([await second(), await first()].sort(), [1n, 2n]);
});

// The client before sends it whole, and asks again and again when a server refuses something.
if (newest) test("a module too large for a message is installed in chunks", async () => {
  const size = 5_000_000, section = [0];
  for (let left = size; left > 0; left = Math.floor(left / 128)) section.push(left % 128 + (left >= 128 ? 128 : 0));
  const module = Buffer.concat([wasm("counter"), Buffer.from(section), Buffer.from([4]), Buffer.from("size"), Buffer.alloc(size - 5)]);
  const { actor } = await setUp({ wasm: new Uint8Array(module) });
  assert.equal(await actor.inc(), 1n);
});

test("a canister lives through what the management canister does", async () => {
  const owner = createIdentity("owner").getPrincipal();
  const options = { sender: owner };
  const canisterId = await network.createCanister({ controllers: [owner], cycles: 5_000_000_000_000n, computeAllocation: 0n, ...options });
  await network.installCode({ canisterId, wasm: wasm("counter"), arg: new Uint8Array(), ...options });
  await network.stopCanister({ canisterId, ...options });
  await assert.rejects(network.createActor(counterInterface, canisterId).inc(), /stopped/);
  await network.startCanister({ canisterId, ...options });
  await network.upgradeCanister({ canisterId, wasm: wasm("counter"), arg: new Uint8Array(), ...options,
    upgradeModeOptions: { skip_pre_upgrade: [], wasm_memory_persistence: [{ keep: null }] } });
  await network.reinstallCode({ canisterId, wasm: wasm("counter"), arg: new Uint8Array(), ...options });
  await network.updateCanisterSettings({ canisterId, controllers: [owner, Principal.anonymous()], freezingThreshold: 1_000n, ...options });
  const controllers = (await network.getControllers(canisterId)).map((c) => c.toText()).sort();
  assert.deepEqual(controllers, [owner.toText(), Principal.anonymous().toText()].sort());
  if (newest) {
    const status = await network.canisterStatus({ canisterId, ...options });
    assert.equal(status.settings.freezing_threshold ?? status.settings.freezingThreshold, 1_000n);
  }
});

test("cycles are added and counted", async () => {
  const { canisterId } = await setUp({ cycles: 2n ** 70n });
  const had = await network.getCyclesBalance(canisterId);
  assert.ok(had > 2n ** 69n);
  assert.equal(await network.addCycles(canisterId, 2n ** 80n), had + 2n ** 80n);
  await refused(() => network.getCyclesBalance(Principal.fromText("lz3um-vp777-77777-aaaba-cai")), /CanisterNotFound\(CanisterId/);
});

test("time is set to the nanosecond, and never goes back", async () => {
  const later = new Date("2030-01-02T03:04:05.678Z");
  await network.setTime(later);
  assert.equal(await network.getTime(), later.getTime());
  await network.tick();
  await network.tick(3);
  assert.equal(await network.getTime(), later.getTime());
  await network.advanceTime(1_000);
  await network.setCertifiedTime(later.getTime() + 5_000);
  await network.advanceCertifiedTime(1_000);
  assert.equal(await network.getTime(), later.getTime() + 6_000);
  await refused(() => network.setTime(0), /SettingTimeIntoPast/);
  await refused(() => network.resetTime(), /SettingTimeIntoPast/);
  await refused(() => network.resetCertifiedTime(), /SettingTimeIntoPast/);
});

test("subnets are those that were asked for", async () => {
  const topology = await network.getTopology();
  assert.equal(topology.length, 8);
  const named = {
    nns: await network.getNnsSubnet(), ii: await network.getInternetIdentitySubnet(), sns: await network.getSnsSubnet(),
    fiduciary: await network.getFiduciarySubnet(), bitcoin: await network.getBitcoinSubnet(),
  };
  assert.deepEqual([named.nns, named.ii, named.sns, named.fiduciary, named.bitcoin].map((s) => s.size), [40, 34, 34, 34, 13]);
  assert.equal((await network.getApplicationSubnets()).length, 2);
  assert.equal((await network.getSystemSubnets()).length, 1);
  assert.ok((await network.getPubKey(named.nns.id)).length > 96);
  for (const subnet of topology) {
    const canisterId = await network.createCanister({ targetSubnetId: subnet.id });
    assert.equal((await network.getCanisterSubnetId(canisterId)).toText(), subnet.id.toText());
  }
  const ledger = Principal.fromText("ryjl3-tyaaa-aaaaa-aaaba-cai");
  assert.equal(await network.getCanisterSubnetId(ledger), null);
  assert.equal((await network.createCanister({ targetCanisterId: ledger })).toText(), ledger.toText());
  assert.equal((await network.getCanisterSubnetId(ledger)).toText(), named.nns.id.toText());
});

test("stable memory is written and read whole", async () => {
  const { canisterId } = await setUp();
  const content = new Uint8Array(70_000).fill(7);
  await network.setStableMemory(canisterId, content);
  const read = await network.getStableMemory(canisterId);
  assert.equal(read.length, 2 * 65_536);
  assert.deepEqual(read.slice(0, content.length), content);
  assert.equal(read[content.length], 0);
});

const request = IDL.Record({ url: IDL.Text, method: IDL.Variant({ get: IDL.Null }), headers: IDL.Vec(IDL.Record({ name: IDL.Text, value: IDL.Text })) });
const asked = { url: "https://example.com/news", method: { get: null }, headers: [{ name: "accept", value: "text/plain" }] };
const fetching = ({ IDL }) => IDL.Service({ fetch: IDL.Func([request], [response], []) });

test("HTTP outcalls are mocked, for all nodes or each", async () => {
  const { canisterId } = await network.setupCanister({ idlFactory: fetching, wasm: fetcher });
  const deferred = network.createDeferredActor(fetching, canisterId);
  for (const each of [false, true]) {
    const answer = await deferred.fetch(asked);
    await network.tick(2);
    const [pending] = await network.getPendingHttpsOutcalls();
    assert.equal(pending.url, asked.url);
    assert.deepEqual(pending.headers, [["accept", "text/plain"]]);
    const body = new TextEncoder().encode("news");
    const reply = { type: "success", body, statusCode: 200, headers: [["a", "b"]] };
    await network.mockPendingHttpsOutcall({
      requestId: pending.requestId, subnetId: pending.subnetId, response: reply, additionalResponses: each ? Array(12).fill(reply) : [],
    });
    const got = await answer();
    assert.equal(got.status, 200n);
    assert.deepEqual(new Uint8Array(got.body), body);
    assert.equal((await network.getPendingHttpsOutcalls()).length, 0);
  }
  // The client's deferred actor never tells of a reject.
  const message = await network.client.submitCall({
    canisterId, sender: Principal.anonymous(), method: "fetch", payload: new Uint8Array(IDL.encode([request], [asked])),
  });
  await network.tick(2);
  const [pending] = await network.getPendingHttpsOutcalls();
  await network.mockPendingHttpsOutcall({
    requestId: pending.requestId, subnetId: pending.subnetId, response: { type: "reject", statusCode: 2, message: "no news" }, additionalResponses: [],
  });
  await assert.rejects(network.client.awaitCall(message), /no news.*CanisterReject.*Certified: true/);
  await refused(() => network.mockPendingHttpsOutcall({
    requestId: pending.requestId, subnetId: pending.subnetId, response: { type: "reject", statusCode: 2, message: "" }, additionalResponses: [],
  }), /InvalidCanisterHttpRequestId/);
});

if (newest) test("agents reach an instance that is live", async () => {
  const { canisterId } = await setUp();
  const port = await network.makeLive();
  const agent = await HttpAgent.create({ host: `http://127.0.0.1:${port}`, shouldFetchRootKey: true, shouldSyncTime: true });
  const actor = Actor.createActor(counterInterface, { agent, canisterId });
  assert.equal(await actor.add(3n), 3n);
  assert.equal(await actor.get(), 3n);
  await network.stopLive();
});

if (newest) test("agents see the same times in each run of an instance whose time stands still", async () => {
  const url = server.getUrl();
  const run = async () => {
    const pic = await PocketIc.create(url);
    const { canisterId } = await pic.setupCanister({ idlFactory: counterInterface, wasm: wasm("counter") });
    const instance = `${url}/instances/${pic["client"].instanceId}`;

    await fetch(`${instance}/auto_progress`, { method: "POST", body: JSON.stringify({ canisterd_time: "still" }) });
    const port = await pic["client"].startHttpGateway();
    const agent = await HttpAgent.create({ host: `http://127.0.0.1:${port}`, shouldFetchRootKey: true });

    const actor = Actor.createActor(counterInterface, { agent, canisterId });
    assert.deepEqual([await actor.inc(), await actor.inc(), await actor.get()], [1n, 2n, 2n]);
    const end = await (await fetch(`${instance}/read/get_time`)).text(); // to the nanosecond
    await pic.tearDown();
    return end;
  };
  assert.equal(await run(), await run());
});

const bankInterface = ({ IDL }) => IDL.Service({
  open: IDL.Func([IDL.Text], [], []),
  deposit: IDL.Func([IDL.Nat], [IDL.Nat], []),
  withdraw: IDL.Func([IDL.Nat], [IDL.Variant({ paid: IDL.Nat, refused: IDL.Text })], []),
});
const vaultInterface = ({ IDL }) => IDL.Service({ paidOut: IDL.Func([], [IDL.Nat], ["query"]) });
const example = (name) => new Uint8Array(readFileSync(new URL(`../../../examples/doublewithdraw/${name}.wasm`, import.meta.url)));

// The first client with the number of its instance.
const bankWorld = async (module) => {
  const world = await PocketIc.create(server.getUrl());
  const bank = await world.setupCanister({ idlFactory: bankInterface, wasm: example(module) });
  const vault = await world.setupCanister({ idlFactory: vaultInterface, wasm: example("vault") });
  await bank.actor.open(vault.canisterId.toText());
  await bank.actor.deposit(100n);
  return { world, bank, vault };
};

const canisterd = async (pic, rpc, body = {}) => {
  const route = `${server.getUrl()}/instances/${pic["client"].instanceId}/canisterd/${rpc}`;
  const response = await fetch(route, { method: "POST", body: JSON.stringify(body) });
  const answer = await response.json();
  assert.ok(response.ok, answer.message);
  return answer;
};

if (newest) test("each test has a fork of one world, and holds its calls", async () => {
  const url = server.getUrl();
  const { world, bank, vault } = await bankWorld("bank");

  const fork = (pic) => PocketIc.create(`${url}/canisterd/fork_of/${pic["client"].instanceId}`);

  const pic = await fork(world);
  await canisterd(pic, "add_rule", { rule: { match: { kind: "MESSAGE_KIND_RESPONSE", method: "transfer", times: 1 }, hold: true } });
  const deferred = pic.createDeferredActor(bankInterface, bank.canisterId);
  const first = await deferred.withdraw(60n);
  const { held } = await canisterd(pic, "await_held");
  const second = await (await deferred.withdraw(60n))();
  await canisterd(pic, "release", { held_id: held.held_id });
  assert.deepEqual([await first(), second], [{ paid: 40n }, { paid: 40n }]);
  assert.equal(await pic.createActor(vaultInterface, vault.canisterId).paidOut(), 120n);
  const { rendered } = await canisterd(pic, "get_trace", { last: true, form: "TRACE_FORM_TEXT" });

  assert.match(rendered, /withdraw[^]*transfer/);
  assert.equal(await vault.actor.paidOut(), 0n);
  const snapshot = await canisterd(world, "take_snapshot", { snapshot: "open" });
  assert.equal(snapshot.snapshot.name, "open");
  await bank.actor.withdraw(100n);
  const again = await PocketIc.create(`${url}/canisterd/fork_of/${world["client"].instanceId}@open`);
  assert.deepEqual(await again.createActor(bankInterface, bank.canisterId).withdraw(100n), { paid: 0n });
  for (const one of [again, pic]) await one.tearDown();

  await world.tearDown();
});

const explore = async (pic, exploration) => {
  const report = await canisterd(pic, "explore", { faults: 1, time: "60s", ...exploration });
  const findings = report.findings.filter((finding) => !finding.suspicion);
  if (findings.length === 0) return;
  const file = join(tmpdir(), "finding.yaml");
  writeFileSync(file, findings[0].schedule);
  assert.fail(findings.map((finding) => finding.explanation).join("\n") + file);
};

const exploreWithdrawals = ({ world, bank, vault }) => {
  const names = { bank: bank.canisterId.toText(), vault: vault.canisterId.toText() };
  const withdraw = { title: "withdraw 60", call: { canister_id: names.bank, method: "withdraw", argument: { text: "(60)" } } };
  return explore(world, { operations: [withdraw, withdraw], names, properties: { invariants: ["vault paidOut <= 100"] } });
};

if (newest) test("a finding of an exploration is the failure of a test, and its schedule replays", async () => {
  const careful = await bankWorld("careful"), careless = await bankWorld("bank");
  await exploreWithdrawals(careful);
  await assert.rejects(exploreWithdrawals(careless), /vault paidOut <= 100 does not hold[^]*finding.yaml/);
  await assert.rejects(explore(careful.world, {}), /operations is not set/);

  const replay = async ({ world, bank, vault }) => {
    const schedule = readFileSync(join(tmpdir(), "finding.yaml"), "utf8");
    const names = { bank: bank.canisterId.toText(), vault: vault.canisterId.toText() };
    const { outcome, explanation } = await canisterd(world, "replay_schedule", { schedule, names });
    assert.equal(outcome, "REPLAY_OUTCOME_FIXED", explanation);
  };
  await replay(careful);
  await assert.rejects(replay(careless), /vault paidOut <= 100 does not hold/);
  for (const { world } of [careful, careless]) await world.tearDown();
});

// Methods that the programs above do not call themselves.
const left = {
  installCodeChunked: "setupCanister calls it for large modules",
  tearDown: "called after all tests", stop: "called after all tests", start: "called before all tests",
  getBinPath: "private: start calls it", assertBinExists: "private: start calls it",
  createActorClass: "createActor calls it", createDeferredActorClass: "createDeferredActor calls it",
};
for (const name of ["createIdentity", "generateRandomIdentity", "create"]) used.add(name);

test("every method of the client was used", () => {
  const methods = (type) => [type, type.prototype].flatMap((of) => Object.getOwnPropertyNames(of).filter((name) => name !== "constructor" && typeof of[name] === "function"));
  const functions = Object.keys(pic).filter((name) => typeof pic[name] === "function" && !/^[A-Z]/.test(name));
  for (const name of [...methods(PocketIc), ...methods(PocketIcServer), ...functions].sort()) {
    assert.ok(used.has(name) || left[name], `${name} was not used`);
    console.log(used.has(name) ? `method: ${name}` : `method: ${name} (${left[name]})`);
  }
});
