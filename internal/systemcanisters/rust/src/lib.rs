//! What the system canisters share: accounts, the book of a ledger, and the types of ICRC-1 and ICRC-2.

pub mod account;
pub mod book;
pub mod hash;
pub mod icrc;
pub mod minting;

/// Says in the metadata of a module that it is canisterd's own: mainnet has another module at the id of the canister. The
/// text begins with the name of the module, as package systemcanisters reads it.
#[macro_export]
macro_rules! own_module {
    ($name:literal) => {
        const OWN_MODULE: &str = concat!($name, ": written for canisterd; mainnet runs another module");

        #[used]
        #[unsafe(link_section = "icp:public canisterd:module")]
        static OWN_MODULE_SECTION: [u8; OWN_MODULE.len()] = match OWN_MODULE.as_bytes().first_chunk() {
            Some(text) => *text,
            None => unreachable!(),
        };
    };
}

/// Refuses callers that are no controllers: a guard of methods.
pub fn only_controllers() -> Result<(), String> {
    let caller = ic_cdk::api::msg_caller();
    if ic_cdk::api::is_controller(&caller) { Ok(()) } else { Err(format!("{caller} is no controller of this canister")) }
}
