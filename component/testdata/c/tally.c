// A component in C, with the functions of the Canonical ABI written by hand: lists and strings, and a function that waits without
// a stack of its own.

typedef __UINT32_TYPE__ u32;
typedef __UINT64_TYPE__ u64;

#define IMPORT(module, name) __attribute__((import_module(module), import_name(name))) extern
#define EXPORT(name) __attribute__((export_name(name)))

IMPORT("wasi:clocks/monotonic-clock@0.3.0", "now") u64 now(void);
IMPORT("wasi:clocks/monotonic-clock@0.3.0", "[async-lower]wait-for") u32 wait_for(u64 nanoseconds);
IMPORT("$root", "[waitable-set-new]") u32 set_new(void);
IMPORT("$root", "[waitable-set-drop]") void set_drop(u32 set);
IMPORT("$root", "[waitable-join]") void join_set(u32 waitable, u32 set);
IMPORT("$root", "[subtask-drop]") void subtask_drop(u32 subtask);
IMPORT("[export]$root", "[task-return]alarm") void return_alarm(u64 milliseconds);

extern char __heap_base;
static u32 heap; // the end of what is allocated; 0 before the first time

static void *allocate(u32 bytes, u32 align) {
  if (heap == 0)
    heap = (u32)&__heap_base;
  heap = (heap + align - 1) & -align;
  u32 start = heap;
  heap += bytes;
  while (heap > __builtin_wasm_memory_size(0) << 16)
    if (__builtin_wasm_memory_grow(0, 1) == (__SIZE_TYPE__)-1)
      __builtin_trap();
  return (void *)start;
}

static void copy(char *to, const char *from, u32 bytes) {
  for (u32 i = 0; i < bytes; i++)
    to[i] = from[i];
}

EXPORT("cabi_realloc") void *reallocate(void *old, u32 had, u32 align, u32 bytes) {
  void *new = allocate(bytes, align);
  copy(new, old, had < bytes ? had : bytes);
  return new;
}

EXPORT("total") u64 total(const u32 *amounts, u32 length) {
  u64 sum = 0;
  for (u32 i = 0; i < length; i++)
    sum += amounts[i];
  return sum;
}

typedef struct {
  char *bytes;
  u32 length;
} string;

EXPORT("join") string *join(const string *words, u32 count, const char *separator, u32 separator_length) {
  static string joined;
  joined.length = 0;
  for (u32 i = 0; i < count; i++)
    joined.length += words[i].length + (i > 0 ? separator_length : 0);
  joined.bytes = allocate(joined.length, 1);
  char *at = joined.bytes;
  for (u32 i = 0; i < count; i++) {
    if (i > 0) {
      copy(at, separator, separator_length);
      at += separator_length;
    }
    copy(at, words[i].bytes, words[i].length);
    at += words[i].length;
  }
  return &joined;
}

// Memory of a call is free after it: nothing is kept.
EXPORT("cabi_post_join") void after_join(string *result) {
  (void)result;
  heap = 0;
}

// Codes of the Canonical ABI.
enum { EXIT = 0, WAIT = 2, EVENT_SUBTASK = 1, RETURNED = 2 };

enum { MILLISECOND = 1000000, MAX_SUBTASKS = 64 };

// Calls of alarm that wait, by their subtasks.
static struct {
  u32 set;
  u64 start;
} waiting[MAX_SUBTASKS];

EXPORT("[async-lift]alarm") u32 alarm(u64 milliseconds) {
  u64 start = now();
  u32 status = wait_for(milliseconds * MILLISECOND);
  u32 subtask = status >> 4;
  if ((status & 0xf) == RETURNED) {
    return_alarm((now() - start) / MILLISECOND);
    return EXIT;
  }
  if (subtask >= MAX_SUBTASKS)
    __builtin_trap();
  u32 set = set_new();
  join_set(subtask, set);
  waiting[subtask].set = set;
  waiting[subtask].start = start;
  return WAIT | set << 4;
}

EXPORT("[callback][async-lift]alarm") u32 alarm_goes_on(u32 event, u32 subtask, u32 state) {
  if (event != EVENT_SUBTASK || state != RETURNED)
    __builtin_trap();
  subtask_drop(subtask);
  set_drop(waiting[subtask].set);
  return_alarm((now() - waiting[subtask].start) / MILLISECOND);
  return EXIT;
}
