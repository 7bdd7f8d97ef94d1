// The account without the bug: the money leaves the balance before the await, and comes back where the ledger rejects.
persistent actor class Account(ledger : actor { pay : Nat64 -> async Nat64 }) {
  var balance : Nat64 = 100;

  public func withdraw(amount : Nat64) : async Bool {
    if (balance < amount) return false;
    balance -= amount;
    try { ignore await ledger.pay(amount) } catch (_) {
      balance += amount;
      return false;
    };
    true
  };
};
