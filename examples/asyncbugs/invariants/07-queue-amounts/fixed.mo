// A queue of two payments, 10 and 30. One payment is made at a time.
persistent actor class Queue(ledger : actor { pay : Nat64 -> async Nat64 }) {
  let items : [Nat64] = [10, 30];
  var first = 0;
  var paid : Nat64 = 0;
  var busy = false;

  public func pop() : async Bool {
    if (busy or first >= items.size()) return false;
    busy := true;
    try {
      let amount = items[first];
      ignore await ledger.pay(amount);
      first += 1;
      paid += amount;
      true
    } catch (_) { false } finally { busy := false };
  };

  public query func delivered() : async Nat64 { paid };
  public query func queued() : async Nat64 {
    var sum : Nat64 = 0;
    var at = first;
    while (at < items.size()) { sum += items[at]; at += 1 };
    sum
  };
};
