// The table of handles: waitables and their sets, and the resources of WASI that the program has.
#include "runtime.h"
#include "handles.h"

struct item *items;
u32 item_count, most_handles;
static u32 free_item, handle_count;

static const char kind_names[][28] = { // of enum item_kind
  "", "subtask", "readable end of a stream", "writable end of a stream", "readable end of a future", "writable end of a future",
  "waitable set", "input stream", "output stream", "pollable", "resource",
};

static u32 kind_of(u32 handle) {
  u32 kind = handle && handle < item_count ? items[handle].kind : FREE;
  return kind == OPEN_CALL ? FREE : kind;
}

// wrong_type begins the text of a trap about a handle. It traps if there is none.
static struct text wrong_type(u32 handle) {
  struct text t = {0};
  u32 kind = kind_of(handle);
  add_text(&t, kind == FREE ? "unknown handle index " : "handle index ");
  add_number(&t, handle);
  if (kind == FREE) trap(&t);
  add_text(&t, " used with the wrong type, ");
  return t;
}

void fail_handle(u32 handle, const char *expected) {
  struct text t = wrong_type(handle);
  add_text(&t, "expected ");
  add_text(&t, expected);
  add_text(&t, " but found ");
  add_text(&t, kind_names[items[handle].kind]);
  trap(&t);
}

void fail_other(u32 handle) {
  struct text t = wrong_type(handle);
  add_text(&t, "found the ");
  add_text(&t, kind_names[items[handle].kind]);
  trap(&t);
}

struct item *item_at(u32 handle, u32 kind) {
  if (kind_of(handle) != kind) fail_handle(handle, kind_names[kind]);
  return &items[handle];
}

static void grow(void) {
  u32 more = item_count ? 2 * item_count : FIRST_ITEMS;
  items = program_realloc(items, item_count * sizeof *items, 8, more * sizeof *items);
  for (u32 i = more; i-- > item_count;) {
    items[i].kind = FREE;
    if (!i) break;
    items[i].next_free = free_item;
    free_item = i;
  }
  item_count = more;
}

u32 add_item(u32 kind) {
  if (handle_count == most_handles) {
    struct text t = {0};
    add_text(&t, "the handle table is full: it has ");
    add_number(&t, most_handles);
    add_text(&t, " handles");
    trap(&t);
  }
  handle_count++;
  if (!free_item) grow();
  u32 handle = free_item;
  free_item = items[handle].next_free;
  __builtin_memset(&items[handle], 0, sizeof *items);
  items[handle].kind = kind;
  return handle;
}

void free_handle(u32 handle) {
  handle_count--;
  items[handle].kind = FREE;
  items[handle].next_free = free_item;
  free_item = handle;
}

// Resources of the component: no function of a canister passes one, so all are its own.

static struct item *resource_at(u32 handle, u32 resource) {
  struct item *r = item_at(handle, RESOURCE);
  if (r->resource == resource) return r;
  struct text t = wrong_type(handle);
  add_text(&t, "expected guest-defined resource but found a different guest-defined resource");
  trap(&t);
}

EXPORT("resource.new") u32 resource_new(u32 representation, u32 resource) {
  u32 handle = add_item(RESOURCE);
  items[handle].resource = resource;
  items[handle].representation = representation;
  return handle;
}

EXPORT("resource.rep") u32 resource_rep(u32 handle, u32 resource) { return resource_at(handle, resource)->representation; }

EXPORT("resource.remove") u32 resource_remove(u32 handle, u32 resource) {
  u32 representation = resource_at(handle, resource)->representation;
  free_handle(handle);
  return representation;
}
