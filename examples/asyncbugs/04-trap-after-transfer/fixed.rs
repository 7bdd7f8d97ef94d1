//! The account without the bug: the payment is booked before the await. Whatever happens to the callback, what was paid
//! is off the balance.

#[path = "../shared/ic.rs"]
mod ic;

const STATISTICS: usize = 2;

#[derive(Default)]
struct Account {
    ledger: ic::Principal,
    balance: u64,
    busy: bool,
    statistics: Vec<u64>,
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
        with(|a| a.balance -= amount);
        match ic::call(&ledger, "pay", (amount,)).get::<(u64,)>().await {
            Ok((payment,)) => {
                with(|a| {
                    if a.statistics.len() == STATISTICS {
                        ic::trap("the statistics are full");
                    }
                    a.statistics.push(amount);
                });
                Ok((payment,))
            }
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
