//! Accounts, as ICRC-1 and as the ICP ledger name them.

use candid::{CandidType, Principal};
use serde::Deserialize;
use sha2::{Digest, Sha224};

pub type Subaccount = [u8; 32];

/// An account of ICRC-1. A missing subaccount is the one of 32 zeros.
#[derive(CandidType, Deserialize, Clone, Debug)]
pub struct Account {
    pub owner: Principal,
    pub subaccount: Option<Vec<u8>>,
}

impl Account {
    /// The account of an owner's subaccount; traps unless that has 32 bytes.
    pub fn of(owner: Principal, subaccount: Option<Vec<u8>>) -> Self {
        let account = Account { owner, subaccount };
        account.subaccount_bytes();
        account
    }

    /// The 32 bytes of the subaccount.
    pub fn subaccount_bytes(&self) -> Subaccount {
        match &self.subaccount {
            None => [0; 32],
            Some(bytes) => bytes.as_slice().try_into().unwrap_or_else(|_| {
                ic_cdk::trap(format!("invalid subaccount of {} bytes: expected 32", bytes.len()))
            }),
        }
    }

    /// The two parts by which cycles ledgers keep balances.
    pub fn key(&self) -> (Principal, Subaccount) {
        (self.owner, self.subaccount_bytes())
    }

    /// The account with that key; the subaccount of zeros is left out.
    pub fn from_key(key: &(Principal, Subaccount)) -> Self {
        let subaccount = (key.1 != [0; 32]).then(|| key.1.to_vec());
        Account { owner: key.0, subaccount }
    }

    /// The account identifier of the ICP ledger.
    pub fn identifier(&self) -> Identifier {
        Identifier::of(self.owner, self.subaccount_bytes())
    }
}

/// An account of the ICP ledger: a checksum of 4 bytes and a hash of 28.
#[derive(CandidType, Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Identifier(pub [u8; 32]);

impl Identifier {
    pub fn of(owner: Principal, subaccount: Subaccount) -> Self {
        let mut hash = Sha224::new();
        hash.update(b"\x0aaccount-id");
        hash.update(owner.as_slice());
        hash.update(subaccount);
        let hash = hash.finalize();
        let mut bytes = [0; 32];
        bytes[..4].copy_from_slice(&crc32fast::hash(&hash).to_be_bytes());
        bytes[4..].copy_from_slice(&hash);
        Identifier(bytes)
    }

    /// Reads 32 bytes with their checksum, or 28 without one.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let hash = match bytes.len() {
            28 => bytes,
            32 => &bytes[4..],
            n => return Err(format!("invalid account identifier of {n} bytes: expected 32")),
        };
        let sum = crc32fast::hash(hash).to_be_bytes();
        if bytes.len() == 32 && bytes[..4] != sum {
            return Err("invalid account identifier: its checksum does not match".to_string());
        }
        let mut read = [0; 32];
        read[..4].copy_from_slice(&sum);
        read[4..].copy_from_slice(hash);
        Ok(Identifier(read))
    }

    /// Reads the form in hexadecimal digits.
    pub fn parse(text: &str) -> Result<Self, String> {
        let digits = text.as_bytes();
        let digit = |c: u8| (c as char).to_digit(16).map(|d| d as u8);
        let mut bytes = Vec::with_capacity(digits.len() / 2);
        for pair in digits.chunks(2) {
            match pair {
                [high, low] => match (digit(*high), digit(*low)) {
                    (Some(high), Some(low)) => bytes.push(high << 4 | low),
                    _ => return Err(format!("invalid account identifier {text:?}: expected hexadecimal digits")),
                },
                _ => return Err(format!("invalid account identifier {text:?}: expected 64 hexadecimal digits")),
            }
        }
        Identifier::read(&bytes)
    }
}
