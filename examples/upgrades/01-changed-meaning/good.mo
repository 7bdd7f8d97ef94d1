// Amounts are in mills, tenths of a cent. The cents of earlier versions stay what they are.
persistent actor {
  var balance : Nat = 0;
  var mills : Nat = 0;

  public func deposit(cents : Nat) : async () { balance += cents };

  public query func cents() : async Nat { balance + mills / 10 };
};
