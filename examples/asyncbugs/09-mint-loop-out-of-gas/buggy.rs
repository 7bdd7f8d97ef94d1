//! A minter: for each of three deposits of 10 it mints 10 tokens. The bug: a deposit counts as minted when the callback
//! has run. If that traps, as at its limit of instructions, the tokens are there, and the next run mints them again.

#[path = "../shared/ic.rs"]
mod ic;

use std::collections::BTreeSet;

const DEPOSITS: [u64; 3] = [1, 2, 3];

#[derive(Default)]
struct Minter {
    ledger: ic::Principal,
    busy: bool,
    minted: BTreeSet<u64>,
}

state!(Minter);
interface!("interface.did");

/// There is one run at a time.
struct Guard;

impl Guard {
    fn new() -> Result<Guard, &'static str> {
        match with(|m| std::mem::replace(&mut m.busy, true)) {
            true => Err("another run is not over"),
            false => Ok(Guard),
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        with(|m| m.busy = false);
    }
}

#[export_name = "canister_init"]
extern "C" fn init() {
    let (ledger,) = ic::argument();
    with(|m| m.ledger = ledger);
}

#[export_name = "canister_update update_balance"]
extern "C" fn update_balance() {
    ic::update(|()| async {
        let _guard = Guard::new()?;
        let ledger = with(|m| m.ledger.clone());
        let mut minted = 0u64;
        for deposit in DEPOSITS {
            if with(|m| m.minted.contains(&deposit)) {
                continue;
            }
            if ic::call(&ledger, "pay", (10u64,)).get::<(u64,)>().await.is_ok() {
                with(|m| m.minted.insert(deposit));
                minted += 1;
            }
        }
        Ok((minted,))
    });
}

#[export_name = "canister_query minted"]
extern "C" fn minted() {
    ic::reply((with(|m| m.minted.len() as u64),));
}
