// A salary of 100 that a job pays when it is due, by a timer of one minute; a heartbeat would do the same. The bug: the job
// is marked done after the await. If that takes longer than a minute, the timer runs the job again meanwhile.
import Prim "mo:⛔";

persistent actor class Payroll(ledger : actor { pay : Nat64 -> async Nat64 }) {
  var due = false;

  public func work() : async () { due := true };

  system func timer(set : Nat64 -> ()) : async () {
    set(Prim.time() + 60_000_000_000);
    if (not due) return;
    try {
      ignore await ledger.pay(100);
      due := false;
    } catch (_) {};
  };
};
