import Prim "mo:⛔";

// The next version gets the confirmation of a payment that began in the old one.
persistent actor Self {
  var sum : Nat = 0;

  public func confirm() : () { paid() };

  public func pay() : () { confirm() };

  public shared ({ caller }) func paid() : () {
    assert caller == Prim.principalOfActor(Self);
    sum += 100;
  };

  public query func total() : async Nat { sum };

  public query func count() : async Nat { sum / 100 };
};
