//! The minter without the bug: outputs that were spent are remembered for ever. What a list says that was asked for
//! before an await is compared with all that was ever minted.

#[path = "../shared/ic.rs"]
mod ic;

use std::collections::BTreeSet;

const MINUTE: u64 = 60_000_000_000;

#[derive(Default)]
struct Minter {
    ledger: ic::Principal,
    consolidating: bool,
    known: BTreeSet<u64>,
    spent: BTreeSet<u64>,
}

state!(Minter);
interface!("interface.did");

#[export_name = "canister_init"]
extern "C" fn init() {
    let (ledger,) = ic::argument();
    with(|m| m.ledger = ledger);
    ic::wake_after(MINUTE);
}

#[export_name = "canister_update update_balance"]
extern "C" fn update_balance() {
    ic::update(|()| async {
        let ledger = with(|m| m.ledger.clone());
        let (outpoint,) = ic::call(&ledger, "outpoint", ()).get::<(u64,)>().await.map_err(|_| "no outputs")?;
        let (price,) = ic::call(&ledger, "price", ()).get::<(u64,)>().await.map_err(|_| "no price")?;
        if outpoint == 0 || price == 0 || !with(|m| !m.spent.contains(&outpoint) && m.known.insert(outpoint)) {
            return Ok((0u64,));
        }
        ic::call(&ledger, "pay", (10u64,)).get::<(u64,)>().await.map_err(|_| "the ledger does not mint")
    });
}

#[export_name = "canister_global_timer"]
extern "C" fn consolidate() {
    ic::wake_after(MINUTE);
    if with(|m| m.known.is_empty() || std::mem::replace(&mut m.consolidating, true)) {
        return;
    }
    ic::spawn(async {
        let ledger = with(|m| m.ledger.clone());
        let all = with(|m| m.known.clone());
        let listed = ic::call(&ledger, "outpoint", ()).get::<(u64,)>().await.is_ok();
        if listed && ic::call(&ledger, "price", ()).get::<(u64,)>().await.is_ok() {
            for outpoint in all {
                if ic::call(&ledger, "spend", (outpoint,)).get::<(u64,)>().await.is_ok() {
                    with(|m| {
                        m.known.remove(&outpoint);
                        m.spent.insert(outpoint)
                    });
                }
            }
        }
        with(|m| m.consolidating = false);
    });
}
