// An escrow pays 20 for each delivery. It counts a delivery before the payment.
persistent actor class Escrow(ledger : actor { pay : Nat64 -> async Nat64 }) {
  var count : Nat64 = 0;

  public func delivered() : async Bool {
    count += 1;
    try { ignore await ledger.pay(20); true } catch (_) {
      count -= 1;
      false
    }
  };

  public query func deliveries() : async Nat64 { count };
};
