// Points that grow with a bonus from another canister. The bug: the sum is read before the await and written after it,
// so what others added meanwhile is lost.
persistent actor class Points(ledger : actor { price : () -> async Nat64 }) {
  var points : Nat64 = 0;
  var earned : Nat64 = 0; // the same sum, for comparison

  public func earn(amount : Nat64) : async Nat64 {
    let before = points;
    let bonus = await ledger.price();
    points := before + amount + bonus;
    earned += amount + bonus;
    points
  };

  // How many points were lost.
  public query func lost() : async Nat64 { earned - points };
};
