//! The callee of all bugs: a ledger that pays. It has no bug; what goes wrong goes wrong in its callers.

mod ic;

use std::collections::BTreeMap;

struct Ledger {
    money: u64,
    paid: u64,
    payments: u64,
    price: u64,
    spent: bool,
    once: BTreeMap<u64, u64>, // payments by the ids that callers gave
}

impl Default for Ledger {
    fn default() -> Ledger {
        Ledger { money: 0, paid: 0, payments: 0, price: 1, spent: false, once: BTreeMap::new() }
    }
}

state!(Ledger);
interface!("ledger.did");

impl Ledger {
    /// Pays, and gives the number of the payment.
    fn pay(&mut self, amount: u64) -> u64 {
        if amount > self.money {
            ic::trap("the ledger has too little money");
        }
        self.money -= amount;
        self.paid += amount;
        self.payments += 1;
        self.payments
    }
}

#[export_name = "canister_init"]
extern "C" fn init() {
    let (money,): (u64,) = ic::argument();
    with(|l| l.money = money);
}

#[export_name = "canister_update pay"]
extern "C" fn pay() {
    let (amount,) = ic::argument();
    ic::reply((with(|l| l.pay(amount)),));
}

/// Pays once for an id, however often it is called: callers that do not know whether a call was executed repeat it.
#[export_name = "canister_update pay_once"]
extern "C" fn pay_once() {
    let (id, amount): (u64, u64) = ic::argument();
    ic::reply((with(|l| match l.once.get(&id) {
        Some(number) => *number,
        None => {
            let number = l.pay(amount);
            l.once.insert(id, number);
            number
        }
    }),));
}

/// Pays, and tells the caller so by its method on_payment before it replies, as hooks of tokens do.
#[export_name = "canister_update pay_and_notify"]
extern "C" fn pay_and_notify() {
    let caller = ic::caller();
    ic::update(|(amount,): (u64,)| async move {
        let number = with(|l| l.pay(amount));
        let _ = ic::call(&caller, "on_payment", (amount,)).get::<()>().await;
        Ok((number,))
    });
}

/// Takes money back.
#[export_name = "canister_update collect"]
extern "C" fn collect() {
    let (amount,): (u64,) = ic::argument();
    ic::reply((with(|l| {
        if amount > l.paid {
            ic::trap("more than was paid");
        }
        l.money += amount;
        l.paid -= amount;
        l.payments += 1;
        l.payments
    }),));
}

#[export_name = "canister_update price"]
extern "C" fn price() {
    ic::reply((with(|l| l.price),));
}

#[export_name = "canister_update set_price"]
extern "C" fn set_price() {
    let (price,) = ic::argument();
    with(|l| l.price = price);
    ic::reply(());
}

/// The number of the output of a Bitcoin transaction that was sent to the caller, 0 where it was spent.
#[export_name = "canister_update outpoint"]
extern "C" fn outpoint() {
    ic::reply((with(|l| !l.spent as u64),));
}

/// Spends that output, and gives the number of the one that holds its money then.
#[export_name = "canister_update spend"]
extern "C" fn spend() {
    let _: (u64,) = ic::argument();
    with(|l| l.spent = true);
    ic::reply((2u64,));
}

/// What was paid and not collected.
#[export_name = "canister_query paid"]
extern "C" fn paid() {
    ic::reply((with(|l| l.paid),));
}
