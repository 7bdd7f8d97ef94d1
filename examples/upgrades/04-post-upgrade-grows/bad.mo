import Prim "mo:⛔";

// The letters of all names are counted again after each upgrade.
persistent actor {
  var names : [Text] = [];
  transient var letters : Nat = 0;

  public func add(name : Text) : async () {
    let before = names;
    names := Prim.Array_tabulate<Text>(before.size() + 1, func i = if (i < before.size()) before[i] else name);
    count(name);
  };

  public query func size() : async Nat { names.size() };

  public query func all() : async Nat { letters };

  func count(name : Text) {
    for (c in name.chars()) {
      if (Prim.charIsAlphabetic(c)) { letters += 1 };
    };
  };

  system func postupgrade() {
    for (name in names.vals()) { count(name) };
  };
};
