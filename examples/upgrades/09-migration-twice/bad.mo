// Each upgrade changes the balance from cents to mills, also the second one.
persistent actor {
  var balance : Nat = 250;

  public query func cents() : async Nat { balance / 10 };

  system func postupgrade() { balance *= 10 };
};
