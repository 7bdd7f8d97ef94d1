// A payment of 100 with a journal, from which recover repeats what was started and not done. The bug: the entry "paid" is
// written in the callback that then fills a report. If the report traps, the entry is undone with it: nothing is
// committed before the message ends. Recover pays again.
persistent actor class Payer(ledger : actor { pay : Nat64 -> async Nat64 }) {
  var journal : { #empty; #started; #paid } = #empty;
  var busy = false;
  var lines = 0;

  public func note() : async () {
    assert lines < 2;
    lines += 1;
  };

  func payment() : async* () {
    if busy return;
    busy := true;
    try {
      journal := #started;
      ignore await ledger.pay(100);
      journal := #paid;
      assert lines < 2; // the report is full
      lines += 1;
    } catch (_) { journal := #empty } finally { busy := false };
  };

  public func pay() : async () { if (journal == #empty) await* payment() };

  public func recover() : async () { if (journal == #started) await* payment() };
};
