// Amounts are in mills, tenths of a cent: the type of the variable is the same, and what it means is not.
persistent actor {
  var balance : Nat = 0;

  public func deposit(cents : Nat) : async () { balance += cents * 10 };

  public query func cents() : async Nat { balance / 10 };
};
