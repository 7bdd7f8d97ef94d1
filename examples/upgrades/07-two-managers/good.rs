//! The version of the data is stored in another memory of the memory manager.

mod names;

use ic_stable_structures::StableCell;

#[ic_cdk::post_upgrade]
fn note_version() {
    StableCell::init(names::memory(1), 0u64).set(2);
}
