//! The account without the bug: the payment is booked before the call, so the hook sees what is left.

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
        let paid = ic::call(&ledger, "pay_and_notify", (amount,)).get::<(u64,)>().await;
        if paid.is_err() {
            with(|a| a.balance += amount);
        }
        paid.map_err(|_| "the ledger does not pay")
    });
}

/// The hook: it pays out a remainder of up to 100 and closes the account.
#[export_name = "canister_update on_payment"]
extern "C" fn on_payment() {
    ic::update(|(_,): (u64,)| async {
        let (ledger, rest) = with(|a| (a.ledger.clone(), a.balance));
        if rest > 0 && rest <= 100 {
            with(|a| a.balance = 0);
            if ic::call(&ledger, "pay", (rest,)).get::<(u64,)>().await.is_err() {
                with(|a| a.balance += rest);
            }
        }
        Ok(())
    });
}

#[export_name = "canister_query balance"]
extern "C" fn balance() {
    ic::reply((with(|a| a.balance),));
}
