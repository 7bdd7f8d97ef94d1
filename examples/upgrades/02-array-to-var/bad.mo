// The array was made mutable, to change balances in place.
persistent actor {
  var balances : [var Nat] = [var 100, 250];

  public func set(account : Nat, balance : Nat) : async () { balances[account] := balance };

  public query func total() : async Nat {
    var sum = 0;
    for (b in balances.vals()) { sum += b };
    sum;
  };
};
