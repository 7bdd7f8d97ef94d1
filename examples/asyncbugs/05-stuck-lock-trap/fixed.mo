// The account without the bug: finally releases the lock. It runs in the cleanup callback, too, after a trap.
persistent actor class Account(ledger : actor { pay : Nat64 -> async Nat64 }) {
  var balance : Nat64 = 100;
  var locked = false;

  public func withdraw(amount : Nat64) : async Bool {
    if (locked or balance < amount) return false;
    locked := true;
    balance -= amount;
    try {
      ignore await ledger.pay(amount);
      true
    } catch (_) {
      balance += amount;
      false
    } finally { locked := false }
  };

  public query func ready() : async Bool { not locked };
};
