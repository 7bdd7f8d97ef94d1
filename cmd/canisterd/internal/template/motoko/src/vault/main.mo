// Keeps the money of the bank, and pays what the bank asks for.
persistent actor Vault {
  var money : Nat = 1_000;
  var paid : Nat = 0;

  public func transfer(_to : Principal, amount : Nat) : async () {
    assert amount <= money;
    money -= amount;
    paid += amount;
  };

  public query func paidOut() : async Nat { paid };
};
