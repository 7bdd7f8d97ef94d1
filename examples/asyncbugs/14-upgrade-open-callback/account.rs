//! What the modules of the account share: the balance at 0 of stable memory, the number of open calls at 8, and calls
//! with callbacks as the System API has them.

use super::ic;

#[link(wasm_import_module = "ic0")]
extern "C" {
    fn stable64_grow(pages: u64) -> u64;
    fn stable64_write(offset: u64, src: u64, size: u64);
    fn stable64_read(dst: u64, offset: u64, size: u64);
}

const BALANCE: u64 = 0;
const OPEN: u64 = 8;
const LEDGER: u64 = 16; // its length and its bytes

fn get(at: u64) -> u64 {
    let mut bytes = [0u8; 8];
    unsafe { stable64_read(bytes.as_mut_ptr() as u64, at, 8) };
    u64::from_le_bytes(bytes)
}

fn set(at: u64, value: u64) {
    unsafe { stable64_write(at, value.to_le_bytes().as_ptr() as u64, 8) };
}

fn ledger() -> ic::Principal {
    let mut bytes = vec![0u8; get(LEDGER) as usize];
    unsafe { stable64_read(bytes.as_mut_ptr() as u64, LEDGER + 8, bytes.len() as u64) };
    ic::Principal(bytes)
}

#[export_name = "canister_init"]
extern "C" fn init() {
    let (ledger,): (ic::Principal,) = ic::argument();
    unsafe {
        stable64_grow(1);
        stable64_write(LEDGER + 8, ledger.0.as_ptr() as u64, ledger.0.len() as u64);
    }
    set(LEDGER, ledger.0.len() as u64);
    set(BALANCE, 100);
}

#[export_name = "canister_query balance"]
extern "C" fn balance() {
    ic::reply((get(BALANCE),));
}

pub fn open() -> u64 {
    get(OPEN)
}

/// Takes the amount off the balance and asks the ledger to pay it.
pub fn begin(paid: usize, rejected: usize) {
    let (amount,): (u64,) = ic::argument();
    if get(BALANCE) < amount {
        return ic::reject("not enough money");
    }
    if ic::call(&ledger(), "pay", (amount,)).with_callbacks(paid, rejected, amount as usize) != 0 {
        return ic::reject("the payment could not be sent");
    }
    set(BALANCE, get(BALANCE) - amount);
    set(OPEN, open() + 1);
}

#[allow(dead_code)] // the next module does
/// Asks the ledger to take money back, which then goes onto the balance.
pub fn collect(collected: usize, rejected: usize) {
    let (amount,): (u64,) = ic::argument();
    if ic::call(&ledger(), "collect", (amount,)).with_callbacks(collected, rejected, 0) != 0 {
        return ic::reject("the ledger could not be called");
    }
    set(OPEN, open() + 1);
}

/// Ends a call: an amount goes onto the balance.
pub fn end(back: u64) {
    set(OPEN, open() - 1);
    set(BALANCE, get(BALANCE) + back);
    ic::reply((get(BALANCE),));
}
