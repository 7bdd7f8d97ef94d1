//! A canister in Rust, with the standard library. The functions of the Canonical ABI are written by hand.

use std::alloc::{alloc, realloc, Layout};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

static TOTAL: AtomicU32 = AtomicU32::new(0);

/// # Safety
///
/// `old` has `had` bytes and the alignment, or `had` is 0.
#[no_mangle]
pub unsafe extern "C" fn cabi_realloc(old: *mut u8, had: usize, align: usize, size: usize) -> *mut u8 {
    let layout = |size| Layout::from_size_align(size, align).unwrap();
    if had == 0 {
        alloc(layout(size))
    } else {
        realloc(old, layout(had), size)
    }
}

#[no_mangle]
pub extern "C" fn add(amount: u32) -> u32 {
    let total = TOTAL.fetch_add(amount, Ordering::Relaxed) + amount;
    println!("total {total}");
    total
}

#[no_mangle]
pub extern "C" fn fail(amount: u32) {
    add(amount);
    panic!("no more");
}

/// A list in memory.
#[repr(C)]
pub struct List<T> {
    items: *const T,
    count: usize,
}

fn list<T>(items: Vec<T>) -> List<T> {
    let items = items.leak();
    List { items: items.as_ptr(), count: items.len() }
}

/// # Safety
///
/// The text has `size` bytes, which are the function's.
#[no_mangle]
pub unsafe extern "C" fn words(text: *mut u8, size: usize) -> *const List<(List<u8>, u32)> {
    let text = String::from_utf8(std::slice::from_raw_parts(text, size).to_vec()).unwrap();
    let mut counts = HashMap::new();
    for word in text.split(' ') {
        *counts.entry(word.to_string()).or_insert(0) += 1;
    }
    let mut sorted: Vec<_> = counts.into_iter().collect();
    sorted.sort();
    Box::leak(Box::new(list(sorted.into_iter().map(|(word, n)| (list(word.into_bytes()), n)).collect())))
}
