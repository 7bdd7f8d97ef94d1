// Greets by name and counts whom it greeted.
persistent actor Greeter {
  var greeted : Nat = 0;

  public func greet(name : Text) : async Text {
    greeted += 1;
    "Hello, " # name # "!"
  };

  public query func count() : async Nat { greeted };
}
