// An account for everyone. The money is in the vault, another canister.
import Prim "mo:⛔";

persistent actor class Bank(place : Principal) {
  transient let vault : actor { transfer : (Principal, Nat) -> async () } = actor (debug_show place);
  var accounts : [(Principal, Nat)] = [];

  func balanceOf(who : Principal) : Nat {
    for ((owner, balance) in accounts.vals()) { if (owner == who) return balance };
    0
  };

  func set(who : Principal, balance : Nat) {
    var others : [(Principal, Nat)] = [];
    for ((owner, kept) in accounts.vals()) {
      if (owner != who) others := Prim.Array_tabulate<(Principal, Nat)>(others.size() + 1, func(i) = if (i < others.size()) others[i] else (owner, kept));
    };
    let rest = others;
    accounts := Prim.Array_tabulate<(Principal, Nat)>(rest.size() + 1, func(i) = if (i < rest.size()) rest[i] else (who, balance));
  };

  public shared ({ caller }) func deposit(amount : Nat) : async Nat {
    set(caller, balanceOf(caller) + amount);
    balanceOf(caller)
  };

  // The account changes before the await: while the bank waits for the vault, it takes other messages. Move the line of set
  // after the await, and canisterd explore finds two withdrawals of the same money.
  public shared ({ caller }) func withdraw(amount : Nat) : async { #paid : Nat; #refused : Text } {
    let balance = balanceOf(caller);
    if (balance < amount) return #refused("not enough money");
    set(caller, balance - amount : Nat);
    try { await vault.transfer(caller, amount) } catch (_) {
      set(caller, balanceOf(caller) + amount);
      return #refused("the vault does not pay");
    };
    #paid(balanceOf(caller))
  };

  public shared query ({ caller }) func balance() : async Nat { balanceOf(caller) };
};
