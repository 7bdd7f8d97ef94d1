// Where the money lies: it pays whomever the bank names.
persistent actor Vault {
  var money : Nat = 1_000;
  var paid : Nat = 0;

  public func transfer(_to : Principal, amount : Nat) : async () {
    assert amount <= money;
    money -= amount;
    paid += amount;
  };

  // What was paid out so far.
  public query func paidOut() : async Nat { paid };
};
