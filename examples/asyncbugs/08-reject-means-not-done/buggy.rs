//! An account of 100 that pays by best-effort calls. The bug: it takes each reject for "not paid". After SYS_UNKNOWN
//! the ledger may have paid, and the money is back in the account.

#[path = "../shared/ic.rs"]
mod ic;

#[derive(Default)]
struct Account {
    ledger: ic::Principal,
    balance: u64,
}

state!(Account);
interface!("interface.did");

#[export_name = "canister_init"]
extern "C" fn init() {
    let (ledger,) = ic::argument();
    with(|a| {
        a.ledger = ledger;
        a.balance = 100;
    });
}

#[export_name = "canister_update withdraw"]
extern "C" fn withdraw() {
    ic::update(|(amount,): (u64,)| async move {
        let (ledger, balance) = with(|a| (a.ledger.clone(), a.balance));
        if balance < amount {
            return Err("not enough money");
        }
        with(|a| a.balance -= amount);
        match ic::call(&ledger, "pay", (amount,)).at_most(60).get::<(u64,)>().await {
            Ok((payment,)) => Ok((payment,)),
            Err(_) => {
                with(|a| a.balance += amount);
                Err("the ledger does not pay")
            }
        }
    });
}

#[export_name = "canister_query balance"]
extern "C" fn balance() {
    ic::reply((with(|a| a.balance),));
}
