// A queue of two payments, 10 and 30. The first is taken out of the queue after it was paid.
persistent actor class Queue(ledger : actor { pay : Nat64 -> async Nat64 }) {
  let items : [Nat64] = [10, 30];
  var first = 0;
  var paid : Nat64 = 0;

  public func pop() : async Bool {
    if (first >= items.size()) return false;
    let amount = items[first];
    try { ignore await ledger.pay(amount) } catch (_) return false;
    first += 1;
    paid += amount;
    true
  };

  public query func delivered() : async Nat64 { paid };
  public query func queued() : async Nat64 {
    var sum : Nat64 = 0;
    var at = first;
    while (at < items.size()) { sum += items[at]; at += 1 };
    sum
  };
};
