// The payment without the bug: a call to itself commits the entry before the report is filled. The payment has an id by
// which the ledger pays once, so that recover may repeat it even if the callback traps before that.
persistent actor class Payer(ledger : actor { pay_once : (Nat64, Nat64) -> async Nat64 }) = self {
  var journal : { #empty; #started; #paid } = #empty;
  var busy = false;
  var lines = 0;

  public func note() : async () {
    assert lines < 2;
    lines += 1;
  };

  public func commit() : async () {};

  func payment() : async* () {
    if busy return;
    busy := true;
    try {
      journal := #started;
      ignore await ledger.pay_once(1, 100);
      journal := #paid;
      await self.commit();
      assert lines < 2; // the report is full
      lines += 1;
    } catch (_) { if (journal == #started) journal := #empty } finally { busy := false };
  };

  public func pay() : async () { if (journal == #empty) await* payment() };

  public func recover() : async () { if (journal == #started) await* payment() };
};
