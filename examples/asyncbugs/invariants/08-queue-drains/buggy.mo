import Prim "mo:⛔";

// A queue that is paid at once, or else by a timer. If the ledger rejects a payment, the lock stays.
persistent actor class Queue(ledger : actor { pay_once : (Nat64, Nat64) -> async Nat64 }) {
  var waiting : Nat64 = 0;
  var payments : Nat64 = 0;
  var busy = false;

  func drain() : async* () {
    if (busy or waiting == 0) return;
    busy := true;
    let amount = waiting;
    ignore await ledger.pay_once(payments, amount);
    payments += 1;
    waiting -= amount;
    busy := false;
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
