//! The minter without the bug: a deposit is marked as asked for before the await, and the mark goes where the outcome is
//! known. If the callback traps, the mark is kept: the deposit is not minted again, and a person may look at it.

#[path = "../shared/ic.rs"]
mod ic;

use std::collections::BTreeSet;

const DEPOSITS: [u64; 3] = [1, 2, 3];

#[derive(Default)]
struct Minter {
    ledger: ic::Principal,
    minted: BTreeSet<u64>,
    asked: BTreeSet<u64>, // may be minted or not
}

state!(Minter);
interface!("interface.did");

#[export_name = "canister_init"]
extern "C" fn init() {
    let (ledger,) = ic::argument();
    with(|m| m.ledger = ledger);
}

#[export_name = "canister_update update_balance"]
extern "C" fn update_balance() {
    ic::update(|()| async {
        let ledger = with(|m| m.ledger.clone());
        let mut minted = 0u64;
        for deposit in DEPOSITS {
            if with(|m| m.minted.contains(&deposit) || !m.asked.insert(deposit)) {
                continue;
            }
            let answer = ic::call(&ledger, "pay", (10u64,)).get::<(u64,)>().await;
            with(|m| m.asked.remove(&deposit));
            if answer.is_ok() {
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
