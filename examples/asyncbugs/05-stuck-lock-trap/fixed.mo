// The account without the bug: finally releases the lock. It also runs in the cleanup callback, after a trap. If the
// cleanup traps too, a timer releases the lock.
import Prim "mo:⛔";

persistent actor class Account(ledger : actor { pay : Nat64 -> async Nat64 }) {
  var balance : Nat64 = 100;
  var locked = false;

  func unlock() : async () { locked := false };

  public func withdraw(amount : Nat64) : async Bool {
    if (locked or balance < amount) return false;
    locked := true;
    let timer = Prim.setTimer<system>(60_000_000_000, false, unlock);
    balance -= amount;
    try {
      ignore await ledger.pay(amount);
      true
    } catch (_) {
      balance += amount;
      false
    } finally {
      Prim.cancelTimer(timer);
      locked := false;
    }
  };

  public query func ready() : async Bool { not locked };
};
