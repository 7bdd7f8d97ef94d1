// The neuron without the bug: the maturity is taken before the await and comes back where the ledger rejects. There is no
// lock that could be kept.
import Prim "mo:⛔";

persistent actor class Governance(ledger : actor { pay : Nat64 -> async Nat64 }) {
  var maturity : Nat64 = 0;

  public func accrue(amount : Nat64) : async () { maturity += amount };

  system func timer(set : Nat64 -> ()) : async () {
    set(Prim.time() + 60_000_000_000);
    if (maturity == 0) return;
    let amount = maturity;
    maturity := 0;
    try { ignore await ledger.pay(amount) } catch (_) { maturity += amount };
  };

  public query func ready() : async Bool { true };
};
