import Prim "mo:⛔";

// The timer is not saved in an upgrade, and nothing sets it again.
persistent actor {
  var paid : Nat = 0;

  public func start() : async () { ignore Prim.setTimer(3_600_000_000_000, true, func() : async () { paid += 1 }) };

  public query func payments() : async Nat { paid };

  public query func version() : async Nat { 2 };
};
