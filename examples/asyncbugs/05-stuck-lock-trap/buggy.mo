// An account of 100 with a lock. The bug: the lock is released by the code after the await, and in the catch. If the
// callback traps, neither runs, and the lock is kept for ever.
persistent actor class Account(ledger : actor { pay : Nat64 -> async Nat64 }) {
  var balance : Nat64 = 100;
  var locked = false;

  public func withdraw(amount : Nat64) : async Bool {
    if (locked or balance < amount) return false;
    locked := true;
    balance -= amount;
    try { ignore await ledger.pay(amount) } catch (_) {
      balance += amount;
      locked := false;
      return false;
    };
    locked := false;
    true
  };

  public query func ready() : async Bool { not locked };
};
