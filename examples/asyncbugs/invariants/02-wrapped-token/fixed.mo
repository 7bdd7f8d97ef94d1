// A token that stands for 100 in the ledger. It is burned before the ledger pays.
persistent actor class Wrapper(ledger : actor { pay : Nat64 -> async Nat64 }) {
  var supply : Nat64 = 100;

  public func unwrap(amount : Nat64) : async Bool {
    if (amount > supply) return false;
    supply -= amount;
    try { ignore await ledger.pay(amount); true } catch (_) {
      supply += amount;
      false
    }
  };

  public query func wrapped() : async Nat64 { supply };
};
