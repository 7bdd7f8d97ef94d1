/// The interface that mops expects of its package bench, which is in its own registry and not in npm.
module {
  public type Schema = { name : Text; description : Text; rows : [Text]; cols : [Text] };

  public class Bench() {
    var rows_ : [Text] = [];
    var cols_ : [Text] = [];
    var run : (Text, Text) -> () = func(_, _) {};

    public func rows(names : [Text]) = rows_ := names;
    public func cols(names : [Text]) = cols_ := names;
    public func runner(f : (Text, Text) -> ()) = run := f;

    public func getVersion() : Nat = 1;
    public func getSchema() : Schema = { name = "Sums"; description = ""; rows = rows_; cols = cols_ };
    public func runCell(row : Nat, col : Nat) = run(rows_[row], cols_[col]);
  };
};
