// A program with WASI 0.2 that is a canister: it calls all functions of WASI that a canister has. The functions of the Canonical ABI
// are written by hand.

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#define IMPORT(module, name) __attribute__((import_module(module "@0.2.3"), import_name(name))) extern
#define EXPORT(name) __attribute__((export_name(name)))
#define STREAMS "wasi:io/streams"

IMPORT("wasi:cli/environment", "get-environment") void get_environment(void *to);
IMPORT("wasi:cli/environment", "get-arguments") void get_arguments(void *to);
IMPORT("wasi:cli/environment", "initial-cwd") void initial_cwd(void *to);
IMPORT("wasi:cli/exit", "exit") void cli_exit(u32 failed);
IMPORT("wasi:cli/exit", "exit-with-code") void exit_with_code(u32 code);
IMPORT("wasi:cli/stdin", "get-stdin") u32 get_stdin(void);
IMPORT("wasi:cli/stdout", "get-stdout") u32 get_stdout(void);
IMPORT("wasi:cli/stderr", "get-stderr") u32 get_stderr(void);
IMPORT("wasi:cli/terminal-stdin", "get-terminal-stdin") void terminal_stdin(void *to);
IMPORT("wasi:cli/terminal-stdout", "get-terminal-stdout") void terminal_stdout(void *to);
IMPORT("wasi:cli/terminal-stderr", "get-terminal-stderr") void terminal_stderr(void *to);
IMPORT("wasi:clocks/monotonic-clock", "now") u64 monotonic_now(void);
IMPORT("wasi:clocks/monotonic-clock", "resolution") u64 monotonic_resolution(void);
IMPORT("wasi:clocks/monotonic-clock", "subscribe-instant") u32 subscribe_instant(u64 when);
IMPORT("wasi:clocks/monotonic-clock", "subscribe-duration") u32 subscribe_duration(u64 duration);
IMPORT("wasi:clocks/wall-clock", "now") void wall_now(void *to);
IMPORT("wasi:clocks/wall-clock", "resolution") void wall_resolution(void *to);
IMPORT("wasi:filesystem/types", "[method]descriptor.sync") void descriptor_sync(u32 descriptor, void *to);
IMPORT("wasi:filesystem/types", "[resource-drop]descriptor") void drop_descriptor(u32 descriptor);
IMPORT("wasi:filesystem/types", "filesystem-error-code") void filesystem_error_code(u32 error, void *to);
IMPORT("wasi:filesystem/preopens", "get-directories") void get_directories(void *to);
IMPORT("wasi:io/error", "[method]error.to-debug-string") void error_text(u32 error, void *to);
IMPORT("wasi:io/error", "[resource-drop]error") void drop_error(u32 error);
IMPORT("wasi:io/poll", "[method]pollable.ready") u32 pollable_ready(u32 pollable);
IMPORT("wasi:io/poll", "[method]pollable.block") void pollable_block(u32 pollable);
IMPORT("wasi:io/poll", "[resource-drop]pollable") void drop_pollable(u32 pollable);
IMPORT("wasi:io/poll", "poll") void poll(const u32 *pollables, u32 count, void *to);
IMPORT(STREAMS, "[method]input-stream.read") void input_read(u32 stream, u64 most, void *to);
IMPORT(STREAMS, "[method]input-stream.blocking-read") void input_blocking_read(u32 stream, u64 most, void *to);
IMPORT(STREAMS, "[method]input-stream.skip") void input_skip(u32 stream, u64 most, void *to);
IMPORT(STREAMS, "[method]input-stream.blocking-skip") void input_blocking_skip(u32 stream, u64 most, void *to);
IMPORT(STREAMS, "[method]input-stream.subscribe") u32 input_subscribe(u32 stream);
IMPORT(STREAMS, "[resource-drop]input-stream") void drop_input(u32 stream);
IMPORT(STREAMS, "[method]output-stream.check-write") void check_write(u32 stream, void *to);
IMPORT(STREAMS, "[method]output-stream.write") void output_write(u32 stream, const void *from, u32 size, void *to);
IMPORT(STREAMS, "[method]output-stream.blocking-write-and-flush") void write_and_flush(u32 stream, const void *from, u32 size, void *to);
IMPORT(STREAMS, "[method]output-stream.flush") void flush(u32 stream, void *to);
IMPORT(STREAMS, "[method]output-stream.blocking-flush") void blocking_flush(u32 stream, void *to);
IMPORT(STREAMS, "[method]output-stream.subscribe") u32 output_subscribe(u32 stream);
IMPORT(STREAMS, "[method]output-stream.write-zeroes") void write_zeroes(u32 stream, u64 size, void *to);
IMPORT(STREAMS, "[method]output-stream.blocking-write-zeroes-and-flush") void write_zeroes_and_flush(u32 stream, u64 size, void *to);
IMPORT(STREAMS, "[method]output-stream.splice") void splice(u32 stream, u32 from, u64 most, void *to);
IMPORT(STREAMS, "[method]output-stream.blocking-splice") void blocking_splice(u32 stream, u32 from, u64 most, void *to);
IMPORT(STREAMS, "[resource-drop]output-stream") void drop_output(u32 stream);
IMPORT("wasi:sockets/instance-network", "instance-network") u32 instance_network(void);
IMPORT("wasi:random/random", "get-random-bytes") void random_bytes(u64 size, void *to);
IMPORT("wasi:random/random", "get-random-u64") u64 random_u64(void);
IMPORT("wasi:random/insecure", "get-insecure-random-bytes") void insecure_bytes(u64 size, void *to);
IMPORT("wasi:random/insecure", "get-insecure-random-u64") u64 insecure_u64(void);
IMPORT("wasi:random/insecure-seed", "insecure-seed") void insecure_seed(void *to);
__attribute__((import_module("wasi:logging/logging@0.1.0-draft"), import_name("log"))) extern
void logging_log(u32 level, const void *about, u32 about_size, const void *message, u32 message_size);

// reallocate gives memory that is never free again.
EXPORT("cabi_realloc") void *reallocate(void *old, u32 had, u32 align, u32 bytes) {
  extern u8 __heap_base;
  static u32 end;
  if (!end) end = (u32)&__heap_base;
  u8 *place = (u8 *)((end + align - 1) & -align);
  end = (u32)place + bytes;
  while (end > __builtin_wasm_memory_size(0) << 16)
    if (__builtin_wasm_memory_grow(0, 1) == (__SIZE_TYPE__)-1) __builtin_trap();
  __builtin_memcpy(place, old, had);
  return place;
}

static u64 result[8]; // the result of a function, or of one of WASI

static u32 failed(void) { return *(u8 *)result; }

// A stream is open for one call.
static void print(u32 stream, const void *text, u32 size) {
  output_write(stream, text, size, result);
  if (failed()) __builtin_trap();
  drop_output(stream);
}

EXPORT("say") void say(const u8 *before, u32 before_size, const u8 *between, u32 between_size, const u8 *after, u32 after_size) {
  print(get_stdout(), before, before_size);
  if (between_size) print(get_stderr(), between, between_size);
  print(get_stdout(), after, after_size);
}

EXPORT("count") u32 count(const u8 *text, u32 size, u32 trap) {
  static u32 n;
  n++;
  write_and_flush(get_stdout(), text, size, result);
  if (trap) __builtin_trap();
  return n;
}

EXPORT("log") void log_text(u32 level, const u8 *about, u32 about_size, const u8 *message, u32 message_size) {
  logging_log(level, about, about_size, message, message_size);
}

EXPORT("zeroes") void zeroes(u64 size) {
  write_zeroes(get_stdout(), size, result);
  if (size <= 4) write_zeroes_and_flush(get_stdout(), size, result);
}

EXPORT("times") u64 *times(void) {
  static u64 all[4];
  all[0] = monotonic_now();
  wall_now(result);
  all[1] = result[0] * 1000000000 + (u32)result[1];
  all[2] = monotonic_resolution();
  wall_resolution(result);
  all[3] = result[0] * 1000000000 + (u32)result[1];
  return all;
}

EXPORT("draw") u64 *draw(u64 size) {
  random_bytes(size, result);
  return result;
}

EXPORT("numbers") u64 *numbers(void) {
  static u64 all[5];
  insecure_seed(all);
  all[2] = random_u64();
  all[3] = insecure_u64();
  insecure_bytes(9, all + 4);
  return all;
}

EXPORT("variables") u64 *variables(void) {
  get_environment(result);
  return result;
}

EXPORT("arguments") u64 *arguments(void) {
  get_arguments(result);
  return result;
}

static u8 letters[32];
static u32 written;

// put adds a letter for what a function of WASI gave: the case of a result or option, and the one of a stream-error.
static void put(u32 letter, u32 payload) {
  letters[written++] = letter;
  letters[written++] = '0' + failed();
  if (payload && failed()) letters[written++] = '0' + ((u8 *)result)[payload];
}

EXPORT("absent") u64 *absent(void) {
  u32 in = get_stdin(), out = get_stdout();
  written = 0;
  input_read(in, 10, result), put('r', 4);
  input_blocking_read(in, 10, result), put('R', 4);
  input_read(in, 0, result), put('r', 4);
  input_skip(in, 10, result), put('s', 8);
  input_blocking_skip(in, 0, result), put('S', 8);
  splice(out, in, 10, result), put('p', 8);
  blocking_splice(out, in, 0, result), put('P', 8);
  terminal_stdin(result), put('i', 0);
  terminal_stdout(result), put('o', 0);
  terminal_stderr(result), put('e', 0);
  initial_cwd(result), put('d', 0);
  get_directories(result);
  letters[written++] = '0' + ((u32 *)result)[1];
  drop_input(in);
  flush(out, result), put('f', 0);
  blocking_flush(out, result), put('F', 0);
  drop_output(out);
  result[0] = (u32)letters | (u64)written << 32;
  return result;
}

// ready polls for the input, the output and two times.
EXPORT("ready") u64 *ready(u64 nanoseconds) {
  u32 in = get_stdin(), out = get_stdout();
  u32 all[] = {input_subscribe(in), subscribe_duration(nanoseconds), output_subscribe(out), subscribe_instant(nanoseconds)};
  poll(all, 4, result);
  for (u32 i = 0; i < 4; i++) drop_pollable(all[i]);
  drop_input(in), drop_output(out);
  return result;
}

EXPORT("nap") void nap(u64 nanoseconds) {
  u32 time = subscribe_duration(nanoseconds);
  if (nanoseconds == ~(u64)0) poll(&time, 1, result);
  if (!pollable_ready(time)) pollable_block(time);
  drop_pollable(time);
}

EXPORT("leave") void leave(u32 code) {
  print(get_stdout(), "the last words", 14);
  exit_with_code(code);
}

EXPORT("fail") void fail(void) { cli_exit(1); }

EXPORT("misuse") void misuse(u32 how) {
  extern u8 __heap_base;
  u32 stream = get_stdout();
  switch (how) {
  case 0: input_read(stream, 1, result); return;
  case 1: pollable_ready(77); return;
  case 2: descriptor_sync(1, result); return;
  case 3: drop_descriptor(1); return;
  case 4: filesystem_error_code(1, result); return;
  case 5: error_text(1, result); return;
  case 6: drop_error(1); return;
  case 7: poll(0, 0, result); return;
  case 8: write_and_flush(stream, &__heap_base, 4097, result); return;
  case 9: check_write(stream, result), write_zeroes(stream, result[1] + 1, result); return;
  case 10: drop_output(stream), flush(stream, result); return;
  case 12: instance_network(); return;
  default: random_bytes(1ull << 33, result);
  }
}
