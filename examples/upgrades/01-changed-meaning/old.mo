// Amounts are in cents.
persistent actor {
  var balance : Nat = 0;

  public func deposit(cents : Nat) : async () { balance += cents };

  public query func cents() : async Nat { balance };
};
