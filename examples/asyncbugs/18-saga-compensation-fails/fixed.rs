//! The swap without the bug: a journal says before the first step what may have left the first ledger. The entry is
//! closed where both steps or neither of them count; a timer would try again what is open.

#[path = "../shared/ic.rs"]
mod ic;

#[derive(Default)]
struct Swap {
    first: ic::Principal,
    second: ic::Principal,
    swapped: u64,
    open: u64,
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
        with(|s| s.open += 100);
        let mut settled = true;
        let mut answer = Err("the first ledger does not pay");
        if ic::call(&first, "pay", (100u64,)).get::<(u64,)>().await.is_ok() {
            answer = ic::call(&second, "pay", (100u64,)).get::<(u64,)>().await.map_err(|_| "the second ledger does not pay");
            if answer.is_err() {
                settled = ic::call(&first, "collect", (100u64,)).get::<(u64,)>().await.is_ok();
            }
        }
        with(|s| {
            if settled {
                s.open -= 100;
            }
            if answer.is_ok() {
                s.swapped += 100;
            }
        });
        answer
    });
}

/// What the canister knows of: what was swapped, and what is open.
#[export_name = "canister_query accounted"]
extern "C" fn accounted() {
    ic::reply((with(|s| s.swapped + s.open),));
}
