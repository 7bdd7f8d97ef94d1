// Compiler: npm motoko@4.10.0
// A shop asks two canisters at once, and holds a lock meanwhile.
persistent actor class Shop(ledger : actor { pay : Nat64 -> async Nat64 }, second : actor { pay : Nat64 -> async Nat64 }) {
  var busy = false;
  var sold = 0;

  public func buy() : async Nat {
    assert not busy;
    busy := true;
    try {
      let payment = ledger.pay(1);
      ignore await second.pay(1);
      ignore await payment;
      sold += 1;
      sold
    } finally { busy := false };
  };
};
