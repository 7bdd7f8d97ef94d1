// The withdrawals without the bug: what cannot be paid is set aside, and the queue goes on.
import Prim "mo:⛔";

persistent actor class Minter(ledger : actor { price : () -> async Nat64; pay : Nat64 -> async Nat64 }) {
  type Queue = ?(Nat64, Queue);
  var queue : Queue = null;
  var aside : Queue = null; // for a person to look at
  var tries = 0; // of the head of the queue
  var busy = false;

  func append(q : Queue, amount : Nat64) : Queue {
    switch q {
      case null { ?(amount, null) };
      case (?(head, tail)) { ?(head, append(tail, amount)) };
    }
  };

  func pop() {
    let ?(_, tail) = queue else return;
    queue := tail;
    tries := 0;
  };

  public func request(amount : Nat64) : async () { queue := append(queue, amount) };

  system func timer(set : Nat64 -> ()) : async () {
    set(Prim.time() + 60_000_000_000);
    if busy return;
    let ?(amount, _) = queue else return;
    busy := true;
    tries += 1;
    try {
      let fee = await ledger.price();
      if (amount < fee) aside := append(aside, amount) else ignore await ledger.pay(amount - fee);
      pop();
    } catch (_) {} finally { busy := false };
  };

  // Whether the head of the queue was tried more often than a bad day explains.
  public query func stuck() : async Bool { tries >= 4 };
};
