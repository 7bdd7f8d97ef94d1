// A bank with a bug that no test finds that makes one call after the other: between the
// check of the balance and its change lies an await, and others come in meanwhile.
import Prim "mo:⛔";

persistent actor Bank {
  type Vault = actor { transfer : (Principal, Nat) -> async () };
  var vault : ?Vault = null;
  var accounts : [(Principal, Nat)] = [];

  func balanceOf(who : Principal) : Nat {
    for ((owner, balance) in accounts.vals()) { if (owner == who) return balance };
    0
  };

  func set(who : Principal, balance : Nat) {
    let old = accounts;
    var others = 0;
    for ((owner, _) in old.vals()) { if (owner != who) others += 1 };
    let grown = Prim.Array_init<(Principal, Nat)>(others + 1, (who, balance));
    var i = 0;
    for ((owner, kept) in old.vals()) { if (owner != who) { grown[i] := (owner, kept); i += 1 } };
    accounts := Prim.Array_tabulate<(Principal, Nat)>(others + 1, func(j) = grown[j]);
  };

  public func open(where : Text) : async () { vault := ?(actor (where) : Vault) };

  public shared ({ caller }) func deposit(amount : Nat) : async Nat {
    set(caller, balanceOf(caller) + amount);
    balanceOf(caller)
  };

  public shared ({ caller }) func withdraw(amount : Nat) : async { #paid : Nat; #refused : Text } {
    let ?place = vault else return #refused("the bank is not open");
    let balance = balanceOf(caller);
    if (balance < amount) return #refused("not enough money");
    try { await place.transfer(caller, amount) } catch (_) return #refused("the vault does not pay");
    set(caller, balance - amount : Nat);
    #paid(balance - amount : Nat)
  };

  public shared query ({ caller }) func balance() : async Nat { balanceOf(caller) };
};
