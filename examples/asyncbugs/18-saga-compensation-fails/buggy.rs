//! A swap in two steps: 100 leave the first ledger, and 100 the second. If the second does not pay, the first payment is
//! taken back. The bug: where that fails too, nothing remembers it.

#[path = "../shared/ic.rs"]
mod ic;

#[derive(Default)]
struct Swap {
    first: ic::Principal,
    second: ic::Principal,
    swapped: u64,
}

state!(Swap);
interface!("interface.did");

#[export_name = "canister_init"]
extern "C" fn init() {
    let (first, second) = ic::argument();
    with(|s| {
        s.first = first;
        s.second = second;
    });
}

#[export_name = "canister_update swap"]
extern "C" fn swap() {
    ic::update(|()| async {
        let (first, second) = with(|s| (s.first.clone(), s.second.clone()));
        with(|s| s.swapped += 100);
        if ic::call(&first, "pay", (100u64,)).get::<(u64,)>().await.is_err() {
            with(|s| s.swapped -= 100);
            return Err("the first ledger does not pay");
        }
        match ic::call(&second, "pay", (100u64,)).get::<(u64,)>().await {
            Ok((payment,)) => Ok((payment,)),
            Err(_) => {
                with(|s| s.swapped -= 100);
                let _ = ic::call(&first, "collect", (100u64,)).get::<(u64,)>().await;
                Err("the second ledger does not pay")
            }
        }
    });
}

/// What the canister knows of: what was swapped, or is being swapped.
#[export_name = "canister_query accounted"]
extern "C" fn accounted() {
    ic::reply((with(|s| s.swapped),));
}
