import Prim "mo:⛔";

persistent actor {
  var names : [Text] = [];

  public func add(name : Text) : async () {
    let before = names;
    names := Prim.Array_tabulate<Text>(before.size() + 1, func i = if (i < before.size()) before[i] else name);
  };

  public query func size() : async Nat { names.size() };
};
