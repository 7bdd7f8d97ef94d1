import Prim "mo:⛔";

// A recurring timer, which the owner starts once.
persistent actor {
  var paid : Nat = 0;

  public func start() : async () { ignore Prim.setTimer(3_600_000_000_000, true, func() : async () { paid += 1 }) };

  public query func payments() : async Nat { paid };
};
