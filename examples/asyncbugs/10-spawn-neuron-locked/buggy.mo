// A neuron whose maturity a timer turns into tokens. The bug: the lock is released only by the code after the await. If
// the ledger rejects the call, await throws, the timer's task ends, and the neuron is locked for ever.
import Prim "mo:⛔";

persistent actor class Governance(ledger : actor { pay : Nat64 -> async Nat64 }) {
  var maturity : Nat64 = 0;
  var locked = false;

  public func accrue(amount : Nat64) : async () { maturity += amount };

  system func timer(set : Nat64 -> ()) : async () {
    set(Prim.time() + 60_000_000_000);
    if (locked or maturity == 0) return;
    locked := true;
    let amount = maturity;
    ignore await ledger.pay(amount);
    maturity -= amount;
    locked := false;
  };

  public query func ready() : async Bool { not locked };
};
