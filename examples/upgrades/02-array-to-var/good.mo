import Prim "mo:⛔";

// The array stays what it is, and is replaced by a changed one.
persistent actor {
  var balances : [Nat] = [100, 250];

  public func set(account : Nat, balance : Nat) : async () {
    balances := Prim.Array_tabulate<Nat>(balances.size(), func i = if (i == account) balance else balances[i]);
  };

  public query func total() : async Nat {
    var sum = 0;
    for (b in balances.vals()) { sum += b };
    sum;
  };
};
