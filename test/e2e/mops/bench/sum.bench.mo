import Array "mo:core/Array";
import Bench "mo:bench";
import { sum } "../src/lib";

module {
  public func init() : Bench.Bench {
    let bench = Bench.Bench();
    bench.rows(["sum"]);
    bench.cols(["10", "1000"]);
    bench.runner(func(_, col) = ignore sum(Array.repeat(1, if (col == "10") 10 else 1000)));
    bench;
  };
};
