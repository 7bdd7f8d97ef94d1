/// Sums, as a package of mops.
module {
  public func sum(numbers : [Nat]) : Nat {
    var total = 0;
    for (n in numbers.vals()) total += n;
    total;
  };
};
