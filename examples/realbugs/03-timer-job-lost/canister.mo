// Compiler: npm motoko@3.6.16
import Prim "mo:⛔";

// An order is paid by a timer that fires once.
actor class Shop(ledger : actor { pay : Nat64 -> async Nat64 }) {
  var ordered = 0;
  var paid = 0;

  public func order() : async Nat {
    ordered += 1;
    ignore Prim.setTimer<system>(1_000_000_000, false, func() : async () { ignore await ledger.pay(1); paid += 1 });
    ordered
  };
  public query func waiting() : async Nat { ordered - paid : Nat };
};
