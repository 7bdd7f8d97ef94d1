// The table of handles: waitable sets and subtasks, and the resources of WASI that the program has.
#include "runtime.h"
#include "handles.h"

struct item *items;
u32 item_count;
static u32 free_item;

struct item *item_at(u32 handle, u32 kind) {
  if (handle < item_count && items[handle].kind == kind) return &items[handle];
  switch (kind) {
  case SET: fail("the component used a handle that is no waitable set");
  case SUBTASK: fail("the component used a handle that is no subtask");
  case INPUT_STREAM: fail("the component used a handle that is no input stream");
  case OUTPUT_STREAM: fail("the component used a handle that is no output stream");
  default: fail("the component used a handle that is no pollable");
  }
}

u32 add_item(u32 kind) {
  if (!free_item) {
    u32 more = item_count ? 2 * item_count : FIRST_ITEMS;
    items = program_realloc(items, item_count * sizeof *items, 8, more * sizeof *items);
    for (u32 i = more - 1; i >= item_count && i; i--) {
      items[i].kind = FREE;
      items[i].next_free = free_item;
      free_item = i;
    }
    item_count = more;
  }
  u32 handle = free_item;
  free_item = items[handle].next_free;
  __builtin_memset(&items[handle], 0, sizeof *items);
  items[handle].kind = kind;
  return handle;
}

void free_handle(u32 handle) {
  items[handle].kind = FREE;
  items[handle].next_free = free_item;
  free_item = handle;
}
