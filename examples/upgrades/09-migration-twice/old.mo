// The balance is in cents.
persistent actor {
  var balance : Nat = 250;

  public query func cents() : async Nat { balance };
};
