// An upgrade changes the balance from cents to mills, and notes that it did.
persistent actor {
  var balance : Nat = 250;
  var mills : Bool = false;

  public query func cents() : async Nat { balance / 10 };

  system func postupgrade() {
    if (not mills) {
      balance *= 10;
      mills := true;
    };
  };
};
