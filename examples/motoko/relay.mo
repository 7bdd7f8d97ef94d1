// Passes a greeting on: an update that awaits an update of another canister.
persistent actor Relay {
  var passed : Nat = 0;

  public func pass(greeter : Text, name : Text) : async Text {
    let g : actor { greet : (Text) -> async Text } = actor (greeter);
    let said = await g.greet(name);
    passed += 1;
    "the greeter says: " # said
  };

  public query func count() : async Nat { passed };
}
