// The account without the bug: it needs no lock, because the money leaves the balance before the await. What does not have
// to be cleaned up cannot be left behind, and the log forgets lines where it is full.
persistent actor class Account(ledger : actor { pay : Nat64 -> async Nat64 }) {
  var balance : Nat64 = 100;
  var lines = 0;

  func log() { if (lines < 2) lines += 1 };

  public func withdraw(amount : Nat64) : async Bool {
    if (balance < amount) return false;
    balance -= amount;
    try {
      ignore await ledger.pay(amount);
      true
    } catch (_) {
      balance += amount;
      false
    } finally { log() }
  };

  public query func ready() : async Bool { true };
};
