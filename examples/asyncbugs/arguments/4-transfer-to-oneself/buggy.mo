import Prim "mo:⛔";

// A token with three accounts. The price of a transfer comes from the ledger.
persistent actor class Token(ledger : actor { price : () -> async Nat64 }) {
  let balances : [var Nat64] = [var 40, 30, 30];
  var busy = false;

  public func transfer(from : Nat8, to : Nat8, amount : Nat64) : async Bool {
    if (busy or from > 2 or to > 2) return false;
    busy := true;
    try {
      let (left, right) = (Prim.nat8ToNat(from), Prim.nat8ToNat(to));
      let (mine, yours) = (balances[left], balances[right]);
      ignore await ledger.price();
      if (amount > mine) return false;
      balances[left] := mine - amount;
      balances[right] := yours + amount;
      true
    } finally { busy := false }
  };

  public query func total() : async Nat64 { balances[0] + balances[1] + balances[2] };
};
