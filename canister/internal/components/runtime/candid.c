// Candid to values in memory, and back.
#include "runtime.h"

enum { // codes of types
  C_NULL = -1, C_BOOL = -2, C_NAT = -3, C_INT = -4, C_NAT8 = -5, C_NAT32 = -7, C_TEXT = -15, C_RESERVED = -16, C_EMPTY = -17,
  C_OPT = -18, C_VEC = -19, C_RECORD = -20, C_VARIANT = -21, C_FUNC = -22, C_SERVICE = -23, C_PRINCIPAL = -24
};

#define MAX_TYPES 10000       // of the type table of a message
#define MAX_DEPTH 100         // of values that are skipped
#define MAX_STEPS 100000      // to read a message without bytes
#define STEPS_PER_BYTE 10
#define CASES_PER_STEP 4      // of a variant that is skipped
#define MAX_LIST_BYTES 0x0fffffff // of a list or string in memory; specification 2^28 - 1

static const struct function *decoding; // for texts
static u8 *scratch;
static u32 scratch_size;
static const u8 *at, *end; // of the message that is not read yet
static const u8 **table;   // where the definitions of its types begin
static u32 table_size;
static u64 steps; // that reading it may still take

static void mismatch(void) __attribute__((noreturn));
static void mismatch(void) { fail_in("the argument of ", decoding, " does not have the types of its parameters"); }
static void malformed(void) __attribute__((noreturn));
static void malformed(void) { fail_in("the argument of ", decoding, " is not valid Candid"); }

// spend counts steps, as the quota of package candid does. The size of a message does not limit values without bytes: a record with
// two fields that are such records, 60 levels deep, has 2^60 of them.
static void spend(u64 n) {
  if (n > steps) fail_in("the argument of ", decoding, " takes more steps to read than the limit of 100000, and 10 for each byte");
  steps -= n;
}

static u8 next(void) {
  if (at == end) malformed();
  return *at++;
}

static u32 left(void) { return end - at; }

static const u8 *take(u32 size) {
  if (size > left()) malformed();
  at += size;
  return at - size;
}

static u64 unsigned_number(void) {
  u64 n = 0;
  for (u32 shift = 0;; shift += 7) {
    u64 b = next();
    if (shift > 63 || (shift == 63 && b > 1)) malformed();
    n |= (b & 0x7f) << shift;
    if (b < 0x80) return n;
  }
}

static u32 count(void) {
  u64 n = unsigned_number();
  if (n > 0xffffffff) malformed();
  return n;
}

static int signed_number(void) {
  u64 n = 0;
  for (u32 shift = 0;; shift += 7) {
    u64 b = next();
    if (shift > 35) malformed();
    n |= (b & 0x7f) << shift;
    if (b < 0x80) return (b & 0x40) ? (int)(n | ~(u64)0 << (shift + 7)) : (int)n;
  }
}

static void skip_number(void) {
  while (next() & 0x80) {}
}

// A reference of a type is the code of a primitive type, or a place in the table.
static int reference(void) {
  int t = signed_number();
  if (t >= (int)table_size || (t < C_EMPTY && t != C_PRINCIPAL)) malformed();
  return t;
}

// A cursor in the type table, beside the one in the values.
struct place { const u8 *at; };

static struct place enter(const u8 *definition) {
  struct place back = {at};
  at = definition;
  return back;
}

static void leave(struct place back) { at = back.at; }

// constructor gives the constructor of a type that is in the table, and where its definition goes on.
static int constructor(int t, const u8 **rest) {
  if (t < 0) {
    *rest = 0;
    return t;
  }
  struct place back = enter(table[t]);
  int code = signed_number();
  *rest = at;
  leave(back);
  return code;
}

// A composite type that is read: fields of records and variants, the element of vec and opt.
struct reading { const u8 *rest; u32 left; };

static struct reading fields_of(const u8 *rest) {
  struct reading r = {rest, 0};
  struct place back = enter(rest);
  r.left = count();
  r.rest = at;
  leave(back);
  return r;
}

static int next_field(struct reading *r, u32 *hash, int *type) {
  if (!r->left) return 0;
  r->left--;
  struct place back = enter(r->rest);
  *hash = count();
  *type = reference();
  r->rest = at;
  leave(back);
  return 1;
}

static int element_of(const u8 *rest) {
  struct place back = enter(rest);
  int t = reference();
  leave(back);
  return t;
}

static void read_definition(void) {
  int code = signed_number();
  u32 n, all, last = 0;
  switch (code) {
  case C_OPT:
  case C_VEC:
    reference();
    return;
  case C_RECORD:
  case C_VARIANT:
    n = count();
    for (u32 i = 0; i < n; i++) {
      u32 hash = count();
      if (i && hash <= last) malformed();
      last = hash;
      reference();
    }
    return;
  case C_FUNC:
    for (u32 part = 0; part < 2; part++)
      for (n = count(); n; n--) reference();
    for (n = count(); n; n--) next();
    return;
  case C_SERVICE:
    for (n = count(); n; n--) {
      all = count();
      take(all);
      reference();
    }
    return;
  }
  malformed();
}

static const u8 fixed_sizes[] = {0, 1, 0, 0, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8}; // of null, bool, nat, int, nat8 … float64

static void skip(int t, u32 depth) {
  const u8 *rest;
  struct reading r;
  u32 n, hash;
  int type;
  if (depth > MAX_DEPTH) malformed();
  spend(1);
  int code = constructor(t, &rest);
  switch (code) {
  case C_RESERVED:
    return;
  case C_NAT:
  case C_INT:
    skip_number();
    return;
  case C_TEXT:
    n = count();
    if (!is_utf8(take(n), n)) malformed();
    return;
  case C_SERVICE:
  case C_PRINCIPAL:
    if (next() != 1) malformed();
    n = count();
    take(n);
    return;
  case C_FUNC:
    if (next() != 1) malformed();
    skip(C_PRINCIPAL, depth + 1);
    skip(C_TEXT, depth + 1);
    return;
  case C_OPT:
    if (next()) skip(element_of(rest), depth + 1);
    return;
  case C_VEC:
    type = element_of(rest);
    for (n = count(); n; n--) {
      const u8 *before = at;
      skip(type, depth + 1);
      if (at == before) return; // elements without bytes
    }
    return;
  case C_RECORD:
    for (r = fields_of(rest); next_field(&r, &hash, &type);) skip(type, depth + 1);
    return;
  case C_VARIANT:
    n = count();
    spend(n / CASES_PER_STEP);
    for (r = fields_of(rest); next_field(&r, &hash, &type); n--)
      if (!n) {
        skip(type, depth + 1);
        return;
      }
    malformed();
  }
  if (code < -14) malformed(); // empty has no values
  take(fixed_sizes[-1 - code]);
}

static const struct field *field_by_hash(const struct type *t, u32 hash, u32 *place) {
  const u32 *order = candid_order(t);
  for (u32 first = 0, last = t->count; first < last;) {
    u32 middle = (first + last) / 2, i = order[middle];
    if (t->fields[i].hash == hash) {
      *place = i;
      return &t->fields[i];
    }
    if (t->fields[i].hash < hash) first = middle + 1;
    else last = middle;
  }
  return 0;
}

static int subtype(int t, const struct type *want);

// has_fields says whether a record has all fields that a record or flags need.
static int has_fields(const u8 *rest, const struct type *want) {
  u32 hash, place, found = 0, needed = 0;
  int type;
  for (u32 i = 0; i < want->count; i++)
    if (want->kind == FLAGS || type_at(want->fields[i].type)->kind != OPTION) needed++;
  for (struct reading r = fields_of(rest); next_field(&r, &hash, &type);) {
    const struct field *f = field_by_hash(want, hash, &place);
    if (!f) continue;
    if (want->kind == FLAGS ? type != C_BOOL : !subtype(type, type_at(f->type))) return 0;
    if (want->kind == FLAGS || type_at(f->type)->kind != OPTION) found++;
  }
  return found == needed;
}

// subtype says whether values of a type of the message are values of a type of the component. Types of the latter are finite,
// so this ends.
static int subtype(int t, const struct type *want) {
  const u8 *rest;
  u32 hash, place;
  int type, code = constructor(t, &rest);
  if (code == C_EMPTY) return 1;
  switch (want->kind) {
  case INT:
    return code == C_INT || code == C_NAT;
  case LIST:
  case FIXED:
    return code == C_VEC && subtype(element_of(rest), type_at(want->fields[0].type));
  case OPTION:
    return 1;
  case FLAGS:
  case RECORD:
    return code == C_RECORD && has_fields(rest, want);
  case VARIANT:
    if (code != C_VARIANT) return 0;
    for (struct reading r = fields_of(rest); next_field(&r, &hash, &type);) {
      const struct field *f = field_by_hash(want, hash, &place);
      if (!f || (f->type ? !subtype(type, type_at(f->type)) : type != C_NULL)) return 0;
    }
    return 1;
  }
  return code == -(int)want->candid;
}

static void decode(int t, const struct type *want, u8 *to);

static void put_list(u8 *to, const void *content, u32 n) {
  *(u32 *)to = (u32)content;
  *(u32 *)(to + 4) = n;
}

static void decode_bytes(u8 *to, u32 size) {
  if (size > MAX_LIST_BYTES) malformed();
  const u8 *from = take(size);
  void *list = allocate(1, size);
  copy(list, from, size);
  put_list(to, list, size);
}

static void decode_elements(int t, const struct type *element, u8 *to, u32 n) {
  for (u32 i = 0; i < n; i++) decode(t, element, to + i * element->size);
}

static void decode_list(int t, const struct type *want, u8 *to) {
  const struct type *element = type_at(want->fields[0].type);
  u32 n = count();
  if (element->kind == BYTES1 && -(int)element->candid == C_NAT8) {
    decode_bytes(to, n);
    return;
  }
  u64 size = (u64)n * element->size;
  if (size > MAX_LIST_BYTES) fail_in("a list in the argument of ", decoding, " needs more than the limit of 268435455 bytes of memory");
  spend(n);
  u8 *list = allocate(want->discriminant, size);
  decode_elements(t, element, list, n);
  put_list(to, list, n);
}

// decode_integer keeps the bytes of a number. Those of a nat that becomes an int may need one more, for the sign.
static void decode_integer(int code, const struct type *want, u8 *to) {
  const u8 *from = at;
  skip_number();
  u32 size = at - from, more = want->kind == INT && code == C_NAT && from[size - 1] & 0x40;
  u8 *list = allocate(1, size + more);
  copy(list, from, size);
  if (more) {
    list[size - 1] |= 0x80;
    list[size] = 0;
  }
  put_list(to, list, size + more);
}

static void decode_record(const u8 *rest, const struct type *want, u8 *to) {
  u32 hash, place;
  int type;
  if (want->kind == FLAGS) write_bytes(to, 0, want->discriminant);
  else
    for (u32 i = 0; i < want->count; i++) {
      const struct type *t = type_at(want->fields[i].type);
      if (t->kind == OPTION) write_bytes(to + want->fields[i].offset, 0, t->discriminant);
    }
  for (struct reading r = fields_of(rest); next_field(&r, &hash, &type);) {
    const struct field *f = field_by_hash(want, hash, &place);
    if (!f) skip(type, 0);
    else if (want->kind != FLAGS) decode(type, type_at(f->type), to + f->offset);
    else if (next()) write_bytes(to, read_bytes(to, want->discriminant) | 1u << place, want->discriminant);
  }
}

static void decode_variant(const u8 *rest, const struct type *want, u8 *to) {
  u32 hash, place, n = count();
  int type;
  for (struct reading r = fields_of(rest); next_field(&r, &hash, &type); n--) {
    if (n) continue;
    const struct field *f = field_by_hash(want, hash, &place);
    write_bytes(to, place, want->discriminant);
    if (f->type) decode(type, type_at(f->type), to + f->offset);
    return;
  }
  malformed();
}

static void decode_option(int t, const struct type *want, u8 *to) {
  const u8 *rest;
  const struct type *some = type_at(want->fields[0].type);
  int code = constructor(t, &rest), inner = t;
  write_bytes(to, 0, want->discriminant);
  if (code == C_NULL || code == C_RESERVED) return;
  if (code == C_OPT) {
    inner = element_of(rest);
    u8 there = next();
    if (there > 1) malformed();
    if (!there) return;
  }
  if (!subtype(inner, some)) {
    skip(inner, 0);
    return;
  }
  decode(inner, some, to + want->fields[0].offset);
  write_bytes(to, 1, want->discriminant);
}

// decode writes a value to memory. Its type is a subtype of the wanted one.
static void decode(int t, const struct type *want, u8 *to) {
  const u8 *rest;
  u32 n;
  spend(1);
  int code = constructor(t, &rest);
  if (code == C_EMPTY) malformed();
  switch (want->kind) {
  case BOOL:
    n = next();
    if (n > 1) malformed();
    *to = n;
    return;
  case CHAR:
    copy(&n, take(4), 4);
    if (n > 0x10ffff || (n >= 0xd800 && n < 0xe000)) fail_in("a number in the argument of ", decoding, " is no Unicode scalar value, which the parameter has the type char for");
    *(u32 *)to = n;
    return;
  case TEXT:
    n = count();
    if (n > left() || !is_utf8(at, n)) malformed();
    decode_bytes(to, n);
    return;
  case PRINCIPAL:
    if (next() != 1) malformed();
    n = count();
    if (n > 29) malformed();
    decode_bytes(to, n);
    return;
  case NAT:
  case INT:
    decode_integer(code, want, to);
    return;
  case LIST:
    decode_list(element_of(rest), want, to);
    return;
  case FIXED:
    if (count() != want->discriminant) fail_in("a vec in the argument of ", decoding, " has another length than the list of its parameter");
    decode_elements(element_of(rest), type_at(want->fields[0].type), to, want->discriminant);
    return;
  case FLAGS:
  case RECORD:
    decode_record(rest, want, to);
    return;
  case VARIANT:
    decode_variant(rest, want, to);
    return;
  case OPTION:
    decode_option(t, want, to);
    return;
  }
  copy(to, take(want->size), want->size);
}

// scratch_of gives memory that stays the runtime's. A program's memory cannot be given back.
static u8 *scratch_of(u32 size) {
  if (size > scratch_size) {
    u32 grown = size > 2 * scratch_size ? size : 2 * scratch_size;
    scratch = program_realloc(0, 0, 8, grown);
    scratch_size = grown;
  }
  return scratch;
}

static void raw_message(u8 *to) {
  u32 n = ic0_msg_arg_data_size();
  void *list = allocate(1, n);
  if (n) ic0_msg_arg_data_copy(list, 0, n);
  put_list(to, list, n);
}

static void read_header(void) {
  static const u8 magic[4] = {'D', 'I', 'D', 'L'};
  const u8 *start = take(4);
  for (u32 i = 0; i < 4; i++)
    if (start[i] != magic[i]) malformed();
  table_size = count();
  if (table_size > MAX_TYPES) fail_in("the argument of ", decoding, " has a type table of more than the limit of 10000 types");
  for (u32 i = 0; i < table_size; i++) {
    table[i] = at;
    read_definition();
  }
}

// decode_message writes the arguments of a message to memory, as a tuple.
void decode_message(const struct function *f, u8 *to) {
  const struct type *params = type_at(f->params);
  decoding = f;
  if (f->flags & RAW) {
    raw_message(to);
    return;
  }
  u32 size = ic0_msg_arg_data_size(), room = (size + 7) & ~7u;
  if (room < size) malformed();
  // Each type takes two bytes at least, so the table has room for all.
  u32 types = size / 2 < MAX_TYPES ? size / 2 + 1 : MAX_TYPES;
  u8 *message = scratch_of(room + types * sizeof *table);
  table = (const u8 **)(message + room);
  ic0_msg_arg_data_copy(message, 0, size);
  at = message;
  end = message + size;
  steps = MAX_STEPS + (u64)size * STEPS_PER_BYTE;
  read_header();
  u32 given = count();
  const u8 *given_types = at;
  for (u32 i = 0; i < given; i++) reference();
  for (u32 i = 0; i < params->count || i < given; i++) {
    struct place back = enter(given_types);
    int type = i < given ? reference() : C_NULL;
    if (i < given) given_types = at;
    leave(back);
    if (i >= params->count) {
      skip(type, 0);
      continue;
    }
    const struct type *want = type_at(params->fields[i].type);
    if (i >= given && want->kind != OPTION) mismatch();
    if (!subtype(type, want)) mismatch();
    decode(type, want, to + params->fields[i].offset);
  }
  if (at != end) malformed();
}

// Replies.

static u8 buffer[256];
static u32 buffered;

static void flush(void) {
  ic0_msg_reply_data_append(buffer, buffered);
  buffered = 0;
}

static void put(const void *from, u32 size) {
  if (size > sizeof buffer - buffered) flush();
  if (size > sizeof buffer) {
    ic0_msg_reply_data_append(from, size);
    return;
  }
  copy(buffer + buffered, from, size);
  buffered += size;
}

static void put_number(u32 n) {
  u8 bytes[5];
  u32 size = 0;
  for (; n >= 0x80; n >>= 7) bytes[size++] = n | 0x80;
  bytes[size++] = n;
  put(bytes, size);
}

static void encode(const struct type *t, const u8 *from);

static void encode_elements(const struct type *element, const u8 *from, u32 n) {
  for (u32 i = 0; i < n; i++) encode(element, from + i * element->size);
}

static void encode_list(const struct type *t, const u8 *from) {
  const struct type *element = type_at(t->fields[0].type);
  const u8 *list = (const u8 *)*(const u32 *)from;
  u32 n = *(const u32 *)(from + 4);
  put_number(n);
  if (element->kind == BYTES1) put(list, n);
  else encode_elements(element, list, n);
}

static void encode_text(const u8 *from) {
  const u8 *text = (const u8 *)*(const u32 *)from;
  u32 n = *(const u32 *)(from + 4);
  if (!is_utf8(text, n)) fail("the component made a string that is not UTF-8");
  put_number(n);
  put(text, n);
}

static void encode_integer(const u8 *from) {
  const u8 *bytes = (const u8 *)*(const u32 *)from;
  u32 n = *(const u32 *)(from + 4);
  for (u32 i = 0; i < n; i++)
    if ((bytes[i] < 0x80) != (i == n - 1)) n = 0;
  if (!n) fail("the component made a number that is not in LEB128");
  put(bytes, n);
}

static void encode_principal(const u8 *from) {
  const u8 *bytes = (const u8 *)*(const u32 *)from;
  u32 n = *(const u32 *)(from + 4);
  u8 there = 1;
  if (n > 29) fail("the component made a principal of more than 29 bytes");
  put(&there, 1);
  put_number(n);
  put(bytes, n);
}

static void encode_variant(const struct type *t, const u8 *from) {
  u32 which = read_bytes(from, t->discriminant);
  if (which >= t->count) fail("the component made a value with a case that does not exist");
  const u32 *order = candid_order(t);
  u32 place = 0;
  while (order[place] != which) place++;
  put_number(place);
  const struct field *f = &t->fields[which];
  if (f->type) encode(type_at(f->type), from + f->offset);
}

static void encode(const struct type *t, const u8 *from) {
  u8 there;
  u32 n;
  switch (t->kind) {
  case BOOL:
    there = *from != 0;
    put(&there, 1);
    return;
  case CHAR:
    n = *(const u32 *)from;
    if (n > 0x10ffff || (n >= 0xd800 && n < 0xe000)) fail("the component made a char that is no Unicode scalar value");
    put(from, 4);
    return;
  case TEXT:
    encode_text(from);
    return;
  case PRINCIPAL:
    encode_principal(from);
    return;
  case NAT:
  case INT:
    encode_integer(from);
    return;
  case LIST:
    encode_list(t, from);
    return;
  case FIXED:
    put_number(t->discriminant);
    encode_elements(type_at(t->fields[0].type), from, t->discriminant);
    return;
  case RECORD:
    for (u32 i = 0; i < t->count; i++) {
      const struct field *f = &t->fields[candid_order(t)[i]];
      encode(type_at(f->type), from + f->offset);
    }
    return;
  case FLAGS:
    n = read_bytes(from, t->discriminant);
    for (u32 i = 0; i < t->count; i++) {
      there = n >> candid_order(t)[i] & 1;
      put(&there, 1);
    }
    return;
  case OPTION:
    n = read_bytes(from, t->discriminant);
    if (n > 1) fail("the component made a value with a case that does not exist");
    there = n;
    put(&there, 1);
    if (n) encode(type_at(t->fields[0].type), from + t->fields[0].offset);
    return;
  case VARIANT:
    encode_variant(t, from);
    return;
  }
  put(from, t->size);
}

// encode_reply replies with a value in memory.
void encode_reply(const struct function *f, const u8 *from) {
  put(tables + f->header, f->header_size);
  if (f->result) encode(type_at(f->result), from);
  flush();
  ic0_msg_reply();
}
