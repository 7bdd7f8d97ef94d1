persistent actor class Account(ledger : actor { pay : Nat64 -> async Nat64 }) {
  var balance : Nat64 = 137;
  var open = true;
  var locked = false;

  // Pays the rest and closes the account.
  func close() : async* Bool {
    let rest = balance;
    open := false;
    balance := 0;
    try { ignore await ledger.pay(rest); true } catch (_) {
      open := true;
      balance := rest;
      false
    }
  };

  public func withdraw(amount : Nat64) : async Bool {
    if (locked or not open or amount > balance) return false;
    if (amount == balance) return await* close();
    locked := true;
    balance -= amount;
    try { ignore await ledger.pay(amount); true } catch (_) {
      balance += amount;
      false
    } finally { locked := false }
  };

  public query func balanceOf() : async Nat64 { balance };
};
