// Streams and futures. Both ends are in the table of handles: no function of a canister passes one to another component. They have no
// buffer of their own: elements are copied from the buffer that one end writes to the one that the other end reads when both
// are there. All state is in the items of the ends, so a trap undoes what the message did.
#include "runtime.h"
#include "handles.h"
#include "waitables.h"

enum copy_state { IDLE, COPYING, DONE };
enum copy_result { COMPLETED, DROPPED, CANCELLED }; // as the specification numbers them

#define BLOCKED 0xffffffff
#define PAGE_BITS 16 // of the memory

// The type of elements, in the tables. The constants are those of ends.go.
struct element {
  u32 kind;
  u32 size, align; // in memory
};

enum { NONE, INTEGER, FLOAT, OTHER };

static u32 most_elements;

static const struct element *element_of(const struct item *e) { return (const struct element *)(tables + e->element); }
static int is_future(const struct item *e) { return e->kind >= FUTURE_READABLE; }
static int is_readable(const struct item *e) { return e->kind % 2 == 0; }
static u32 remain(const struct item *e) { return e->length - e->progress; }
static u32 smaller(u32 a, u32 b) { return a < b ? a : b; }

// fail_with traps with the word stream or future in a text.
static void fail_with(const char *before, const struct item *e, const char *after) {
  fail_about(before, (const u8 *)(is_future(e) ? "future" : "stream"), 6, after);
}

// end_at gives the end of a kind with elements of a type.
static struct item *end_at(u32 handle, u32 kind, u32 element) {
  struct item *e = &items[handle];
  if (!handle || handle >= item_count || e->kind < STREAM_READABLE || e->kind > FUTURE_WRITABLE) fail_handle(handle, "stream or future");
  if (e->kind != kind || e->element != element) fail_other(handle);
  return e;
}

static void end_copy(struct item *e, u32 outcome) {
  e->outcome = outcome;
  notify(e - items);
}

// finish ends the copy of an end whose buffer is there for the other one.
static void finish(struct item *e, u32 outcome) {
  e->waiting = 0;
  end_copy(e, outcome);
}

// normalize gives a NaN the bits that all have, as the deterministic profile does.
static void normalize(u8 *at, u32 size) {
  if (size == 4) {
    u32 *bits = (u32 *)at;
    if ((*bits & 0x7fffffff) > 0x7f800000) *bits = 0x7fc00000;
  } else {
    u64 *bits = (u64 *)at;
    if ((*bits & 0x7fffffffffffffff) > 0x7ff0000000000000) *bits = 0x7ff8000000000000;
  }
}

static void transfer(struct item *to, struct item *from, u32 count) {
  const struct element *t = element_of(to);
  u8 *at = to->buffer + to->progress * t->size;
  if (t->size) __builtin_memmove(at, from->buffer + from->progress * t->size, count * t->size);
  if (t->kind == FLOAT)
    for (u32 i = 0; i < count; i++) normalize(at + i * t->size, t->size);
  to->progress += count;
  from->progress += count;
}

// meet copies between an end and the one whose buffer is there.
static void meet(struct item *e, struct item *other) {
  struct item *to = is_readable(e) ? e : other, *from = is_readable(e) ? other : e;
  u32 count = smaller(remain(to), remain(from));
  if (element_of(e)->kind == OTHER) fail_with("cannot read from and write to intra-component ", e, "");
  if (is_future(e)) {
    transfer(to, from, count);
    finish(other, COMPLETED);
    end_copy(e, COMPLETED);
  } else if (remain(other)) {
    if (count) {
      transfer(to, from, count);
      end_copy(other, COMPLETED); // more may be copied until the program knows
    }
    end_copy(e, COMPLETED);
  } else if (e == from && !e->length && !other->length) {
    end_copy(e, COMPLETED);
  } else {
    finish(other, COMPLETED);
    e->waiting = 1;
  }
}

static void begin_copy(struct item *e) {
  struct item *other = &items[e->other];
  e->copying = COPYING;
  if (!e->other) end_copy(e, DROPPED);
  else if (!other->waiting) e->waiting = 1;
  else meet(e, other);
}

// take_end gives the result of the copy, and for a stream the number of elements.
u32 take_end(struct item *e) {
  e->pending = e->waiting = 0;
  e->copying = e->outcome == DROPPED || (is_future(e) && e->outcome == COMPLETED) ? DONE : IDLE;
  return is_future(e) ? e->outcome : e->progress << 4 | e->outcome;
}

static void check_idle(const struct item *e) {
  if (e->copying == COPYING) fail("cannot have concurrent operations active on a future/stream");
  if (e->copying == IDLE) return;
  switch (e->kind) {
  case STREAM_READABLE: fail("cannot read from stream after being notified that the writable end dropped");
  case STREAM_WRITABLE: fail("cannot write to stream after being notified that the readable end dropped");
  case FUTURE_READABLE: fail("cannot read from future after previous read succeeded");
  default: fail("cannot write to future after previous write succeeded or readable end dropped");
  }
}

static void check_buffer(const struct element *t, u32 at, u32 length) {
  if (length > most_elements) {
    struct text text = {0};
    add_text(&text, "a stream copies at most ");
    add_number(&text, most_elements);
    add_text(&text, " elements at a time, found ");
    add_number(&text, length);
    trap(&text);
  }
  if (t->kind == NONE || !length) return;
  if (at % t->align) fail("unaligned pointer");
  if (at + (u64)length * t->size > (u64)__builtin_wasm_memory_size(0) << PAGE_BITS) fail("stream pointer/length out of bounds of memory");
}

EXPORT("ends_limit") void ends_limit(u32 elements) { most_elements = elements; }

// Built-in functions of streams and futures. The linker says which end, and the type of its elements (ends.go).

EXPORT("ends.new") u64 ends_new(u32 readable, u32 element) {
  u32 r = add_item(readable), w = add_item(readable + 1);
  items[r].element = items[w].element = element;
  items[r].other = w;
  items[w].other = r;
  return r | (u64)w << 32;
}

EXPORT("ends.copy") u32 ends_copy(u32 handle, u8 *buffer, u32 length, u32 kind, u32 element, u32 async) {
  struct item *e = end_at(handle, kind, element);
  check_idle(e);
  if (e->set && !async) fail_in_set();
  check_buffer(element_of(e), (u32)buffer, length);
  e->buffer = buffer;
  e->length = length;
  e->progress = 0;
  begin_copy(e);
  if (e->pending) return take_end(e);
  if (!async) fail_with("the component waits for a ", e, " in core code, but only a callback can wait in a canister");
  return BLOCKED;
}

// A copy that is cancelled ends at once: both ends are here.
EXPORT("ends.cancel") u32 ends_cancel(u32 handle, u32 kind, u32 element, u32 async) {
  struct item *e = end_at(handle, kind, element);
  if (e->copying != COPYING) fail_with("cannot cancel an operation that is not active on a ", e, "");
  if (e->set && !async) fail_in_set();
  if (e->waiting) e->outcome = CANCELLED; // also after a part was copied
  return take_end(e);
}

EXPORT("ends.drop") void ends_drop(u32 handle, u32 kind, u32 element) {
  struct item *e = end_at(handle, kind, element);
  if (e->copying == COPYING) fail_with(is_readable(e) ? "cannot remove busy " : "cannot drop busy ", e, "");
  if (e->kind == FUTURE_WRITABLE && e->copying != DONE) fail("cannot drop future write end without first writing a value");
  struct item *other = &items[e->other];
  if (e->other) {
    other->other = 0;
    if (other->waiting) finish(other, DROPPED);
  }
  leave_set(handle);
  free_handle(handle);
}
