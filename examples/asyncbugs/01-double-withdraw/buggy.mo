// An account of 100. The bug: the balance is checked before the await and changed after it, so a second withdrawal that
// comes in meanwhile passes the same check.
persistent actor class Account(ledger : actor { pay : Nat64 -> async Nat64 }) {
  var balance : Nat64 = 100;

  public func withdraw(amount : Nat64) : async Bool {
    let before = balance;
    if (before < amount) return false;
    try { ignore await ledger.pay(amount) } catch (_) return false;
    balance := before - amount;
    true
  };
};
