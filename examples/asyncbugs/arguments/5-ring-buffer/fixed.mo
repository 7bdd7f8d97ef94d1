// A queue of three payments in a ring.
persistent actor class Queue(ledger : actor { pay : Nat64 -> async Nat64 }) {
  let ring : [var Nat64] = [var 0, 0, 0];
  var head = 0;
  var size = 0;
  var queued : Nat64 = 0; // what the payments in the queue come to
  var busy = false;

  public func push(amount : Nat64) : async Bool {
    if (amount == 0 or amount > 1_000) return false;
    if (size >= 3) return false;
    let at = (head + size) % 3;
    ring[at] := amount;
    queued += amount;
    size += 1;
    true
  };

  public func pop() : async Bool {
    if (busy or size == 0) return false;
    busy := true;
    let amount = ring[head];
    try { ignore await ledger.pay(amount) } catch (_) { busy := false; return false };
    head := (head + 1) % 3;
    size -= 1;
    queued := if (queued > amount) queued - amount else 0;
    busy := false;
    true
  };

  public query func length() : async Nat { size };
  public query func total() : async Nat64 { queued };
};
