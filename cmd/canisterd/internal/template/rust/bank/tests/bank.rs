//! Run with canisterd exec --deploy . -- cargo test: it gives the tests a network of their own, with the canisters of the
//! project.

use std::process::Command;

fn canisterd(arguments: &[&str]) -> String {
    let output = Command::new("canisterd").arg("canister").args(arguments).output().expect("canisterd is on the PATH");
    assert!(output.status.success(), "canisterd canister {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the output is text").trim().to_string()
}

#[test]
fn what_is_deposited_can_be_withdrawn_once() {
    assert_eq!(canisterd(&["call", "bank", "deposit", "100"]), "(100 : nat64)");
    assert_eq!(canisterd(&["call", "bank", "withdraw", "60"]), "(variant { Ok = 40 : nat64 })");
    assert_eq!(canisterd(&["call", "bank", "withdraw", "60"]), r#"(variant { Err = "not enough money" })"#);
    assert_eq!(canisterd(&["query", "bank", "balance"]), "(40 : nat64)");
    assert_eq!(canisterd(&["query", "vault", "paid_out"]), "(60 : nat64)");
}
