//! The bank for Shuttle, in which each canister is a thread with a channel.

use shuttle::sync::mpsc::channel;
use shuttle::{check_random, thread};

use crate::Bank;

enum Message {
    Withdraw,
    Paid,
}

/// Runs random schedules.
pub fn schedules(careful: bool, withdrawals: u32, runs: u32) {
    check_random(move || program(careful, withdrawals), runs as usize);
}

fn program(careful: bool, withdrawals: u32) {
    let (to_bank, at_bank) = channel();
    let (to_vault, at_vault) = channel();
    for _ in 0..withdrawals {
        let to_bank = to_bank.clone();
        thread::spawn(move || to_bank.send(Message::Withdraw).unwrap());
    }
    let vault = thread::spawn(move || {
        while at_vault.recv().is_ok() {
            to_bank.send(Message::Paid).unwrap();
        }
    });
    let mut bank = Bank::new(careful);
    while bank.answered < withdrawals {
        match at_bank.recv().unwrap() {
            Message::Withdraw if bank.withdraw() => to_vault.send(()).unwrap(),
            Message::Withdraw => {}
            Message::Paid => bank.paid(),
        }
    }
    drop(to_vault);
    vault.join().unwrap();
}
