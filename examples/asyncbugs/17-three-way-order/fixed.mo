// The purchase without the bug: settle looks at all that decides after its await.
persistent actor class Purchase(ledger : actor { price : () -> async Nat64; pay : Nat64 -> async Nat64 }) {
  var approved = false;
  var settled = false;
  var cancelled = false;

  public func settle() : async Bool {
    if (settled or cancelled) return false;
    ignore await ledger.price();
    if (not approved or settled or cancelled) return false;
    settled := true;
    ignore await ledger.pay(100);
    true
  };

  public func approve() : async Bool {
    ignore await ledger.price();
    if cancelled return false;
    approved := true;
    true
  };

  public func cancel() : async Bool {
    if (settled or cancelled) return false;
    cancelled := true;
    if approved ignore await ledger.pay(100);
    true
  };
};
