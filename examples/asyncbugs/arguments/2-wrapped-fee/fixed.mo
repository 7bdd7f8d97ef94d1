persistent actor class Account(ledger : actor { pay : Nat64 -> async Nat64 }) {
  let fee : Nat64 = 10;
  var balance : Nat64 = 100;
  var promised : Nat64 = 0;

  public func withdraw(amount : Nat64) : async Bool {
    if (balance < fee or amount > balance - fee) return false;
    balance -%= amount +% fee;
    promised := if (amount > promised) amount else promised;
    try { ignore await ledger.pay(amount); true } catch (_) {
      balance +%= amount +% fee;
      false
    }
  };

  public query func largest() : async Nat64 { promised };
};
