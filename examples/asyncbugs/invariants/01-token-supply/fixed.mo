// A token. The amount that was minted and the balances change in the same message.
persistent actor class Token(ledger : actor { price : () -> async Nat64 }) {
  var minted : Nat64 = 0;
  var balances : Nat64 = 0;

  public func mint(amount : Nat64) : async () {
    ignore await ledger.price();
    minted += amount;
    balances += amount;
  };

  public query func supply() : async Nat64 { minted };
  public query func sum() : async Nat64 { balances };
};
