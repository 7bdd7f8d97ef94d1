// Values in the memory of the program, as the Canonical ABI has them.
#include "runtime.h"

u64 *slots;
const u8 *tables;

static u32 length(const char *text) {
  u32 n = 0;
  while (text[n]) n++;
  return n;
}

void fail(const char *text) {
  ic0_trap(text, length(text));
  __builtin_unreachable();
}

void trap(const struct text *t) {
  ic0_trap(t->bytes, t->size);
  __builtin_unreachable();
}

void add_bytes(struct text *t, const void *more, u32 size) {
  if (size > sizeof t->bytes - t->size) size = sizeof t->bytes - t->size;
  copy(t->bytes + t->size, more, size);
  t->size += size;
}

void add_text(struct text *t, const char *more) { add_bytes(t, more, length(more)); }

void add_number(struct text *t, u32 n) {
  u8 digits[10], *first = digits + sizeof digits;
  do *--first = '0' + n % 10;
  while (n /= 10);
  add_bytes(t, first, digits + sizeof digits - first);
}

void fail_about(const char *before, const u8 *what, u32 size, const char *after) {
  struct text t = {0};
  u32 room = sizeof t.bytes - length(before) - length(after);
  add_text(&t, before);
  add_bytes(&t, what, size < room ? size : room);
  add_text(&t, after);
  trap(&t);
}

void fail_in(const char *before, const struct function *f, const char *after) {
  fail_about(before, tables + f->name, f->name_size, after);
}

u32 read_bytes(const u8 *from, u32 size) {
  return size == 1 ? *from : size == 2 ? *(const u16 *)from : *(const u32 *)from;
}

void write_bytes(u8 *to, u32 value, u32 size) {
  if (size == 1) *to = value;
  else if (size == 2) *(u16 *)to = value;
  else *(u32 *)to = value;
}

int is_utf8(const u8 *p, u32 size) {
  const u8 *end = p + size;
  while (p < end) {
    u32 c = *p++, more, least;
    if (c < 0x80) continue;
    if (c >= 0xc2 && c < 0xe0) more = 1, c &= 0x1f, least = 0x80;
    else if (c >= 0xe0 && c < 0xf0) more = 2, c &= 0xf, least = 0x800;
    else if (c >= 0xf0 && c < 0xf5) more = 3, c &= 7, least = 0x10000;
    else return 0;
    if ((u32)(end - p) < more) return 0;
    for (; more; more--, p++) {
      if ((*p & 0xc0) != 0x80) return 0;
      c = c << 6 | (*p & 0x3f);
    }
    if (c < least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return 0;
  }
  return 1;
}

// allocate asks for no bytes, too: a program may free every list that it gets.
void *allocate(u32 align, u32 size) { return program_realloc(0, 0, align, size); }

// store_flat writes a value to memory whose core values are in slots, from on.
void store_flat(const struct type *t, const u64 **from, u8 *to) {
  const struct type *element;
  const u64 *start;
  u32 which;
  switch (t->kind) {
  case TEXT:
  case LIST:
    *(u32 *)to = *(*from)++;
    *(u32 *)(to + 4) = *(*from)++;
    return;
  case PRINCIPAL:
  case NAT:
  case INT: // records
  case RECORD:
    for (u32 i = 0; i < t->count; i++) store_flat(type_at(t->fields[i].type), from, to + t->fields[i].offset);
    return;
  case FIXED:
    element = type_at(t->fields[0].type);
    for (u32 i = 0; i < t->discriminant; i++) store_flat(element, from, to + i * element->size);
    return;
  case OPTION:
  case VARIANT:
    start = *from;
    which = *(*from)++;
    write_bytes(to, which, t->discriminant);
    if (t->kind == OPTION ? which > 1 : which >= t->count) fail("the component made a value with a case that does not exist");
    if (t->kind == VARIANT || which) {
      const struct field *f = &t->fields[t->kind == OPTION ? 0 : which];
      if (f->type) store_flat(type_at(f->type), from, to + f->offset);
    }
    *from = start + t->flat;
    return;
  case FLAGS:
    write_bytes(to, *(*from)++, t->discriminant);
    return;
  case BYTES8:
    *(u64 *)to = *(*from)++;
    return;
  default:
    write_bytes(to, *(*from)++, t->size);
  }
}

// load_flat does the opposite.
void load_flat(const struct type *t, const u8 *from, u64 **to) {
  const struct type *element;
  u64 *end;
  u32 which;
  switch (t->kind) {
  case TEXT:
  case LIST:
    *(*to)++ = *(const u32 *)from;
    *(*to)++ = *(const u32 *)(from + 4);
    return;
  case PRINCIPAL:
  case NAT:
  case INT:
  case RECORD:
    for (u32 i = 0; i < t->count; i++) load_flat(type_at(t->fields[i].type), from + t->fields[i].offset, to);
    return;
  case FIXED:
    element = type_at(t->fields[0].type);
    for (u32 i = 0; i < t->discriminant; i++) load_flat(element, from + i * element->size, to);
    return;
  case OPTION:
  case VARIANT:
    end = *to + t->flat;
    which = read_bytes(from, t->discriminant);
    *(*to)++ = which;
    if (t->kind == VARIANT || which) {
      const struct field *f = &t->fields[t->kind == OPTION ? 0 : which];
      if (f->type) load_flat(type_at(f->type), from + f->offset, to);
    }
    while (*to < end) *(*to)++ = 0;
    return;
  case FLAGS:
    *(*to)++ = read_bytes(from, t->discriminant);
    return;
  case BYTES8:
    *(*to)++ = *(const u64 *)from;
    return;
  default:
    *(*to)++ = read_bytes(from, t->size);
  }
}
