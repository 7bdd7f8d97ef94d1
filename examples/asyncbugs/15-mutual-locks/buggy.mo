// One of two accounts that send each other money. The bug: the lock is held while the other one is called, and the other
// one is locked because it calls this one. Both refuse, and if both try again, both refuse again.
persistent actor class Account(peer : actor { receive : Nat64 -> async Bool }) {
  var balance : Nat64 = 100;
  var locked = false;
  var refused : Nat64 = 0;

  public func send(amount : Nat64) : async Bool {
    if (locked or balance < amount) return false;
    locked := true;
    try {
      if (await peer.receive(amount)) {
        balance -= amount;
        true
      } else {
        refused += 1;
        false
      }
    } catch (_) false finally { locked := false }
  };

  public func receive(amount : Nat64) : async Bool {
    if locked return false;
    balance += amount;
    true
  };

  // How many payments the other one refused.
  public query func refusals() : async Nat64 { refused };
};
