import Prim "mo:⛔";

// A queue that is paid at once, or else by a timer. The lock expires before the timer fires again.
persistent actor class Queue(ledger : actor { pay_once : (Nat64, Nat64) -> async Nat64 }) {
  var waiting : Nat64 = 0;
  var payments : Nat64 = 0;
  var until : Nat64 = 0;

  func drain() : async* () {
    if (Prim.time() < until or waiting == 0) return;
    until := Prim.time() + 30_000_000_000;
    let amount = waiting;
    ignore await ledger.pay_once(payments, amount);
    payments += 1;
    waiting -= amount;
    until := 0;
  };

  public func push() : async () {
    waiting += 1;
    await* drain();
  };

  system func timer(set : Nat64 -> ()) : async () {
    set(Prim.time() + 60_000_000_000);
    await* drain();
  };

  public query func length() : async Nat64 { waiting };
};
