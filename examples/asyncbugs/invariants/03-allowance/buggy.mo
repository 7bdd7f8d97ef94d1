// An owner has approved 100. A transfer reads the allowance before an await, and writes it after it.
persistent actor class Token(ledger : actor { price : () -> async Nat64 }) {
  var approved : Nat64 = 100;
  var transferred : Nat64 = 0;

  public func transferFrom(amount : Nat64) : async Bool {
    let before = approved;
    if (amount > before) return false;
    try { ignore await ledger.price() } catch (_) return false;
    approved := before - amount;
    transferred += amount;
    true
  };

  public query func allowance() : async Nat64 { approved };
  public query func spent() : async Nat64 { transferred };
};
