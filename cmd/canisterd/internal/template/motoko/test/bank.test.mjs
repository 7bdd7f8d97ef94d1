// Run with npm test: canisterd exec gives the tests a network of their own, with the canisters of the project.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

const canisterd = (...args) => execFileSync("canisterd", args, { encoding: "utf8" }).trim();
const call = (...args) => canisterd("canister", "call", ...args);
const query = (...args) => canisterd("canister", "query", ...args);

test("what is deposited can be withdrawn once", () => {
  assert.equal(call("bank", "deposit", "100"), "(100 : nat)");
  assert.equal(call("bank", "withdraw", "60"), "(variant { paid = 40 : nat })");
  assert.equal(call("bank", "withdraw", "60"), '(variant { refused = "not enough money" })');
  assert.equal(query("bank", "balance"), "(40 : nat)");
  assert.equal(query("vault", "paidOut"), "(60 : nat)");
});

test("accounts belong to their callers", () => {
  call("bank", "deposit", "5", "--as", "aaaaa-aa");
  assert.equal(query("bank", "balance", "--as", "aaaaa-aa"), "(5 : nat)");
  assert.equal(query("bank", "balance"), "(40 : nat)");
});
