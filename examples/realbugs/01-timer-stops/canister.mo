// Compiler: npm motoko@4.10.0
import Prim "mo:⛔";

// A counter of the times that a recurring timer has fired.
persistent actor class Sweeper() {
  var swept = 0;
  transient let every = Prim.setTimer<system>(60_000_000_000, true, func() : async () { swept += 1 });

  public func restart() : async Nat { every };
  public query func sweeps() : async Nat { swept };
};
