//! What the modules of a canister that pays share: the total at 0 of stable memory, and a call to itself with callbacks
//! as the System API has them, places in the table of functions.

use super::ic;

#[link(wasm_import_module = "ic0")]
extern "C" {
    fn canister_self_size() -> usize;
    fn canister_self_copy(dst: *mut u8, offset: usize, size: usize);
    fn stable64_grow(pages: u64) -> u64;
    fn stable64_write(offset: u64, src: u64, size: u64);
    fn stable64_read(dst: u64, offset: u64, size: u64);
}

pub type Callback = extern "C" fn(usize);

pub fn get() -> u64 {
    let mut bytes = [0u8; 8];
    unsafe { stable64_read(bytes.as_mut_ptr() as u64, 0, 8) };
    u64::from_le_bytes(bytes)
}

fn set(value: u64) {
    unsafe { stable64_write(0, value.to_le_bytes().as_ptr() as u64, 8) };
}

#[export_name = "canister_init"]
extern "C" fn init() {
    unsafe { stable64_grow(1) };
}

#[export_name = "canister_update confirm"]
extern "C" fn confirm() {
    ic::reply(());
}

#[export_name = "canister_query total"]
extern "C" fn total() {
    ic::reply((get(),));
}

/// Asks for a confirmation, and then goes on with a callback.
#[allow(dead_code)] // not every module does
#[inline(always)] // so that callbacks get places in the table in the order of their calls
pub fn ask(confirmed: Callback, rejected: Callback) {
    let myself = unsafe {
        let mut bytes = vec![0u8; canister_self_size()];
        canister_self_copy(bytes.as_mut_ptr(), 0, bytes.len());
        ic::Principal(bytes)
    };
    if ic::call(&myself, "confirm", ()).with_callbacks(confirmed as usize, rejected as usize, 0) != 0 {
        ic::reject("the confirmation could not be asked for");
    }
}

/// Ends a payment: an amount is added to the total.
pub fn end(amount: u64) {
    set(get() + amount);
    ic::reply(());
}
