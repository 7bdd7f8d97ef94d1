persistent actor {
  var balances : [Nat] = [100, 250];

  public query func total() : async Nat {
    var sum = 0;
    for (b in balances.vals()) { sum += b };
    sum;
  };
};
