// An owner has approved 100. A transfer reads and writes the allowance in the same message.
persistent actor class Token(ledger : actor { price : () -> async Nat64 }) {
  var approved : Nat64 = 100;
  var transferred : Nat64 = 0;

  public func transferFrom(amount : Nat64) : async Bool {
    try { ignore await ledger.price() } catch (_) return false;
    if (amount > approved) return false;
    approved -= amount;
    transferred += amount;
    true
  };

  public query func allowance() : async Nat64 { approved };
  public query func spent() : async Nat64 { transferred };
};
