// A deal is opened, funded, and then released to the seller or canceled, which refunds the buyer.
persistent actor class Escrow(ledger : actor { pay : Nat64 -> async Nat64 }) {
  type State = { #none; #open : Nat64; #funded : Nat64; #over };
  var state : State = #none;
  var funds : Nat64 = 0;

  public func open(price : Nat64) : async Bool {
    if (state != #none or price == 0 or price > 1_000) return false;
    state := #open price;
    true
  };

  public func fund(amount : Nat64) : async Bool {
    let #open price = state else return false;
    if (amount < price or amount > 1_000) return false;
    state := #funded amount;
    funds += amount;
    true
  };

  public func release() : async Bool {
    let #funded amount = state else return false;
    state := #over;
    try { ignore await ledger.pay(amount); true } catch (_) {
      state := #funded amount;
      false
    }
  };

  public func cancel() : async Bool {
    let #funded amount = state else return false;
    state := #over;
    try { ignore await ledger.pay(amount); true } catch (_) {
      state := #funded amount;
      false
    }
  };

  public query func funded() : async Nat64 { funds };
};
