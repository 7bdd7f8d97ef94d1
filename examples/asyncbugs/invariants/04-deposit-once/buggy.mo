// A bank credits the one deposit of 50 that was paid to it. It marks the deposit as credited after an await.
persistent actor class Bank(ledger : actor { price : () -> async Nat64 }) {
  var done = false;
  var balance : Nat64 = 0;

  public func notify() : async Bool {
    if (done) return false;
    try { ignore await ledger.price() } catch (_) return false; // looks up the payment
    done := true;
    balance += 50;
    true
  };

  public query func credited() : async Nat64 { balance };
};
