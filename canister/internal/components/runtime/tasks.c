// Tasks and subtasks. A task is a call context, a subtask is a call that the task made and whose response has not come. All state is
// in the memory of the program, so a trap undoes what the message did.
#include "runtime.h"
#include "handles.h"
#include "tasks.h"
#include "waitables.h"

enum { STATE_STARTED = 1, STATE_RETURNED = 2, STATE_CANCELLED = 4 }; // of a subtask, as the specification numbers them
enum { CODE_EXIT = 0, CODE_YIELD = 1, CODE_WAIT = 2 }; // that a callback returns

static struct task *current;   // that runs
static struct task *answering; // whose call the message can answer: the one that began with it, or in whose message the call was made
static struct task *spare;
static struct { struct task *first, *last; } ready; // tasks that go on in this message, in the order in which they can
static u32 backpressure;

struct task *current_task(void) { return current; }

static struct task *new_task(u32 function) {
  struct task *t = spare;
  if (t) spare = t->next;
  else t = program_realloc(0, 0, 8, sizeof *t);
  __builtin_memset(t, 0, sizeof *t);
  t->function = function;
  return t;
}

// free_task frees a task that has ended, once no call refers to it. It is called when either happens.
static void free_task(struct task *t) {
  if (!t->ended || t->open || t->made) return;
  t->next = spare;
  spare = t;
}

// owes_answer says whether a task has not answered its call, which it can do in its own messages alone. Others run in every message.
static int owes_answer(const struct task *t) { return !t->returned && !(function_at(t->function)->flags & SILENT); }

static void go_on(struct task *t) {
  if (t->ready) return;
  t->ready = 1;
  t->next = 0;
  if (ready.first) ready.last->next = t;
  else ready.first = t;
  ready.last = t;
}

// wake lets the task that waits for a set, which has an event, go on. In a message of another task it keeps waiting if it has to
// answer its call: it gets the event when one of its own calls responds.
void wake(u32 set) {
  struct task *t = items[set].waiter;
  if (t && (t == answering || !owes_answer(t))) go_on(t);
}

static void stop_waiting(struct task *t) {
  if (t->waits) items[t->waits].waiter = 0;
  t->waits = 0;
}

static void end_task(struct task *t) {
  stop_waiting(t);
  t->ended = 1;
  free_task(t);
}

// lose ends a task that cannot answer its call.
static void lose(struct task *t) {
  t->returned = 1;
  end_task(t);
}

// is_stuck says whether a task waits whose call cannot be answered any more.
static int is_stuck(const struct task *t) { return t->waits && owes_answer(t) && !t->open; }

// event_after says what a task does after its function, or its callback, returned a code. If it goes on at once, it has an event.
static int event_after(struct task *t, u32 code, struct event *e, u32 *kind) {
  u32 set = code >> 4;
  switch (code & 0xf) {
  case CODE_EXIT:
    if (!t->returned) fail_in("", function_at(t->function), " exited without a result");
    end_task(t);
    return 0;
  case CODE_YIELD: // the message ends only when all tasks wait
    go_on(t);
    return 0;
  case CODE_WAIT:
    item_at(set, SET);
    *kind = poll(set, e);
    if (*kind != EVENT_NONE) return 1;
    if (items[set].waiter) fail("two tasks wait for one waitable set");
    items[set].waiter = t;
    t->waits = set;
    return 0;
  default:
    fail("a callback returned a code that does not exist");
  }
}

static void run(struct task *t, u32 code) {
  struct event e;
  u32 kind;
  while (event_after(t, code, &e, &kind)) code = program_callback(t->function, kind, e.handle, e.payload);
}

static void reject_in(const struct function *f, const char *after) {
  struct text t = {0};
  add_bytes(&t, tables + f->name, f->name_size);
  add_text(&t, after);
  ic0_msg_reject(t.bytes, t.size);
}

// end_message runs the tasks that can go on, until all wait. If the message is then the last one that can answer a call, it traps,
// or, if it is about another task, rejects the call.
static void end_message(const struct task *about) {
  static const char text[] = " waits, and has made no call that could wake it";
  const struct function *f = function_at(answering->function);
  while (ready.first) {
    struct task *t = current = ready.first;
    u32 code = t->waits << 4 | CODE_WAIT;
    ready.first = t->next;
    t->ready = 0;
    if (!t->waits) code = program_callback(t->function, EVENT_NONE, 0, 0);
    stop_waiting(t);
    run(t, code);
  }
  if (is_stuck(answering)) {
    if (about == answering) fail_in("", f, text);
    reject_in(f, text);
    lose(answering);
  }
  end_line();
}

// reply_with replies with a result whose core values are in the slots.
static void reply_with(const struct function *f) {
  u8 image[256] __attribute__((aligned(8))); // MAX_FLAT values and what aligns them take at most as much
  const u64 *from = slots;
  const u8 *result = image;
  if (f->flags & SILENT) return;
  if (f->result) {
    const struct type *t = type_at(f->result);
    u32 most = f->flags & ASYNC ? MAX_FLAT : 1;
    if (t->flat > most) result = (const u8 *)(u32)slots[0];
    else store_flat(t, &from, image);
  }
  encode_reply(f, result);
}

// enter_function begins a task with the message.
EXPORT("enter") void enter_function(u32 number) {
  u8 image[256] __attribute__((aligned(8)));
  const struct function *f = function_at(number);
  const struct type *params = type_at(f->params);
  if (backpressure && !(f->flags & SILENT)) {
    static const char text[] = "the component takes no calls now (backpressure)";
    ic0_msg_reject(text, sizeof text - 1);
    return;
  }
  struct task *t = answering = current = new_task(number);
  if (params->flat > MAX_FLAT) {
    u8 *to = program_realloc(0, 0, 8, params->size);
    decode_message(f, to);
    slots[0] = (u32)to;
  } else {
    u64 *to = slots;
    if (!(f->flags & SILENT) || params->count) decode_message(f, image);
    load_flat(params, image, &to);
  }
  u64 result = program_invoke(number);
  if (f->flags & ASYNC) {
    run(t, result);
  } else {
    slots[0] = result;
    if (!t->returned) reply_with(f);
    if (f->flags & POST_RETURN) program_post_return(number, result);
    end_task(t);
  }
  end_message(t);
}

// answered records that the message of the current task has its answer.
static void answered(void) {
  if (current->returned) fail_in("", function_at(current->function), " returned twice");
  current->returned = 1;
}

// answer does so for an answer that the program sends itself.
void answer(void) {
  if (current != answering) fail_in("", function_at(current->function), " replies to the call of another task");
  answered();
  current->replied = 1;
}

EXPORT("task_return") void task_return(u32 type) {
  const struct function *f = function_at(current->function);
  if (!(f->flags & ASYNC) || f->result != type) fail("the component called task.return for another function");
  if (current->replied) {
    current->replied = 0; // by message.reply or message.reject
    return;
  }
  answered();
  reply_with(f);
}

// Subtasks.

IMPORT("ic0", "canister_version") u64 ic0_canister_version(void);

// subtask_of gives the handle of an open call by the env of its callbacks, or 0. The table had any of its sizes when the call was
// made.
u32 subtask_of(u32 env) {
  for (u32 size = FIRST_ITEMS; size && size <= item_count; size *= 2) {
    struct item *s = &items[env & (size - 1)];
    if ((s->kind == SUBTASK || s->kind == OPEN_CALL) && s->open && s->env == env) return env & (size - 1);
  }
  return 0;
}

// env_of gives a call the env of its callbacks. The low bits are its handle. The others tell its response from those of calls that
// this memory does not know, because they were made before an upgrade or after a snapshot: they come from the version of the
// canister, which every message has for itself. The factor, 2^32 divided by the golden ratio, keeps those of near versions apart.
u32 env_of(u32 handle) {
  u32 tag = (u32)ic0_canister_version() * 0x9e3779b9;
  u32 env = (tag & -item_count) | handle;
  while (subtask_of(env)) env += item_count;
  return items[handle].env = env;
}

u32 start_subtask(u8 *result) {
  u32 handle = add_item(SUBTASK);
  struct item *s = &items[handle];
  s->task = current;
  s->answering = answering;
  s->state = STATE_STARTED;
  s->open = 1;
  s->result = result;
  current->made++;
  answering->open++;
  return handle;
}

static void close_call(u32 handle) {
  items[handle].open = 0;
  items[handle].task->made--;
  items[handle].answering->open--;
}

void forget_subtask(u32 handle) {
  close_call(handle);
  free_handle(handle);
}

// The calling convention of an asynchronous import: the state, and the handle of a subtask that is not resolved.
u32 started(u32 handle) { return handle << 4 | STATE_STARTED; }
u32 returned(void) { return STATE_RETURNED; }

// response_to gives where the response of a call goes: nowhere if the program cancelled the call.
u8 *response_to(u32 handle) { return items[handle].state == STATE_STARTED ? items[handle].result : 0; }

// end_call records that the response of a call is there, which is the last that the runtime needs to know of it.
static void end_call(u32 handle) {
  struct task *t = items[handle].task;
  close_call(handle);
  if (t != answering) free_task(t);
  free_task(answering);
  if (items[handle].kind == OPEN_CALL) free_handle(handle);
}

// resolve ends a subtask, and runs the tasks that can go on.
void resolve(u32 handle) {
  struct item *s = &items[handle];
  const struct task *t = s->task;
  answering = s->answering;
  end_call(handle);
  if (s->kind == SUBTASK && s->state == STATE_STARTED) {
    s->state = STATE_RETURNED;
    notify(handle);
  }
  if (answering->waits && next_event(answering->waits)) wake(answering->waits);
  end_message(t);
}

// take_subtask gives the state of a subtask whose event the program gets.
u32 take_subtask(struct item *s) {
  s->pending = 0;
  s->delivered = 1;
  return s->state;
}

// abandon ends the task of a call whose callback trapped: the network has undone what the message did, and the response is lost. It
// has also rejected a call that nothing else can answer.
void abandon(u32 handle) {
  struct task *t = items[handle].task, *answered = items[handle].answering;
  close_call(handle);
  if (t->ended) free_task(t);
  else lose(t);
  if (answered != t && is_stuck(answered)) lose(answered);
  else if (answered != t) free_task(answered);
  if (items[handle].kind == OPEN_CALL) free_handle(handle);
}

// Built-in functions, by their names in the specification.

// subtask.cancel tells no canister: the network cannot cancel a call. Its response is ignored.
EXPORT("subtask.cancel") u32 subtask_cancel(u32 handle) {
  struct item *s = item_at(handle, SUBTASK);
  if (s->delivered) fail("`subtask.cancel` called after terminal status delivered");
  if (s->state == STATE_STARTED) s->state = STATE_CANCELLED;
  return take_subtask(s);
}

EXPORT("subtask.drop") void subtask_drop(u32 handle) {
  struct item *s = item_at(handle, SUBTASK);
  if (!s->delivered) fail("cannot drop a subtask which has not yet resolved");
  leave_set(handle);
  if (s->open) s->kind = OPEN_CALL;
  else free_handle(handle);
}

EXPORT("task.cancel") void task_cancel(void) { fail("the component confirmed a cancellation that did not happen"); }
EXPORT("thread.yield") u32 thread_yield(void) { return 0; }
EXPORT("context.get") u32 context_get(u32 slot) { return current ? current->context[slot] : 0; }
EXPORT("context.set") void context_set(u32 slot, u32 value) { if (current) current->context[slot] = value; }

EXPORT("backpressure.inc") void backpressure_inc(void) {
  if (++backpressure > 0xffff) fail("backpressure counter overflow");
}

EXPORT("backpressure.dec") void backpressure_dec(void) {
  if (!backpressure--) fail("backpressure counter overflow");
}

EXPORT("start") void start(u64 *values, const u8 *data, u32 handles) {
  slots = values;
  tables = data;
  most_handles = handles;
}
