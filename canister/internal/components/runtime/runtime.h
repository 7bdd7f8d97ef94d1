// What the parts of the runtime share. The linker (link.go) puts the runtime into the module of a component, and supplies the
// functions of the import module "program" and the tables.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define IMPORT(module, name) __attribute__((import_module(module), import_name(name))) extern
#define EXPORT(name) __attribute__((export_name(name)))

// Allocators: the one of the program, and the one of the imported function that the program calls.
IMPORT("program", "realloc") void *program_realloc(void *old, u32 old_size, u32 align, u32 size);
IMPORT("program", "import_realloc") void *import_realloc(void *old, u32 old_size, u32 align, u32 size);
IMPORT("program", "invoke") u64 program_invoke(u32 function);
IMPORT("program", "callback") u32 program_callback(u32 function, u32 event, u32 item, u32 payload);
IMPORT("program", "post_return") void program_post_return(u32 function, u64 result);

IMPORT("ic0", "trap") void ic0_trap(const void *text, u32 size);
IMPORT("ic0", "msg_arg_data_size") u32 ic0_msg_arg_data_size(void);
IMPORT("ic0", "msg_arg_data_copy") void ic0_msg_arg_data_copy(void *to, u32 offset, u32 size);
IMPORT("ic0", "msg_reply") void ic0_msg_reply(void);
IMPORT("ic0", "msg_reply_data_append") void ic0_msg_reply_data_append(const void *from, u32 size);
IMPORT("ic0", "msg_reject") void ic0_msg_reject(const void *from, u32 size);

#pragma GCC visibility push(hidden)

// Types. A number is a place in the tables, 0 is none. The constants are those of tables.go.
enum kind {
  BOOL = 1, BYTES1, BYTES2, BYTES4, BYTES8, CHAR, TEXT, LIST, FIXED, RECORD, VARIANT, OPTION, FLAGS, PRINCIPAL, NAT, INT
};

struct field {
  u32 hash;   // of its Candid label
  u32 type;
  u32 offset; // in memory, of its value or payload
};

struct type {
  u32 kind;
  u32 candid;       // of a primitive type: its code in Candid
  u32 size;         // in memory
  u32 discriminant; // bytes of the discriminant or flags; the length of a FIXED
  u32 flat;         // core values
  u32 count;
  struct field fields[]; // in the order of the component; then the places of all fields in the order of Candid (u32 each)
};

struct function {
  u32 params, result; // the types of all parameters as a RECORD, and of the result
  u32 flags;
  u32 name, name_size;     // for texts
  u32 header, header_size; // of the result in Candid
};

enum { // of a function
  ASYNC = 1,
  POST_RETURN = 2,
  RAW = 4,    // its parameter is the argument of the message as bytes
  SILENT = 8, // it does not reply
};

#define MAX_FLAT 16

extern u64 *slots; // core values on their way between the program and the runtime
extern const u8 *tables;

static inline const struct type *type_at(u32 place) { return (const struct type *)(tables + place); }
static inline const u32 *candid_order(const struct type *t) { return (const u32 *)(t->fields + t->count); }
static inline const struct function *function_at(u32 number) { return (const struct function *)tables + number; }

// The compiler makes no calls of these itself: it has instructions for memory.
static inline void copy(void *to, const void *from, u32 size) { __builtin_memcpy(to, from, size); }

// The text of a trap. What does not fit is cut.
struct text {
  u32 size;
  u8 bytes[512];
};

// memory.c
void add_bytes(struct text *t, const void *more, u32 size);
void add_text(struct text *t, const char *more);
void add_number(struct text *t, u32 n);
void trap(const struct text *t) __attribute__((noreturn));
void fail(const char *text) __attribute__((noreturn));
// Texts that have a name, or the name of a function, in them.
void fail_about(const char *before, const u8 *what, u32 size, const char *after) __attribute__((noreturn));
void fail_in(const char *before, const struct function *f, const char *after) __attribute__((noreturn));
u32 read_bytes(const u8 *from, u32 size);
void write_bytes(u8 *to, u32 value, u32 size);
int is_utf8(const u8 *text, u32 size);
void *allocate(u32 align, u32 size);
void store_flat(const struct type *t, const u64 **from, u8 *to);
void load_flat(const struct type *t, const u8 *from, u64 **to);

// candid.c
void decode_message(const struct function *f, u8 *to);
void encode_reply(const struct function *f, const u8 *from);

// tasks.c
struct task *current_task(void);

// wasi.c
void end_line(void);
