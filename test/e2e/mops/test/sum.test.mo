import Prim "mo:⛔";
import { sum } "../src";

// The prints are the reports that mops reads: the name of a test, and that it has passed.
persistent actor {
  public func runTests() : async () {
    Prim.debugPrint("mops:1:start the sum of nothing");
    assert sum([]) == 0;
    Prim.debugPrint("mops:1:end the sum of nothing");
    Prim.debugPrint("sums are tested in a canister");
  };
};
