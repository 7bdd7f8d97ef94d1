// The table of handles of the component. Handle 0 is none.

enum item_kind {
  FREE = 0, SET, SUBTASK, INPUT_STREAM, OUTPUT_STREAM, POLLABLE
};

#define FIRST_ITEMS 16 // that the table has; it doubles when it is full

struct item {
  u32 kind;
  u32 next_free;
  // A set.
  struct task *waiter; // the task whose callback waits for it
  u32 first, last;     // its subtasks, in the order in which they joined
  // A subtask.
  struct task *task;
  u32 set, before, after; // the set it is in, and its neighbors there
  u32 state;
  u32 delivered; // the program knows the state
  u32 dropped;
  u32 open; // the response of the call has not come
  u32 env;  // of its callbacks
  u8 *result;
  // An output stream.
  u32 stream; // STDOUT or STDERR
  // A pollable.
  u64 due; // when it is ready
};

extern struct item *items;
extern u32 item_count;

struct item *item_at(u32 handle, u32 kind);
u32 add_item(u32 kind);
void free_handle(u32 handle);
