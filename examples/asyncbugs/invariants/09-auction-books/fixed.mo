// An auction refunds the bidder who is outbid. It reads the highest bid after the await.
persistent actor class Auction(ledger : actor { price : () -> async Nat64 }) {
  var best : Nat64 = 0;
  var income : Nat64 = 0;
  var back : Nat64 = 0;

  public func bid(amount : Nat64) : async Bool {
    try { ignore await ledger.price() } catch (_) return false; // the bid is paid here
    income += amount;
    if (amount <= best) { back += amount; return false };
    back += best;
    best := amount;
    true
  };

  public query func highest() : async Nat64 { best };
  public query func received() : async Nat64 { income };
  public query func refunded() : async Nat64 { back };
};
