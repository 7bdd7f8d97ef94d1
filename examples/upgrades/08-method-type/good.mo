// Clients of the old interface decode the total as before, and ignore the currency.
persistent actor {
  var sum : Nat = 5;

  public query func total() : async (Nat, ?Text) { (sum, ?"XDR") };
};
