// What follows the await is a closure on the heap, which waits for the answer.
persistent actor {
  var sum : Nat = 0;

  public func confirm() : async () {};

  public func pay() : async () {
    await confirm();
    sum += 100;
  };

  public query func total() : async Nat { sum };
};
