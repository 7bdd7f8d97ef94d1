// An auction that is closed by a call. A bid is checked before an await, and counts after it.
persistent actor class Auction(ledger : actor { price : () -> async Nat64 }) {
  var best : Nat64 = 10;
  var sold : ?Nat64 = null;

  public func bid(amount : Nat64) : async Bool {
    if (sold != null or amount <= best) return false;
    try { ignore await ledger.price() } catch (_) return false; // the bid is paid here
    best := amount;
    true
  };

  public func close() : async () { if (sold == null) sold := ?best };

  // Null while the invariant holds, or why it does not.
  public query func invariant_sale() : async ?Text {
    let ?price = sold else return null;
    if (price == best) null else ?"a bid counts after the auction was closed"
  };
};
