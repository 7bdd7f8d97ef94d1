// The account without the bug: the money leaves the balance before the call, so no lock is held during it.
persistent actor class Account(peer : actor { receive : Nat64 -> async Bool }) {
  var balance : Nat64 = 100;
  var refused : Nat64 = 0;

  public func send(amount : Nat64) : async Bool {
    if (balance < amount) return false;
    balance -= amount;
    try {
      if (await peer.receive(amount)) return true;
      refused += 1;
    } catch (_) {};
    balance += amount;
    false
  };

  public func receive(amount : Nat64) : async Bool {
    balance += amount;
    true
  };

  // How many payments the other one refused.
  public query func refusals() : async Nat64 { refused };
};
