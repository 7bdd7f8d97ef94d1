import Prim "mo:⛔";

// The body of the actor runs after each upgrade, and sets the timer.
persistent actor {
  var paid : Nat = 0;

  ignore Prim.setTimer(3_600_000_000_000, true, func() : async () { paid += 1 });

  public func start() : async () {};

  public query func payments() : async Nat { paid };
};
