// Waitables and their sets: subtasks, and the ends of streams and futures.
#include "runtime.h"
#include "handles.h"
#include "waitables.h"

static int is_waitable(u32 handle) {
  return handle && handle < item_count && items[handle].kind >= SUBTASK && items[handle].kind <= FUTURE_WRITABLE;
}

void fail_in_set(void) { fail("waitable cannot be used synchronously while added to a waitable set"); }

void leave_set(u32 handle) {
  struct item *s = &items[handle];
  if (!s->set) return;
  struct item *set = &items[s->set];
  if (s->before) items[s->before].after = s->after;
  else set->first = s->after;
  if (s->after) items[s->after].before = s->before;
  else set->last = s->before;
  s->set = s->before = s->after = 0;
}

// notify records that a waitable has an event.
void notify(u32 handle) {
  items[handle].pending = 1;
  if (items[handle].set) wake(items[handle].set);
}

// next_event gives the waitable of a set that has an event: of those, the one that joined first.
u32 next_event(u32 set) {
  for (u32 i = items[set].first; i; i = items[i].after)
    if (items[i].pending) return i;
  return 0;
}

// poll delivers an event to the program, and gives its code.
u32 poll(u32 set, struct event *e) {
  u32 handle = next_event(set);
  e->handle = handle;
  e->payload = 0;
  if (!handle) return EVENT_NONE;
  struct item *w = &items[handle];
  e->payload = w->kind == SUBTASK ? take_subtask(w) : take_end(w);
  return w->kind;
}

// Built-in functions, by their names in the specification.

EXPORT("waitable-set.new") u32 waitable_set_new(void) { return add_item(SET); }

EXPORT("waitable-set.poll") u32 waitable_set_poll(u32 set, struct event *e) {
  item_at(set, SET);
  return poll(set, e);
}

EXPORT("waitable-set.wait") u32 waitable_set_wait(u32 set, struct event *e) {
  item_at(set, SET);
  u32 code = poll(set, e);
  if (code == EVENT_NONE) fail("the component waits with waitable-set.wait, but only a callback can wait in a canister");
  return code;
}

EXPORT("waitable-set.drop") void waitable_set_drop(u32 set) {
  struct item *s = item_at(set, SET);
  if (s->first) fail("cannot drop waitable set with waitables in it");
  if (s->waiter) fail("cannot drop waitable set with waiters");
  free_handle(set);
}

EXPORT("waitable.join") void waitable_join(u32 handle, u32 to) {
  if (!is_waitable(handle)) fail_handle(handle, "waitable");
  if (to) item_at(to, SET);
  leave_set(handle);
  if (!to) return;
  struct item *s = &items[handle], *set = &items[to];
  s->set = to;
  s->before = set->last;
  if (set->last) items[set->last].after = handle;
  else set->first = handle;
  set->last = handle;
  if (s->pending) wake(to);
}
