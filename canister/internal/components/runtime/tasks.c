// Tasks, subtasks and waitable sets: what the asynchronous ABI needs. A task is a call context, a subtask is a call that the task
// made and whose response has not come. All state is in the memory of the program, so a trap undoes what the message did.
#include "runtime.h"
#include "handles.h"
#include "tasks.h"

enum { STATE_STARTED = 1, STATE_RETURNED = 2, STATE_CANCELLED = 4 }; // of a subtask, as the specification numbers them
enum { EVENT_NONE = 0, EVENT_SUBTASK = 1 };
enum { CODE_EXIT = 0, CODE_YIELD = 1, CODE_WAIT = 2 }; // that a callback returns

static struct task *current, *spare;
static u32 backpressure;

struct task *current_task(void) { return current; }

static struct task *new_task(u32 function) {
  struct task *t = spare;
  if (t) spare = t->next_spare;
  else t = program_realloc(0, 0, 8, sizeof *t);
  __builtin_memset(t, 0, sizeof *t);
  t->function = function;
  return t;
}

// end_task frees a task that has ended, once no call refers to it. It is called when either happens.
static void end_task(struct task *t) {
  if (!t->ended || t->open) return;
  t->next_spare = spare;
  spare = t;
}

// Sets.

static void leave_set(u32 handle) {
  struct item *s = &items[handle];
  if (!s->set) return;
  struct item *set = &items[s->set];
  if (s->before) items[s->before].after = s->after;
  else set->first = s->after;
  if (s->after) items[s->after].before = s->before;
  else set->last = s->before;
  s->set = s->before = s->after = 0;
}

static void join(u32 handle, u32 to) {
  item_at(handle, SUBTASK);
  if (to) item_at(to, SET);
  leave_set(handle);
  if (!to) return;
  struct item *s = &items[handle], *set = &items[to];
  s->set = to;
  s->before = set->last;
  if (set->last) items[set->last].after = handle;
  else set->first = handle;
  set->last = handle;
}

// next_event gives the subtask of a set whose state the program does not know: of those, the one that joined first.
static u32 next_event(u32 set) {
  for (u32 i = items[set].first; i; i = items[i].after)
    if (items[i].state != STATE_STARTED && !items[i].delivered) return i;
  return 0;
}

// poll delivers an event to the program: it gives its code, and what it is about.
static u32 poll(u32 set, u32 *event) {
  item_at(set, SET);
  u32 i = next_event(set);
  event[0] = i;
  event[1] = i ? items[i].state : 0;
  if (!i) return EVENT_NONE;
  items[i].delivered = 1;
  return EVENT_SUBTASK;
}

// Tasks.

// run goes on with a task after its function, or its callback, returned a code.
static void run(struct task *t, u32 code) {
  for (;;) {
    u32 event[2] = {0, 0}, kind = EVENT_NONE;
    switch (code & 0xf) {
    case CODE_EXIT:
      if (!t->returned) fail_in("", function_at(t->function), " exited without a result");
      t->ended = 1;
      end_task(t);
      return;
    case CODE_YIELD: // it goes on: the message ends only when a task waits
      break;
    case CODE_WAIT:
      kind = poll(code >> 4, event);
      if (kind != EVENT_NONE) break;
      if (!t->open) fail_in("", function_at(t->function), " waits, and has made no call that could wake it");
      if (items[code >> 4].waiter) fail("two tasks wait for one waitable set");
      items[code >> 4].waiter = t;
      return;
    default:
      fail("a callback returned a code that does not exist");
    }
    code = program_callback(t->function, kind, event[0], event[1]);
  }
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

// begin_task begins a task with the message.
static void begin_task(u32 number) {
  u8 image[256] __attribute__((aligned(8)));
  const struct function *f = function_at(number);
  const struct type *params = type_at(f->params);
  if (backpressure && !(f->flags & SILENT)) {
    static const char text[] = "the component takes no calls now (backpressure)";
    ic0_msg_reject(text, sizeof text - 1);
    return;
  }
  struct task *t = current = new_task(number);
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
    return;
  }
  slots[0] = result;
  if (!t->returned) reply_with(f);
  if (f->flags & POST_RETURN) program_post_return(number, result);
  t->ended = 1;
  end_task(t);
}

EXPORT("enter") void enter_function(u32 number) {
  begin_task(number);
  end_line();
}

// answered records that the message of the current task has its answer.
void answered(void) {
  if (current->returned) fail_in("", function_at(current->function), " returned twice");
  current->returned = 1;
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
    if (s->kind == SUBTASK && s->open && s->env == env) return env & (size - 1);
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
  s->state = STATE_STARTED;
  s->open = 1;
  s->result = result;
  current->open++;
  return handle;
}

void forget_subtask(u32 handle) {
  items[handle].task->open--;
  free_handle(handle);
}

// The calling convention of an asynchronous import: the state, and the handle of a subtask that is not resolved.
u32 started(u32 handle) { return handle << 4 | STATE_STARTED; }
u32 returned(void) { return STATE_RETURNED; }

// response_to gives where the response of a call goes: nowhere if the program cancelled the call.
u8 *response_to(u32 handle) { return items[handle].state == STATE_STARTED ? items[handle].result : 0; }

// close_call records that the response of a call is there.
static struct task *close_call(u32 handle) {
  struct item *s = &items[handle];
  struct task *t = s->task;
  s->open = 0;
  t->open--;
  if (s->dropped) free_handle(handle);
  return t;
}

// resolve ends a subtask, and runs the task that waits for it.
void resolve(u32 handle) {
  u32 set = items[handle].set;
  if (items[handle].state == STATE_STARTED) items[handle].state = STATE_RETURNED;
  struct task *t = current = close_call(handle);
  struct task *waiter = set ? items[set].waiter : 0;
  if (waiter && next_event(set)) {
    // The message answers the call that made the subtask: another one could not be replied to.
    if (waiter != t) fail("a task waits for a call that another task made");
    items[set].waiter = 0;
    run(t, set << 4 | CODE_WAIT);
    return;
  }
  if (!t->open && waiter == t) fail_in("", function_at(t->function), " waits, and has made no call that could wake it");
  end_task(t);
}

// abandon ends the task of a call whose callback trapped: the network has undone what the message did.
void abandon(u32 handle) {
  struct task *t = close_call(handle);
  for (u32 i = 1; i < item_count; i++)
    if (items[i].kind == SET && items[i].waiter == t) items[i].waiter = 0;
  t->returned = t->ended = 1;
  end_task(t);
}

// Built-in functions, by their names in the specification.

EXPORT("waitable-set.new") u32 waitable_set_new(void) { return add_item(SET); }

EXPORT("waitable-set.poll") u32 waitable_set_poll(u32 set, u32 *event) { return poll(set, event); }

EXPORT("waitable-set.wait") u32 waitable_set_wait(u32 set, u32 *event) {
  u32 code = poll(set, event);
  if (code == EVENT_NONE) fail("the component waits with waitable-set.wait, but only a callback can wait in a canister");
  return code;
}

EXPORT("waitable-set.drop") void waitable_set_drop(u32 set) {
  struct item *s = item_at(set, SET);
  if (s->first || s->waiter) fail("the component dropped a waitable set that is in use");
  free_handle(set);
}

EXPORT("waitable.join") void waitable_join(u32 handle, u32 set) { join(handle, set); }

// subtask.cancel tells no canister: the network cannot cancel a call. Its response is ignored.
EXPORT("subtask.cancel") u32 subtask_cancel(u32 handle) {
  struct item *s = item_at(handle, SUBTASK);
  if (s->delivered) fail("the component cancelled a subtask that has ended");
  if (s->state == STATE_STARTED) s->state = STATE_CANCELLED;
  s->delivered = 1;
  return s->state;
}

EXPORT("subtask.drop") void subtask_drop(u32 handle) {
  struct item *s = item_at(handle, SUBTASK);
  if (!s->delivered || s->dropped) fail("the component dropped a subtask that has not ended");
  leave_set(handle);
  s->dropped = 1;
  if (!s->open) free_handle(handle);
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

EXPORT("start") void start(u64 *values, const u8 *data) {
  slots = values;
  tables = data;
}
