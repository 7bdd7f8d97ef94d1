// An auction holds the highest bid. A bidder who is outbid gets the money back.
persistent actor class Auction(ledger : actor { price : () -> async Nat64 }) {
  var highest : Nat64 = 0;
  var received : Nat64 = 0;
  var refunded : Nat64 = 0;

  public func bid(amount : Nat64) : async Bool {
    if (amount == 0 or amount > 1_000 or amount <= highest) return false;
    try { ignore await ledger.price() } catch (_) return false; // the bid is paid here
    received += amount;
    if (amount <= highest) { refunded += amount; return false }; // outbid during the await
    refunded += highest;
    highest := amount;
    true
  };

  public query func held() : async Nat64 { received - refunded };
  public query func highestBid() : async Nat64 { highest };
};
