// The account without the bug: the lock is kept over both awaits, and the money leaves the balance before the second, so
// that it is off the balance even if the callback traps.
persistent actor class Account(ledger : actor { price : () -> async Nat64; pay : Nat64 -> async Nat64 }) {
  var balance : Nat64 = 100;
  var locked = false;

  public func withdraw(amount : Nat64) : async Bool {
    if locked return false;
    locked := true;
    try {
      ignore await ledger.price();
      if (balance < amount) return false;
      balance -= amount;
      try { ignore await ledger.pay(amount) } catch (_) {
        balance += amount;
        return false;
      };
      true
    } catch (_) false finally { locked := false }
  };
};
