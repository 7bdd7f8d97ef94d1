// A token that stands for 100 in the ledger. It is burned after the ledger has paid.
persistent actor class Wrapper(ledger : actor { pay : Nat64 -> async Nat64 }) {
  var supply : Nat64 = 100;

  public func unwrap(amount : Nat64) : async Bool {
    if (amount > supply) return false;
    try { ignore await ledger.pay(amount) } catch (_) return false;
    supply := if (amount > supply) 0 else supply - amount;
    true
  };

  public query func wrapped() : async Nat64 { supply };
};
