// The functions of WASI 0.2 that a canister has, by the names of its interfaces. The linker calls them with the parameters of the
// component; the last one is where a result goes that is not one core value.
#include "runtime.h"
#include "handles.h"

IMPORT("ic0", "time") u64 ic0_time(void);
IMPORT("ic0", "debug_print") void ic0_debug_print(const void *from, u32 size);
IMPORT("ic0", "performance_counter") u64 ic0_performance_counter(u32 kind);
IMPORT("ic0", "canister_version") u64 ic0_canister_version(void);
IMPORT("ic0", "env_var_count") u32 ic0_env_var_count(void);
IMPORT("ic0", "env_var_name_size") u32 ic0_env_var_name_size(u32 index);
IMPORT("ic0", "env_var_name_copy") void ic0_env_var_name_copy(u32 index, void *to, u32 offset, u32 size);
IMPORT("ic0", "env_var_value_size") u32 ic0_env_var_value_size(const void *name, u32 size);
IMPORT("ic0", "env_var_value_copy") void ic0_env_var_value_copy(const void *name, u32 name_size, void *to, u32 offset, u32 size);

enum {
  MOST_LINE = 32 << 10,     // bytes of a record of the log, as those of canisterd wasm polyfill
  MOST_WRITE = 1 << 20,     // bytes that an output stream permits (check-write)
  MOST_BLOCKING_WRITE = 4096, // the specification's
  MOST_NAME = 128,          // bytes of the name of an environment variable; the network's
};

enum { OK = 0, ERR = 1, CLOSED = 1, NONE = 0 }; // cases of results, of stream-error, of options

// give_list gives the program a list of which the caller writes the content.
static void *give_list(u8 *to, u32 align, u32 count, u32 element) {
  void *list = count ? import_realloc(0, 0, align, count * element) : (void *)align;
  *(u32 *)to = (u32)list;
  *(u32 *)(to + 4) = count;
  return list;
}

// Standard output and standard error: each line is a record of the log of the canister.

enum { STDOUT = 1, STDERR };

static struct {
  u32 stream; // that wrote it
  u32 size;
  u8 *bytes; // MOST_LINE; 0 before the first line that a write does not end
} line;

// end_line ends a line at the end of a message, too.
EXPORT("end_line") void end_line(void) {
  if (line.size) ic0_debug_print(line.bytes, line.size);
  line.size = 0;
}

static void begin_line(const u8 *from, u32 size) {
  if (!line.bytes) line.bytes = program_realloc(0, 0, 1, MOST_LINE);
  copy(line.bytes + line.size, from, size);
  line.size += size;
}

static void print(u32 stream, const u8 *from, u32 size) {
  if (line.stream != stream) end_line();
  line.stream = stream;
  while (size) {
    u32 n = 0, room = MOST_LINE - line.size;
    while (n < size && n < room && from[n] != '\n') n++;
    u32 ended = n < size && from[n] == '\n';
    if (line.size || (!ended && n < room)) begin_line(from, n);
    else if (n) ic0_debug_print(from, n);
    if (!ended && n < room) return;
    end_line();
    from += n + ended;
    size -= n + ended;
  }
}

static u32 new_stream(u32 kind, u32 stream) {
  u32 handle = add_item(kind);
  items[handle].stream = stream;
  return handle;
}

EXPORT("wasi:cli/stdin#get-stdin") u32 get_stdin(void) { return new_stream(INPUT_STREAM, 0); }
EXPORT("wasi:cli/stdout#get-stdout") u32 get_stdout(void) { return new_stream(OUTPUT_STREAM, STDOUT); }
EXPORT("wasi:cli/stderr#get-stderr") u32 get_stderr(void) { return new_stream(OUTPUT_STREAM, STDERR); }
EXPORT("no-terminal") void no_terminal(u8 *to) { *to = NONE; }

// Input streams are at their end.

static void put_end(u8 *to, u32 payload) {
  *to = ERR;
  to[payload] = CLOSED;
}

EXPORT("wasi:io/streams#[method]input-stream.read") void input_read(u32 handle, u64 most, u8 *to) {
  item_at(handle, INPUT_STREAM);
  if (most) {
    put_end(to, 4);
    return;
  }
  *to = OK;
  give_list(to + 4, 1, 0, 1);
}

// put_none_read is the result of functions that say how much they read.
static void put_none_read(u8 *to, u64 most) {
  if (most) {
    put_end(to, 8);
    return;
  }
  *to = OK;
  *(u64 *)(to + 8) = 0;
}

EXPORT("wasi:io/streams#[method]input-stream.skip") void input_skip(u32 handle, u64 most, u8 *to) {
  item_at(handle, INPUT_STREAM);
  put_none_read(to, most);
}

// Output streams never end, and have no buffer that they must flush.

static void write(u32 handle, const u8 *from, u32 size, u32 most, u8 *to) {
  struct item *s = item_at(handle, OUTPUT_STREAM);
  if (size > most) fail("the component wrote more bytes to an output stream than it permits");
  print(s->stream, from, size);
  *to = OK;
}

static void write_zeroes(u32 handle, u64 size, u32 most, u8 *to) {
  static const u8 zeroes[256];
  struct item *s = item_at(handle, OUTPUT_STREAM);
  if (size > most) fail("the component wrote more bytes to an output stream than it permits");
  for (; size > sizeof zeroes; size -= sizeof zeroes) print(s->stream, zeroes, sizeof zeroes);
  print(s->stream, zeroes, size);
  *to = OK;
}

EXPORT("wasi:io/streams#[method]output-stream.check-write") void output_check_write(u32 handle, u8 *to) {
  item_at(handle, OUTPUT_STREAM);
  *to = OK;
  *(u64 *)(to + 8) = MOST_WRITE;
}

EXPORT("wasi:io/streams#[method]output-stream.write") void output_write(u32 handle, const u8 *from, u32 size, u8 *to) {
  write(handle, from, size, MOST_WRITE, to);
}

EXPORT("wasi:io/streams#[method]output-stream.blocking-write-and-flush")
void output_blocking_write(u32 handle, const u8 *from, u32 size, u8 *to) {
  write(handle, from, size, MOST_BLOCKING_WRITE, to);
}

EXPORT("wasi:io/streams#[method]output-stream.write-zeroes") void output_write_zeroes(u32 handle, u64 size, u8 *to) {
  write_zeroes(handle, size, MOST_WRITE, to);
}

EXPORT("wasi:io/streams#[method]output-stream.blocking-write-zeroes-and-flush")
void output_blocking_write_zeroes(u32 handle, u64 size, u8 *to) {
  write_zeroes(handle, size, MOST_BLOCKING_WRITE, to);
}

EXPORT("wasi:io/streams#[method]output-stream.flush") void output_flush(u32 handle, u8 *to) {
  item_at(handle, OUTPUT_STREAM);
  *to = OK;
}

EXPORT("wasi:io/streams#[method]output-stream.splice") void output_splice(u32 handle, u32 from, u64 most, u8 *to) {
  item_at(handle, OUTPUT_STREAM);
  item_at(from, INPUT_STREAM);
  put_none_read(to, most);
}

// Pollables: streams are always ready, and the time passes only between messages.

static u32 new_pollable(u64 due) {
  u32 handle = add_item(POLLABLE);
  items[handle].due = due;
  return handle;
}

EXPORT("wasi:io/streams#[method]input-stream.subscribe") u32 input_subscribe(u32 handle) {
  item_at(handle, INPUT_STREAM);
  return new_pollable(0);
}

EXPORT("wasi:io/streams#[method]output-stream.subscribe") u32 output_subscribe(u32 handle) {
  item_at(handle, OUTPUT_STREAM);
  return new_pollable(0);
}

static void wait_for_time(void) {
  fail("the component waits for a time within a message, in which time does not pass: set the timer (ic:canister/canister#set-timer) instead");
}

EXPORT("wasi:io/poll#[method]pollable.ready") u32 pollable_ready(u32 handle) {
  struct item *p = item_at(handle, POLLABLE);
  return !p->due || p->due <= ic0_time();
}

EXPORT("wasi:io/poll#[method]pollable.block") void pollable_block(u32 handle) {
  if (!pollable_ready(handle)) wait_for_time();
}

EXPORT("wasi:io/poll#poll") void poll_all(const u32 *handles, u32 count, u8 *to) {
  u32 ready = 0;
  if (!count) fail("the component waits for a list of pollables that is empty");
  for (u32 i = 0; i < count; i++) ready += pollable_ready(handles[i]);
  if (!ready) wait_for_time();
  u32 *list = give_list(to, 4, ready, 4);
  for (u32 i = 0; i < count; i++)
    if (pollable_ready(handles[i])) *list++ = i;
}

// Clocks: the time of the message.

EXPORT("wasi:clocks/monotonic-clock#now") u64 monotonic_now(void) { return ic0_time(); }
EXPORT("wasi:clocks/monotonic-clock#resolution") u64 monotonic_resolution(void) { return 1; }
EXPORT("wasi:clocks/monotonic-clock#subscribe-instant") u32 subscribe_instant(u64 due) { return new_pollable(due); }

EXPORT("wasi:clocks/monotonic-clock#subscribe-duration") u32 subscribe_duration(u64 duration) {
  u64 due = ic0_time() + duration;
  return new_pollable(due < duration ? ~(u64)0 : due);
}

static void put_time(u8 *to, u64 nanoseconds) {
  *(u64 *)to = nanoseconds / 1000000000;
  *(u32 *)(to + 8) = nanoseconds % 1000000000;
}

EXPORT("wasi:clocks/wall-clock#now") void wall_now(u8 *to) { put_time(to, ic0_time()); }
EXPORT("wasi:clocks/wall-clock#resolution") void wall_resolution(u8 *to) { put_time(to, 1); }

// Random numbers: the generator of canisterd wasm polyfill (SplitMix64), which every call stirs. It can be predicted.

static u64 random_state;

static u64 draw(void) {
  u64 z = random_state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static void stir(void) {
  random_state = draw() ^ ic0_time();
  random_state = draw() ^ ic0_canister_version();
  random_state = draw() ^ ic0_performance_counter(0);
}

EXPORT("random-bytes") void random_bytes(u64 size, u8 *to) {
  if (size > 0xffffffff) fail("the component asks for more random bytes than its memory has");
  u8 *list = give_list(to, 1, size, 1);
  u64 bits = 0;
  stir();
  for (u32 i = 0; i < size; i++, bits >>= 8) {
    if (i % 8 == 0) bits = draw();
    list[i] = bits;
  }
}

EXPORT("random-u64") u64 random_u64(void) {
  stir();
  return draw();
}

EXPORT("wasi:random/insecure-seed#insecure-seed") void insecure_seed(u64 *to) {
  stir();
  to[0] = draw();
  to[1] = draw();
}

// The command line.

EXPORT("wasi:cli/environment#get-arguments") void get_arguments(u8 *to) { give_list(to, 4, 0, 8); }
EXPORT("wasi:cli/environment#initial-cwd") void initial_cwd(u8 *to) { *to = NONE; }

// The environment is that of the canister. An allocator may give several strings the same place, to count them: no string is
// read again.
EXPORT("wasi:cli/environment#get-environment") void get_environment(u8 *to) {
  u8 name[MOST_NAME];
  u32 count = ic0_env_var_count();
  u8 *pair = give_list(to, 4, count, 16);
  for (u32 i = 0; i < count; i++, pair += 16) {
    u32 size = ic0_env_var_name_size(i);
    if (size > sizeof name) fail("an environment variable has a name of more than 128 bytes");
    ic0_env_var_name_copy(i, name, 0, size);
    copy(give_list(pair, 1, size, 1), name, size);
    u32 value_size = ic0_env_var_value_size(name, size);
    void *value = give_list(pair + 8, 1, value_size, 1);
    if (value_size) ic0_env_var_value_copy(name, size, value, 0, value_size);
  }
}

static void exit_with(u32 code) {
  struct text t = {0};
  add_text(&t, "the component exited with code ");
  add_number(&t, code);
  end_line();
  trap(&t);
}

EXPORT("wasi:cli/exit#exit") void cli_exit(u32 failed) { exit_with(failed != 0); }
EXPORT("wasi:cli/exit#exit-with-code") void cli_exit_with_code(u32 code) { exit_with(code & 0xff); }

// Files: there are none, so there are no descriptors.

EXPORT("wasi:filesystem/preopens#get-directories") void get_directories(u8 *to) { give_list(to, 4, 0, 12); }

// Interface wasi:logging/logging.
EXPORT("wasi:logging/logging#log")
void logging_log(u32 level, const u8 *about, u32 about_size, const u8 *message, u32 message_size) {
  static const char levels[][10] = {"trace: ", "debug: ", "info: ", "warn: ", "error: ", "critical: "};
  u32 n = 0;
  if (level >= sizeof levels / sizeof *levels) fail("the component logs at a level that does not exist");
  while (n < sizeof *levels && levels[level][n]) n++;
  end_line();
  print(STDERR, (const u8 *)levels[level], n);
  print(STDERR, about, about_size);
  if (about_size) print(STDERR, (const u8 *)": ", 2);
  print(STDERR, message, message_size);
  print(STDERR, (const u8 *)"\n", 1);
}

// What a component does with handles that it cannot have.

EXPORT("no-such-resource") void no_such_resource(u32 name, u32 size) {
  fail_about("the component used ", tables + name, size, ", which a canister does not have");
}

EXPORT("drop-input-stream") void drop_input_stream(u32 handle) { item_at(handle, INPUT_STREAM), free_handle(handle); }
EXPORT("drop-output-stream") void drop_output_stream(u32 handle) { item_at(handle, OUTPUT_STREAM), free_handle(handle); }
EXPORT("drop-pollable") void drop_pollable(u32 handle) { item_at(handle, POLLABLE), free_handle(handle); }
