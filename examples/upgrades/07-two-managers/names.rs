//! What the modules share: names, in a memory that the memory manager of ic-stable-structures gives out.

use std::cell::RefCell;

use ic_stable_structures::memory_manager::{MemoryId, MemoryManager, VirtualMemory};
use ic_stable_structures::{DefaultMemoryImpl, StableBTreeMap};

pub type Memory = VirtualMemory<DefaultMemoryImpl>;

thread_local! {
    static MANAGER: RefCell<MemoryManager<DefaultMemoryImpl>> = RefCell::new(MemoryManager::init(DefaultMemoryImpl::default()));
    static NAMES: RefCell<StableBTreeMap<u64, String, Memory>> = RefCell::new(StableBTreeMap::init(memory(0)));
}

pub fn memory(id: u8) -> Memory {
    MANAGER.with_borrow(|m| m.get(MemoryId::new(id)))
}

#[ic_cdk::update]
fn add(name: String) {
    NAMES.with_borrow_mut(|names| names.insert(names.len(), name));
}

#[ic_cdk::query]
fn names() -> Vec<String> {
    NAMES.with_borrow(|names| names.values().collect())
}

#[used]
#[unsafe(link_section = "icp:public candid:service")]
pub static INTERFACE: [u8; include_bytes!("interface.did").len()] = *include_bytes!("interface.did");
