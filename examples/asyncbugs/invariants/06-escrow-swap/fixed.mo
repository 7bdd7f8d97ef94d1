import Prim "mo:⛔";

// An escrow swaps amounts of two ledgers. It writes the swap down first, and a timer repeats the payments until both have
// happened. The ledgers pay once for a number.
persistent actor class Swap(left : actor { pay_once : (Nat64, Nat64) -> async Nat64 }, right : actor { pay_once : (Nat64, Nat64) -> async Nat64 }) {
  var number : Nat64 = 0;
  var open : ?(Nat64, Nat64) = null;

  func settle() : async* () {
    let ?(id, amount) = open else return;
    ignore await left.pay_once(id, amount);
    ignore await right.pay_once(id, amount);
    if (id == number) open := null;
  };

  public func swap(amount : Nat64) : async Bool {
    if (open != null) return false;
    number += 1;
    open := ?(number, amount);
    try { await* settle(); true } catch (_) false;
  };

  system func timer(set : Nat64 -> ()) : async () {
    set(Prim.time() + 60_000_000_000);
    await* settle();
  };
};
