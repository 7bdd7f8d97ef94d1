//! The bank for TraceForge, in which each canister is a thread with a channel.

use traceforge::channel::Builder;
use traceforge::loc::CommunicationModel;
use traceforge::{Config, thread, verify};

use crate::Bank;

#[derive(Clone, Debug, PartialEq)]
enum ToBank {
    Withdraw,
    Paid,
}

#[derive(Clone, Debug, PartialEq)]
enum ToVault {
    Transfer,
    Stop,
}

/// How messages of one sender to one receiver are delivered.
#[derive(Clone, Copy)]
pub struct Delivery {
    /// Requests of the bank arrive in the order in which they were sent.
    pub requests_in_order: bool,
    /// Answers of the vault arrive in the order in which they were sent.
    pub answers_in_order: bool,
}

/// Returns the number of executions. Two are different if a thread receives its messages in different orders.
pub fn classes(delivery: Delivery, careful: bool, withdrawals: u32) -> usize {
    let config = Config::builder().with_progress_report(usize::MAX).build();
    let found = verify(config, move || program(delivery, careful, withdrawals));
    assert_eq!(found.block, 0, "executions do not end");
    found.execs
}

fn ordered(in_order: bool) -> CommunicationModel {
    if in_order { CommunicationModel::LocalOrder } else { CommunicationModel::NoOrder }
}

fn program(delivery: Delivery, careful: bool, withdrawals: u32) {
    let (to_vault, at_vault) = Builder::new().with_comm(ordered(delivery.requests_in_order)).build();
    let (to_bank, at_bank) = Builder::new().with_comm(ordered(delivery.answers_in_order)).build();
    for _ in 0..withdrawals {
        let to_bank = to_bank.clone();
        thread::spawn(move || to_bank.send_msg(ToBank::Withdraw));
    }
    thread::spawn(move || {
        while at_vault.recv_msg_block() == ToVault::Transfer {
            to_bank.send_msg(ToBank::Paid);
        }
    });
    thread::spawn(move || {
        let mut bank = Bank::new(careful);
        while bank.answered < withdrawals {
            match at_bank.recv_msg_block() {
                ToBank::Withdraw if bank.withdraw() => to_vault.send_msg(ToVault::Transfer),
                ToBank::Withdraw => {}
                ToBank::Paid => bank.paid(),
            }
        }
        to_vault.send_msg(ToVault::Stop);
    });
}
