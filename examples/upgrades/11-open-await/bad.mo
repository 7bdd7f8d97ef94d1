// The next version cannot be installed while a closure of the old one waits: the old module traps in its hook.
persistent actor {
  var sum : Nat = 0;

  public func confirm() : async () {};

  public func pay() : async () {
    await confirm();
    sum += 100;
  };

  public query func total() : async Nat { sum };

  public query func count() : async Nat { sum / 100 };
};
