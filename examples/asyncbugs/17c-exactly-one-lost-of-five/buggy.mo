// An election of five votes. The bug is a lost update, and a recount that hides it: fewer than four votes of five are
// counted again. Only where exactly one vote was lost the result is wrong.
persistent actor class Election(ledger : actor { price : () -> async Nat64 }) {
  var votes : Nat64 = 0;
  var voters : Nat64 = 0;

  public func vote() : async () {
    let before = votes;
    ignore await ledger.price();
    votes := before + 1;
    voters += 1;
    if (voters == 5 and votes < 4) votes := voters;
  };

  // How many votes the result lacks when all five are in.
  public query func lost() : async Nat64 { if (voters == 5) voters - votes else 0 };
};
