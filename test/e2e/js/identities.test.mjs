// Identities that others vouch for, by the unmodified JavaScript agent: a canister
// that signs as Internet Identity does, and security devices in software.
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { Actor, Cbor, HttpAgent, IC_REQUEST_AUTH_DELEGATION_DOMAIN_SEPARATOR, reconstruct, requestIdOf, wrapDER } from "@icp-sdk/core/agent";
import { IDL } from "@icp-sdk/core/candid";
import { AttributesIdentity, Delegation, DelegationChain, DelegationIdentity, Ed25519KeyIdentity, WebAuthnIdentity } from "@icp-sdk/core/identity";
import { Principal } from "@icp-sdk/core/principal";

const host = process.env.CANISTERD_URL;
const effective = Principal.fromText(process.env.CANISTERD_EFFECTIVE_ID);
const module = new Uint8Array(readFileSync(process.env.CANISTERD_SIGNER));

const text = (s) => new TextEncoder().encode(s);
const join = (...parts) => new Uint8Array(Buffer.concat(parts.map((part) => Uint8Array.from(part))));
const sha256 = (bytes) => new Uint8Array(createHash("sha256").update(bytes).digest());

const management = ({ IDL }) => {
  const id = IDL.Record({ canister_id: IDL.Principal });
  const mode = IDL.Variant({ install: IDL.Null });
  return IDL.Service({
    provisional_create_canister_with_cycles: IDL.Func([IDL.Record({ amount: IDL.Opt(IDL.Nat) })], [id], []),
    install_code: IDL.Func([IDL.Record({ mode, canister_id: IDL.Principal, wasm_module: IDL.Vec(IDL.Nat8), arg: IDL.Vec(IDL.Nat8) })], [], []),
  });
};
const blob = IDL.Vec(IDL.Nat8);
const signerInterface = ({ IDL }) => IDL.Service({
  certify: IDL.Func([blob], [blob], []),
  certificate: IDL.Func([], [blob], ["query"]),
  caller: IDL.Func([], [blob], []),
  callerAsked: IDL.Func([], [blob], ["query"]),
  attested: IDL.Func([], [blob], []),
  attestedAsked: IDL.Func([], [blob], ["query"]),
});

async function connect(identity) {
  return HttpAgent.create({ host, identity, shouldFetchRootKey: true, verifyQuerySignatures: true });
}

let canisterId;
let signer;
const as = async (identity) => Actor.createActor(signerInterface, { agent: await connect(identity), canisterId });
const seed = text("user 10000");

before(async () => {
  const agent = await connect(Ed25519KeyIdentity.generate());
  const ic = Actor.createActor(management, {
    agent,
    canisterId: Principal.fromHex(""),
    callTransform: (_, args) => ({ effectiveCanisterId: args[0]?.canister_id ?? effective }),
  });
  canisterId = (await ic.provisional_create_canister_with_cycles({ amount: [] })).canister_id;
  await ic.install_code({ mode: { install: null }, canister_id: canisterId, wasm_module: module, arg: new Uint8Array() });
  signer = Actor.createActor(signerInterface, { agent, canisterId });
});

// The canister signs: it certifies the root of a tree that has the payload, and
// gives the certificate.
async function canisterSignature(payload) {
  const tree = [2, text("sig"), [2, sha256(seed), [2, sha256(payload), [3, new Uint8Array()]]]];
  await signer.certify(await reconstruct(tree));
  return Cbor.encode({ certificate: new Uint8Array(await signer.certificate()), tree });
}

function canisterKey() {
  const id = canisterId.toUint8Array();
  return wrapDER(join([id.length], id, seed), Uint8Array.from([0x30, 0x0c, 0x06, 0x0a, 0x2b, 0x06, 0x01, 0x04, 0x01, 0x83, 0xb8, 0x43, 0x01, 0x02]));
}

// The user of the canister, with a session key it delegates to.
async function session(permissions) {
  const key = Ed25519KeyIdentity.generate();
  const expiration = BigInt(Date.now() + 600_000) * 1_000_000n;
  const delegation = new Delegation(key.getPublicKey().toDer(), expiration, undefined, permissions);
  const signature = await canisterSignature(join(IC_REQUEST_AUTH_DELEGATION_DOMAIN_SEPARATOR, requestIdOf({ ...delegation })));
  return DelegationIdentity.fromDelegation(key, DelegationChain.fromDelegations([{ delegation, signature }], canisterKey()));
}

test("a user a canister vouches for calls and queries as himself", async () => {
  const identity = await session();
  const user = Principal.selfAuthenticating(canisterKey());
  assert.equal(identity.getPrincipal().toText(), user.toText());
  const actor = await as(identity);
  assert.deepEqual(new Uint8Array(await actor.caller()), user.toUint8Array());
  assert.deepEqual(new Uint8Array(await actor.callerAsked()), user.toUint8Array());
  assert.equal((await actor.attested()).length, 0);
});

test("what the canister attests of the user reaches whom he calls", async () => {
  const data = text("email=alice@example.org");
  const signature = await canisterSignature(join([14], text("ic-sender-info"), data));
  const inner = await session();
  const actor = await as(new AttributesIdentity({ inner, attributes: { data, signature }, signer: { canisterId } }));
  const want = join(data, canisterId.toUint8Array());
  assert.deepEqual(new Uint8Array(await actor.attested()), want);
  assert.deepEqual(new Uint8Array(await actor.attestedAsked()), want);
  const forged = await as(new AttributesIdentity({ inner, attributes: { data: text("email=bob@example.org"), signature }, signer: { canisterId } }));
  await assert.rejects(forged.attested(), /Invalid sender info: signature verification failed/);
});

test("a session for queries only may not call", async () => {
  const actor = await as(await session("queries"));
  assert.ok((await actor.callerAsked()).length > 0);
  await assert.rejects(actor.caller(), /Delegation permissions error/);
});

test("what the canister did not sign is refused", async () => {
  const identity = await session();
  const key = Ed25519KeyIdentity.generate();
  const [{ delegation, signature }] = identity.getDelegation().delegations;
  const other = new Delegation(key.getPublicKey().toDer(), delegation.expiration);
  const chain = DelegationChain.fromDelegations([{ delegation: other, signature }], canisterKey());
  const actor = await as(DelegationIdentity.fromDelegation(key, chain));
  await assert.rejects(actor.caller(), /Invalid canister signature/);
});

// A security device in software, behind navigator.credentials.
function device(cose, signCovered) {
  const credential = { id: "x", rawId: text("x"), type: "public-key", authenticatorAttachment: "platform", getClientExtensionResults: () => ({}), toJSON: () => ({}) };
  const authenticatorData = join(sha256(text("example.org")), [5, 0, 0, 0, 1]);
  return {
    async create() {
      const authData = join(authenticatorData, new Uint8Array(16), [0, 1], text("x"), cose);
      return { ...credential, response: { attestationObject: Cbor.encode({ authData, fmt: "none", attStmt: {} }).slice(3) } };
    },
    async get({ publicKey: { challenge } }) {
      const clientDataJSON = text(JSON.stringify({ type: "webauthn.get", challenge: Buffer.from(challenge).toString("base64url"), origin: "https://example.org", crossOrigin: false }));
      return { ...credential, response: { authenticatorData, clientDataJSON, signature: signCovered(join(authenticatorData, sha256(clientDataJSON))) } };
    },
  };
}

const bytes32 = (value) => join([0x58, 32], Buffer.from(value, "base64url"));

function devices() {
  const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ed25519 = generateKeyPairSync("ed25519");
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const point = p256.publicKey.export({ format: "jwk" });
  const modulus = Buffer.from(rsa.publicKey.export({ format: "jwk" }).n, "base64url");
  return {
    "P-256": device(join([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21], bytes32(point.x), [0x22], bytes32(point.y)), (covered) => new Uint8Array(sign("sha256", covered, p256.privateKey))),
    Ed25519: device(join([0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21], bytes32(ed25519.publicKey.export({ format: "jwk" }).x)), (covered) => new Uint8Array(sign(null, covered, ed25519.privateKey))),
    RSA: device(join([0xa4, 1, 3, 3, 0x39, 0x01, 0x00, 0x20, 0x59, 0x01, 0x00], modulus, [0x21, 0x43, 1, 0, 1]), (covered) => new Uint8Array(sign("sha256", covered, rsa.privateKey))),
  };
}

for (const [name, credentials] of Object.entries(devices())) {
  test(`a security device signs with ${name}, and delegates to a session`, async () => {
    Object.defineProperty(globalThis, "navigator", { value: { credentials }, configurable: true });
    const identity = await WebAuthnIdentity.create();
    const user = identity.getPrincipal().toUint8Array();
    assert.deepEqual(new Uint8Array(await (await as(identity)).caller()), user);
    assert.deepEqual(new Uint8Array(await (await as(identity)).callerAsked()), user);
    const key = Ed25519KeyIdentity.generate();
    const chain = await DelegationChain.create(identity, key.getPublicKey(), new Date(Date.now() + 600_000));
    const delegated = await as(DelegationIdentity.fromDelegation(key, chain));
    assert.deepEqual(new Uint8Array(await delegated.caller()), user);
  });
}
