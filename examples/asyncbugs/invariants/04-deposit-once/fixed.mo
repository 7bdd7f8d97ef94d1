// A bank credits the one deposit of 50 that was paid to it. It checks and marks the deposit in the same message.
persistent actor class Bank(ledger : actor { price : () -> async Nat64 }) {
  var done = false;
  var balance : Nat64 = 0;

  public func notify() : async Bool {
    try { ignore await ledger.price() } catch (_) return false; // looks up the payment
    if (done) return false;
    done := true;
    balance += 50;
    true
  };

  public query func credited() : async Nat64 { balance };
};
