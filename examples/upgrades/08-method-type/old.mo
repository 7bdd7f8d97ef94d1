// The total is a natural number.
persistent actor {
  var sum : Nat = 5;

  public query func total() : async Nat { sum };
};
