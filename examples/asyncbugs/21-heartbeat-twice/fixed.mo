// The salary without the bug: the job is marked done before the await, and due again where the ledger rejects.
import Prim "mo:⛔";

persistent actor class Payroll(ledger : actor { pay : Nat64 -> async Nat64 }) {
  var due = false;

  public func work() : async () { due := true };

  system func timer(set : Nat64 -> ()) : async () {
    set(Prim.time() + 60_000_000_000);
    if (not due) return;
    due := false;
    try { ignore await ledger.pay(100) } catch (_) { due := true };
  };
};
