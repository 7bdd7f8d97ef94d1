// An account of 100 with a lock. The bug: the lock is released before the second await, one line too early.
persistent actor class Account(ledger : actor { price : () -> async Nat64; pay : Nat64 -> async Nat64 }) {
  var balance : Nat64 = 100;
  var locked = false;

  public func withdraw(amount : Nat64) : async Bool {
    if locked return false;
    locked := true;
    try { ignore await ledger.price() } catch (_) {} finally { locked := false };
    let before = balance;
    if (before < amount) return false;
    ignore await ledger.pay(amount);
    balance := before - amount;
    true
  };
};
