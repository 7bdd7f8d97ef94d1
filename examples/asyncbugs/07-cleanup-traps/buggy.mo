// An account of 100 with a lock that finally releases. The bug: finally writes to a log first, which traps when the log is
// full. A trap in the cleanup callback undoes it, and the lock is kept for ever.
persistent actor class Account(ledger : actor { pay : Nat64 -> async Nat64 }) {
  var balance : Nat64 = 100;
  var locked = false;
  var lines = 0;

  func log() {
    assert lines < 2;
    lines += 1;
  };

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
    } finally {
      log();
      locked := false;
    }
  };

  public query func ready() : async Bool { not locked };
};
