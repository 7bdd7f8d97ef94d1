// An escrow pays 20 for each delivery. It counts a delivery after the payment.
persistent actor class Escrow(ledger : actor { pay : Nat64 -> async Nat64 }) {
  var count : Nat64 = 0;

  public func delivered() : async Bool {
    try { ignore await ledger.pay(20) } catch (_) return false;
    count += 1;
    true
  };

  public query func deliveries() : async Nat64 { count };
};
