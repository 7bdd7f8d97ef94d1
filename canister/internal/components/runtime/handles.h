// The table of handles of the component. Handle 0 is none.

// What an item is. Waitables have the code of their events, as the specification numbers them.
enum item_kind {
  FREE = 0, SUBTASK = 1, STREAM_READABLE = 2, STREAM_WRITABLE = 3, FUTURE_READABLE = 4, FUTURE_WRITABLE = 5,
  SET, INPUT_STREAM, OUTPUT_STREAM, POLLABLE, RESOURCE,
  OPEN_CALL, // a call whose response has not come, and whose subtask the program dropped: no handle
};

#define FIRST_ITEMS 16 // that the table has; it doubles when it is full

struct item {
  u32 kind;
  union {
    u32 next_free;
    struct { // a set
      struct task *waiter; // the task whose callback waits for it
      u32 first, last;     // its waitables, in the order in which they joined
    };
    struct { // a waitable
      u32 set, before, after; // the set it is in, and its neighbors there
      u32 pending;            // it has an event that the program does not know
      union {
        struct { // a subtask, or an open call
          struct task *task;      // that made the call
          struct task *answering; // that the message with the response can answer
          u32 state;
          u32 delivered; // the program knows the state
          u32 open;      // the response of the call has not come
          u32 env;       // of its callbacks
          u8 *result;
        };
        struct { // an end of a stream or future
          u32 element; // the type of its elements: a place in the tables
          u32 other;   // the other end; 0 if it was dropped
          u32 copying; // enum copy_state
          u32 waiting; // its buffer is there for the other end
          u32 outcome; // of its copy: enum copy_result
          u8 *buffer;
          u32 length, progress; // of the buffer, in elements
        };
      };
    };
    struct { // a resource of the component
      u32 resource; // its type, by the number that the linker gave it
      u32 representation;
    };
    u32 stream; // of an output stream: STDOUT or STDERR
    u64 due;    // when a pollable is ready
  };
};

extern struct item *items;
extern u32 item_count, most_handles;

struct item *item_at(u32 handle, u32 kind);
// Traps for handles of another kind than was expected.
void fail_handle(u32 handle, const char *expected) __attribute__((noreturn));
void fail_other(u32 handle) __attribute__((noreturn));
u32 add_item(u32 kind);
void free_handle(u32 handle);
