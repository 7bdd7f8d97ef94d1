import Prim "mo:⛔";

// The index is built from all names after each upgrade.
persistent actor {
  var names : [Text] = [];
  transient var letters : Nat = 0;

  public func add(name : Text) : async () {
    let before = names;
    names := Prim.Array_tabulate<Text>(before.size() + 1, func i = if (i < before.size()) before[i] else name);
    letters += name.size();
  };

  public query func size() : async Nat { names.size() };

  public query func all() : async Nat { letters };

  system func postupgrade() {
    for (name in names.vals()) { letters += name.size() };
  };
};
