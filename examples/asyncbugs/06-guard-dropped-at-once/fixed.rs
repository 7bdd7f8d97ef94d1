//! The account without the bug: the guard has a name, so it lives until the method ends.

#[path = "../shared/ic.rs"]
mod ic;

#[derive(Default)]
struct Account {
    ledger: ic::Principal,
    balance: u64,
    busy: bool,
}

state!(Account);
interface!("interface.did");

/// There is one withdrawal at a time.
struct Guard;

impl Guard {
    fn new() -> Result<Guard, &'static str> {
        match with(|a| std::mem::replace(&mut a.busy, true)) {
            true => Err("another withdrawal is not over"),
            false => Ok(Guard),
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        with(|a| a.busy = false);
    }
}

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
        let _guard = Guard::new()?;
        let (ledger, balance) = with(|a| (a.ledger.clone(), a.balance));
        if balance < amount {
            return Err("not enough money");
        }
        ic::call(&ledger, "price", ()).get::<(u64,)>().await.map_err(|_| "the ledger has no price")?;
        with(|a| a.balance = balance - amount);
        match ic::call(&ledger, "pay", (amount,)).get::<(u64,)>().await {
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
