//! An account of 100 with a ledger that tells its callers of each payment before it replies (a hook). The account then
//! pays out small remainders. The bug: when the hook is called, the payment that caused it is not booked.

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
        let paid = ic::call(&ledger, "pay_and_notify", (amount,)).get::<(u64,)>().await;
        let (payment,) = paid.map_err(|_| "the ledger does not pay")?;
        with(|a| a.balance = a.balance.saturating_sub(amount));
        Ok((payment,))
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
