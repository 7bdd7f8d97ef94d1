// The points without the bug: they are read and written after the await, in the same message.
persistent actor class Points(ledger : actor { price : () -> async Nat64 }) {
  var points : Nat64 = 0;
  var earned : Nat64 = 0; // the same sum, for comparison

  public func earn(amount : Nat64) : async Nat64 {
    let bonus = await ledger.price();
    points += amount + bonus;
    earned += amount + bonus;
    points
  };

  // How many points were lost.
  public query func lost() : async Nat64 { earned - points };
};
