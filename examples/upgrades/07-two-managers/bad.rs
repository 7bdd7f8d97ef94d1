//! The version of the data is stored with stable_save of the CDK, which writes to the beginning of stable memory, over the
//! header of the memory manager.

mod names;

#[ic_cdk::post_upgrade]
fn note_version() {
    ic_cdk::storage::stable_save((2u64,)).expect("the version should fit");
}
