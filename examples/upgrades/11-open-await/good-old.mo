import Prim "mo:⛔";

// Nothing waits: the confirmation is a message of its own, to a public method, which later versions have, too.
persistent actor Self {
  var sum : Nat = 0;

  public func confirm() : () { paid() };

  public func pay() : () { confirm() };

  public shared ({ caller }) func paid() : () {
    assert caller == Prim.principalOfActor(Self);
    sum += 100;
  };

  public query func total() : async Nat { sum };
};
