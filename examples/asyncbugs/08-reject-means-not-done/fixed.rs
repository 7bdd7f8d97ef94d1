//! The account without the bug: each payment has an id by which the ledger pays once. Where the outcome is unknown, the
//! money stays off the account, and the same payment is asked for again by a call with guaranteed response.

#[path = "../shared/ic.rs"]
mod ic;

#[derive(Default)]
struct Account {
    ledger: ic::Principal,
    balance: u64,
    payments: u64,
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
        let id = with(|a| {
            a.balance -= amount;
            a.payments += 1;
            a.payments
        });
        let mut paid = ic::call(&ledger, "pay_once", (id, amount)).at_most(60).get::<(u64,)>().await;
        if let Err(ic::Reject { code: ic::SYS_UNKNOWN }) = paid {
            paid = ic::call(&ledger, "pay_once", (id, amount)).get::<(u64,)>().await;
        }
        match paid {
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
