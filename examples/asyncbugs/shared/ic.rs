//! What the canisters in Rust of this folder share: calls as futures, as the CDK of Rust has them, and the Candid of a
//! few types. It is small so that the modules are small; take the CDK for a canister of your own.
//!
//! A method is a task. A call suspends it, and the callback goes on with it. If a callback traps, the cleanup callback
//! drops the task, and with it the guards that it holds.
#![allow(dead_code)] // no canister needs all of it

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};

#[link(wasm_import_module = "ic0")]
extern "C" {
    fn msg_arg_data_size() -> usize;
    fn msg_arg_data_copy(dst: *mut u8, offset: usize, size: usize);
    fn msg_caller_size() -> usize;
    fn msg_caller_copy(dst: *mut u8, offset: usize, size: usize);
    fn msg_reply_data_append(src: *const u8, size: usize);
    fn msg_reply();
    fn msg_reject(src: *const u8, size: usize);
    fn msg_reject_code() -> u32;
    fn call_new(
        callee: *const u8,
        callee_size: usize,
        name: *const u8,
        name_size: usize,
        reply_fun: usize,
        reply_env: usize,
        reject_fun: usize,
        reject_env: usize,
    );
    fn call_on_cleanup(fun: usize, env: usize);
    fn call_data_append(src: *const u8, size: usize);
    fn call_with_best_effort_response(timeout_seconds: u32);
    fn call_perform() -> u32;
    fn time() -> u64;
    fn global_timer_set(timestamp: u64) -> u64;
    #[link_name = "trap"]
    fn trap_with(src: *const u8, size: usize) -> !;
}

/// Ends the message: nothing that it did counts.
pub fn trap(text: &str) -> ! {
    unsafe { trap_with(text.as_ptr(), text.len()) }
}

#[derive(Clone, Default, PartialEq)]
pub struct Principal(pub Vec<u8>);

/// A type of Candid, with its code.
pub trait Value: Sized {
    const TYPE: u8;
    fn write(&self, out: &mut Vec<u8>);
    fn read(from: &mut &[u8]) -> Self;
}

fn take<'a>(from: &mut &'a [u8], size: usize) -> &'a [u8] {
    if from.len() < size {
        trap("the message is too short");
    }
    let (head, tail) = from.split_at(size);
    *from = tail;
    head
}

impl Value for u64 {
    const TYPE: u8 = 0x78;
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }
    fn read(from: &mut &[u8]) -> u64 {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(take(from, 8));
        u64::from_le_bytes(bytes)
    }
}

impl Value for bool {
    const TYPE: u8 = 0x7e;
    fn write(&self, out: &mut Vec<u8>) {
        out.push(*self as u8);
    }
    fn read(from: &mut &[u8]) -> bool {
        take(from, 1)[0] != 0
    }
}

impl Value for Principal {
    const TYPE: u8 = 0x68;
    fn write(&self, out: &mut Vec<u8>) {
        out.push(1);
        out.push(self.0.len() as u8);
        out.extend_from_slice(&self.0);
    }
    fn read(from: &mut &[u8]) -> Principal {
        let size = take(from, 2)[1] as usize;
        Principal(take(from, size).to_vec())
    }
}

/// Arguments or results.
pub trait Values: Sized {
    fn encode(&self) -> Vec<u8>;
    fn decode(bytes: &[u8]) -> Self;
}

macro_rules! values {
    ($count:expr $(, $name:ident)*) => {
        impl<$($name: Value),*> Values for ($($name,)*) {
            #[allow(non_snake_case, unused_mut)]
            fn encode(&self) -> Vec<u8> {
                let mut out = vec![b'D', b'I', b'D', b'L', 0, $count $(, $name::TYPE)*];
                let ($($name,)*) = self;
                $($name.write(&mut out);)*
                out
            }
            #[allow(unused_mut, unused_variables)]
            fn decode(bytes: &[u8]) -> Self {
                let mut from = bytes;
                if take(&mut from, 6 + $count) != [b'D', b'I', b'D', b'L', 0, $count $(, $name::TYPE)*] {
                    trap("the message has other types");
                }
                ($($name::read(&mut from),)*)
            }
        }
    };
}
values!(0);
values!(1, A);
values!(2, A, B);
values!(3, A, B, C);

/// The argument of the method, or of the installation.
pub fn argument<A: Values>() -> A {
    A::decode(&message())
}

fn message() -> Vec<u8> {
    unsafe {
        let mut bytes = vec![0; msg_arg_data_size()];
        msg_arg_data_copy(bytes.as_mut_ptr(), 0, bytes.len());
        bytes
    }
}

pub fn caller() -> Principal {
    unsafe {
        let mut bytes = vec![0; msg_caller_size()];
        msg_caller_copy(bytes.as_mut_ptr(), 0, bytes.len());
        Principal(bytes)
    }
}

pub fn reply<R: Values>(results: R) {
    let bytes = results.encode();
    unsafe {
        msg_reply_data_append(bytes.as_ptr(), bytes.len());
        msg_reply();
    }
}

pub fn reject(text: &str) {
    unsafe { msg_reject(text.as_ptr(), text.len()) }
}

/// Nanoseconds since 1970.
pub fn now() -> u64 {
    unsafe { time() }
}

/// Has canister_global_timer run after a time in nanoseconds.
pub fn wake_after(duration: u64) {
    unsafe { global_timer_set(time() + duration) };
}

/// Runs an update method: its result is the reply, its error the reject.
pub fn update<A: Values, R: Values, F>(method: impl FnOnce(A) -> F)
where
    F: Future<Output = Result<R, &'static str>> + 'static,
{
    let method = method(argument());
    spawn(async move {
        match method.await {
            Ok(results) => reply(results),
            Err(text) => reject(text),
        }
    });
}

type Waiting = Pin<Box<dyn Future<Output = ()>>>;

/// A method that runs or waits. The future is None while it runs and after it.
struct Task(RefCell<Option<Waiting>>);

thread_local! {
    static CURRENT: RefCell<Option<Rc<Task>>> = RefCell::new(None);
}

/// Runs a task up to its first await.
pub fn spawn(future: impl Future<Output = ()> + 'static) {
    go_on(Rc::new(Task(RefCell::new(Some(Box::pin(future))))));
}

fn go_on(task: Rc<Task>) {
    let future = task.0.borrow_mut().take();
    if let Some(mut future) = future {
        let outer = CURRENT.with(|c| c.replace(Some(task.clone())));
        let waits = future.as_mut().poll(&mut Context::from_waker(&waker())).is_pending();
        CURRENT.with(|c| c.replace(outer));
        if waits {
            task.0.replace(Some(future));
        }
    }
}

/// Callbacks go on with tasks, so wakers have nothing to do.
fn waker() -> Waker {
    fn clone(_: *const ()) -> RawWaker {
        RawWaker::new(std::ptr::null(), &TABLE)
    }
    fn nothing(_: *const ()) {}
    static TABLE: RawWakerVTable = RawWakerVTable::new(clone, nothing, nothing, nothing);
    unsafe { Waker::from_raw(clone(std::ptr::null())) }
}

/// Why a call was rejected; of a call that the system did not take it is what call_perform says.
pub struct Reject {
    pub code: u32,
}

pub const SYS_UNKNOWN: u32 = 6;

/// A call that is to be made: get makes it and waits, send makes it and does not wait.
pub struct Call {
    callee: Principal,
    method: &'static str,
    argument: Vec<u8>,
    seconds: u32,
}

pub fn call<A: Values>(callee: &Principal, method: &'static str, argument: A) -> Call {
    Call { callee: callee.clone(), method, argument: argument.encode(), seconds: 0 }
}

impl Call {
    /// Waits at most so long: a best-effort call.
    pub fn at_most(self, seconds: u32) -> Call {
        Call { seconds, ..self }
    }

    pub async fn get<R: Values>(self) -> Result<R, Reject> {
        let bytes = Answer { call: self, slot: None }.await?;
        Ok(R::decode(&bytes))
    }

    /// The result is what call_perform says: 0 where the call was made. Its answer goes nowhere.
    pub fn send(self) -> u32 {
        unsafe { self.perform(usize::MAX, usize::MAX, 0, false) }
    }

    /// Makes the call with callbacks of its own, places in the table of functions. The result is as with send.
    pub fn with_callbacks(self, answered: usize, rejected: usize, env: usize) -> u32 {
        unsafe { self.perform(answered, rejected, env, false) }
    }

    unsafe fn perform(&self, answered: usize, rejected: usize, env: usize, cleanup: bool) -> u32 {
        let (callee, method) = (&self.callee.0, self.method);
        call_new(callee.as_ptr(), callee.len(), method.as_ptr(), method.len(), answered, env, rejected, env);
        if cleanup {
            call_on_cleanup(dropped as extern "C" fn(usize) as usize, env);
        }
        call_data_append(self.argument.as_ptr(), self.argument.len());
        if self.seconds > 0 {
            call_with_best_effort_response(self.seconds);
        }
        call_perform()
    }
}

/// Where the callback of a call puts its answer.
struct Slot {
    answer: RefCell<Option<Result<Vec<u8>, Reject>>>,
    task: Rc<Task>,
}

struct Answer {
    call: Call,
    slot: Option<Rc<Slot>>,
}

impl Future for Answer {
    type Output = Result<Vec<u8>, Reject>;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(slot) = &self.slot {
            return match slot.answer.borrow_mut().take() {
                Some(answer) => Poll::Ready(answer),
                None => Poll::Pending,
            };
        }
        let task = match CURRENT.with(|c| c.borrow().clone()) {
            Some(task) => task,
            None => trap("a call outside a task"),
        };
        let slot = Rc::new(Slot { answer: RefCell::new(None), task });
        let env = Rc::into_raw(slot.clone()) as usize;
        let callback = answered as extern "C" fn(usize) as usize;
        let code = unsafe { self.call.perform(callback, callback, env, true) };
        if code != 0 {
            unsafe { Rc::from_raw(env as *const Slot) };
            return Poll::Ready(Err(Reject { code }));
        }
        self.slot = Some(slot);
        Poll::Pending
    }
}

extern "C" fn answered(env: usize) {
    let slot = unsafe { Rc::from_raw(env as *const Slot) };
    let answer = match unsafe { msg_reject_code() } {
        0 => Ok(message()),
        code => Err(Reject { code }),
    };
    slot.answer.replace(Some(answer));
    go_on(slot.task.clone());
}

/// The cleanup callback: the callback trapped, and nothing that it did counts.
extern "C" fn dropped(env: usize) {
    let slot = unsafe { Rc::from_raw(env as *const Slot) };
    let future = slot.task.0.borrow_mut().take();
    drop(future);
}

/// The state of a canister, and with, which changes it.
#[macro_export]
macro_rules! state {
    ($type:ty) => {
        thread_local! {
            static STATE: std::cell::RefCell<$type> = Default::default();
        }
        fn with<T>(change: impl FnOnce(&mut $type) -> T) -> T {
            STATE.with(|s| change(&mut s.borrow_mut()))
        }
    };
}

/// The interface of a canister, in the module.
#[macro_export]
macro_rules! interface {
    ($file:expr) => {
        #[link_section = "icp:public candid:service"]
        pub static INTERFACE: [u8; include_bytes!($file).len()] = *include_bytes!($file);
    };
}
