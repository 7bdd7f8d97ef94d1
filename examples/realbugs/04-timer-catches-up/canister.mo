// Compiler: npm motoko@3.5.4
import Prim "mo:⛔";

// A counter of the times that a recurring timer has fired.
actor class Counter() {
  var fired = 0;
  ignore Prim.setTimer(60_000_000_000, true, func() : async () { fired += 1 });

  public func reset() : async () { fired := 0 };
  public query func count() : async Nat { fired };
};
