// An escrow swaps amounts of two ledgers. If the second payment fails, the first has happened.
persistent actor class Swap(left : actor { pay : Nat64 -> async Nat64 }, right : actor { pay : Nat64 -> async Nat64 }) {
  public func swap(amount : Nat64) : async Bool {
    try {
      ignore await left.pay(amount);
      ignore await right.pay(amount);
      true
    } catch (_) false;
  };
};
