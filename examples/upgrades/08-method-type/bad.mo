// The total may be negative: clients of the old interface cannot decode it.
persistent actor {
  var sum : Nat = 5;

  public query func total() : async Int { sum };
};
