// The functions of the WIT package ic:canister. The numbers are those of imports.go. Arguments are in the slots, and the last one
// is where a result goes that is not one core value.
#include "runtime.h"
#include "tasks.h"

IMPORT("ic0", "call_new")
void ic0_call_new(const void *callee, u32 callee_size, const void *name, u32 name_size, u32 reply, u32 reply_env, u32 reject, u32 reject_env);
IMPORT("ic0", "call_on_cleanup") void ic0_call_on_cleanup(u32 function, u32 env);
IMPORT("ic0", "call_data_append") void ic0_call_data_append(const void *from, u32 size);
IMPORT("ic0", "call_cycles_add128") void ic0_call_cycles_add128(u64 high, u64 low);
IMPORT("ic0", "call_with_best_effort_response") void ic0_call_with_best_effort_response(u32 seconds);
IMPORT("ic0", "call_perform") u32 ic0_call_perform(void);
IMPORT("ic0", "msg_reject_code") u32 ic0_msg_reject_code(void);
IMPORT("ic0", "msg_reject_msg_size") u32 ic0_msg_reject_msg_size(void);
IMPORT("ic0", "msg_reject_msg_copy") void ic0_msg_reject_msg_copy(void *to, u32 offset, u32 size);
IMPORT("ic0", "msg_caller_size") u32 ic0_msg_caller_size(void);
IMPORT("ic0", "msg_caller_copy") void ic0_msg_caller_copy(void *to, u32 offset, u32 size);
IMPORT("ic0", "canister_self_size") u32 ic0_canister_self_size(void);
IMPORT("ic0", "canister_self_copy") void ic0_canister_self_copy(void *to, u32 offset, u32 size);
IMPORT("ic0", "msg_cycles_available128") void ic0_msg_cycles_available128(void *to);
IMPORT("ic0", "msg_cycles_accept128") void ic0_msg_cycles_accept128(u64 high, u64 low, void *to);
IMPORT("ic0", "canister_cycle_balance128") void ic0_canister_cycle_balance128(void *to);
IMPORT("ic0", "stable64_size") u64 ic0_stable64_size(void);
IMPORT("ic0", "stable64_grow") u64 ic0_stable64_grow(u64 pages);
IMPORT("ic0", "stable64_read") void ic0_stable64_read(u64 to, u64 offset, u64 size);
IMPORT("ic0", "stable64_write") void ic0_stable64_write(u64 offset, u64 from, u64 size);
IMPORT("ic0", "certified_data_set") void ic0_certified_data_set(const void *from, u32 size);
IMPORT("ic0", "data_certificate_present") u32 ic0_data_certificate_present(void);
IMPORT("ic0", "data_certificate_size") u32 ic0_data_certificate_size(void);
IMPORT("ic0", "data_certificate_copy") void ic0_data_certificate_copy(void *to, u32 offset, u32 size);
IMPORT("ic0", "time") u64 ic0_time(void);
IMPORT("ic0", "global_timer_set") u64 ic0_global_timer_set(u64 at);
IMPORT("ic0", "debug_print") void ic0_debug_print(const void *from, u32 size);

enum { // in the table of functions
  ON_REPLY, ON_REJECT, ON_CLEANUP
};

static void put_pair(u8 *to, const void *content, u32 size) {
  *(u32 *)to = (u32)content;
  *(u32 *)(to + 4) = size;
}

typedef void copying(void *to, u32 offset, u32 size);

static inline u8 *copied(u32 size, copying *from) {
  u8 *list = allocate(1, size);
  if (size) from(list, 0, size);
  return list;
}

static inline void put_copy(u8 *to, u32 size, copying *from) { put_pair(to, copied(size, from), size); }

static void put_reject(u8 *to, u32 code, const void *text, u32 size) {
  *to = 1;
  *(u32 *)(to + 4) = code;
  put_pair(to + 8, text, size);
}

// The parameters of call in memory.
struct call {
  const void *callee;
  u32 callee_size;
  const void *method;
  u32 method_size;
  const void *argument;
  u32 argument_size;
  u64 cycles_low, cycles_high;
  u8 has_timeout;
  u32 timeout;
};

static u32 first_callback; // the place of ON_REPLY in the table of the linked module

EXPORT("callbacks_at") void callbacks_at(u32 place) { first_callback = place; }

EXPORT("call") u32 call(const struct call *c, u8 *result) {
  static const char text[] = "the call could not be made: the queue of messages is full, or the canister lacks cycles";
  u32 handle = start_subtask(result), env = env_of(handle);
  ic0_call_new(c->callee, c->callee_size, c->method, c->method_size, first_callback + ON_REPLY, env, first_callback + ON_REJECT, env);
  ic0_call_on_cleanup(first_callback + ON_CLEANUP, env);
  ic0_call_data_append(c->argument, c->argument_size);
  if (c->cycles_low | c->cycles_high) ic0_call_cycles_add128(c->cycles_high, c->cycles_low);
  if (c->has_timeout) ic0_call_with_best_effort_response(c->timeout);
  u32 code = ic0_call_perform();
  if (!code) return started(handle);
  forget_subtask(handle);
  u8 *copy_of_text = allocate(1, sizeof text - 1);
  copy(copy_of_text, text, sizeof text - 1);
  put_reject(result, code, copy_of_text, sizeof text - 1);
  return returned();
}

// A response may be one of a call that was made before the memory was replaced: its task is not there.
static u32 answered_subtask(u32 env) {
  u32 handle = subtask_of(env);
  if (!handle) fail("the call was made before an upgrade, a reinstallation or the load of a snapshot, which ended its task");
  return handle;
}

EXPORT("on_reply") void on_reply(u32 env) {
  u32 handle = answered_subtask(env);
  u8 *to = response_to(handle);
  if (to) {
    *to = 0;
    put_copy(to + 4, ic0_msg_arg_data_size(), ic0_msg_arg_data_copy);
  }
  resolve(handle);
}

EXPORT("on_reject") void on_reject(u32 env) {
  u32 handle = answered_subtask(env);
  u8 *to = response_to(handle);
  if (to) {
    u32 size = ic0_msg_reject_msg_size();
    put_reject(to, ic0_msg_reject_code(), copied(size, ic0_msg_reject_msg_copy), size);
  }
  resolve(handle);
}

EXPORT("on_cleanup") void on_cleanup(u32 env) {
  u32 handle = subtask_of(env);
  if (handle) abandon(handle);
}

// Interface message.

EXPORT("message#caller") void message_caller(u8 *to) { put_copy(to, ic0_msg_caller_size(), ic0_msg_caller_copy); }
EXPORT("message#cycles-available") void message_cycles_available(u8 *to) { ic0_msg_cycles_available128(to); }
EXPORT("message#cycles-accept") void message_cycles_accept(u64 low, u64 high, u8 *to) { ic0_msg_cycles_accept128(high, low, to); }

EXPORT("message#reply") void message_reply(const void *from, u32 size) {
  answer();
  ic0_msg_reply_data_append(from, size);
  ic0_msg_reply();
}

EXPORT("message#reject") void message_reject(const void *from, u32 size) {
  answer();
  ic0_msg_reject(from, size);
}

// Interface canister.

EXPORT("canister#self") void canister_self(u8 *to) { put_copy(to, ic0_canister_self_size(), ic0_canister_self_copy); }
EXPORT("canister#cycle-balance") void canister_cycle_balance(u8 *to) { ic0_canister_cycle_balance128(to); }
EXPORT("canister#log") void canister_log(const void *from, u32 size) { ic0_debug_print(from, size); }
EXPORT("canister#now") u64 canister_now(void) { return ic0_time(); }
EXPORT("canister#set-timer") u64 canister_set_timer(u64 at) { return ic0_global_timer_set(at); }
EXPORT("canister#set-certified-data") void canister_set_certified_data(const void *from, u32 size) { ic0_certified_data_set(from, size); }

EXPORT("canister#data-certificate") void canister_data_certificate(u8 *to) {
  *to = ic0_data_certificate_present();
  if (*to) put_copy(to + 4, ic0_data_certificate_size(), ic0_data_certificate_copy);
}

// Interface stable-memory.

EXPORT("stable-memory#size") u64 stable_size(void) { return ic0_stable64_size(); }

EXPORT("stable-memory#grow") void stable_grow(u64 pages, u8 *to) {
  u64 before = ic0_stable64_grow(pages);
  *to = before != ~(u64)0;
  *(u64 *)(to + 8) = before;
}

EXPORT("stable-memory#read") void stable_read(u64 offset, u32 size, u8 *to) {
  u8 *list = allocate(1, size);
  if (size) ic0_stable64_read((u32)list, offset, size);
  put_pair(to, list, size);
}

EXPORT("stable-memory#write") void stable_write(u64 offset, const void *from, u32 size) { ic0_stable64_write(offset, (u32)from, size); }
