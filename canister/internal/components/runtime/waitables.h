// Waitables, and the sets in which tasks wait for them.

enum { EVENT_NONE = 0 }; // the others are kinds of waitables

struct event {
  u32 handle, payload; // as waitable-set.poll stores them
};

void fail_in_set(void) __attribute__((noreturn));
void notify(u32 handle);
void leave_set(u32 handle);
u32 next_event(u32 set);
u32 poll(u32 set, struct event *e);

// tasks.c
void wake(u32 set);
u32 take_subtask(struct item *s);

// ends.c
u32 take_end(struct item *e);
