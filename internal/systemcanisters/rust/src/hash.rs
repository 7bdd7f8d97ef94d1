//! Hashes of blocks, and the certificate of the last one.

use sha2::{Digest, Sha256};

pub fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize().into()
}

/// An unsigned number in LEB128.
pub fn leb128(mut n: u128) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (n & 0x7f) as u8;
        n >>= 7;
        if n == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

fn domain(name: &str, parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update([name.len() as u8]);
    hash.update(name);
    for part in parts {
        hash.update(part);
    }
    hash.finalize().into()
}

fn leaf(value: &[u8]) -> [u8; 32] {
    domain("ic-hashtree-leaf", &[value])
}

fn labeled(label: &str, below: [u8; 32]) -> [u8; 32] {
    domain("ic-hashtree-labeled", &[label.as_bytes(), &below])
}

/// The certified data of a ledger with a last block: the root hash of `tip_tree`.
pub fn tip_root(index: &[u8], hash: &[u8; 32]) -> [u8; 32] {
    let hash_node = labeled("last_block_hash", leaf(hash));
    let index_node = labeled("last_block_index", leaf(index));
    domain("ic-hashtree-fork", &[&hash_node, &index_node])
}

/// The hash tree of ICRC-3 in CBOR: a fork of the hash and the index of the last block.
pub fn tip_tree(index: &[u8], hash: &[u8; 32]) -> Vec<u8> {
    fork(&[("last_block_hash", hash), ("last_block_index", index)])
}

/// The certified data of the cycles minting canister: the root hash of `rate_tree`.
pub fn rate_root(rate: &[u8]) -> [u8; 32] {
    let [average, current] = RATES.map(|name| labeled(name, leaf(rate)));
    domain("ic-hashtree-fork", &[&average, &current])
}

/// The hash tree over the exchange rate and its average, which are one, in CBOR.
pub fn rate_tree(rate: &[u8]) -> Vec<u8> {
    fork(&RATES.map(|name| (name, rate)))
}

const RATES: [&str; 2] = ["AVERAGE_ICP_XDR_CONVERSION_RATE", "ICP_XDR_CONVERSION_RATE"];

/// A fork of two labeled leaves in CBOR.
fn fork(leaves: &[(&str, &[u8]); 2]) -> Vec<u8> {
    let mut tree = vec![0xd9, 0xd9, 0xf7, 0x83, 0x01]; // self-described; fork
    for (label, value) in leaves {
        tree.extend([0x83, 0x02]); // labeled
        bytes(&mut tree, label.as_bytes());
        tree.extend([0x82, 0x03]); // leaf
        bytes(&mut tree, value);
    }
    tree
}

/// Appends a byte string of fewer than 256 bytes.
fn bytes(tree: &mut Vec<u8>, value: &[u8]) {
    if value.len() < 24 {
        tree.push(0x40 | value.len() as u8);
    } else {
        tree.extend([0x58, value.len() as u8]);
    }
    tree.extend(value);
}
