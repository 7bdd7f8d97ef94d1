// The election without the bug: a vote is counted after the await, in one message.
persistent actor class Election(ledger : actor { price : () -> async Nat64 }) {
  var votes : Nat64 = 0;
  var voters : Nat64 = 0;

  public func vote() : async () {
    ignore await ledger.price();
    votes += 1;
    voters += 1;
    if (voters == 5 and votes < 4) votes := voters;
  };

  // How many votes the result lacks when all five are in.
  public query func lost() : async Nat64 { if (voters == 5) voters - votes else 0 };
};
