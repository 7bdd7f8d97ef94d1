// A canister in C, with the C library. The functions of the Canonical ABI are written by hand.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(name)))

static uint32_t total;

EXPORT("cabi_realloc") void *reallocate(void *old, size_t had, size_t align, size_t size) {
  (void)had, (void)align; // malloc aligns for all types
  void *memory = realloc(old, size);
  if (!memory) abort();
  return memory;
}

EXPORT("add") uint32_t add(uint32_t amount) {
  total += amount;
  printf("total %u\n", total);
  fflush(stdout); // it is no terminal, so the library would keep the line
  return total;
}

EXPORT("fail") void fail(uint32_t amount) {
  add(amount);
  abort();
}

typedef struct {
  char *text;
  size_t size;
  uint32_t count;
} word;

typedef struct {
  word *words;
  size_t count;
  char *text; // that has the words
} result;

static int compare(const void *a, const void *b) {
  const word *x = a, *y = b;
  int order = memcmp(x->text, y->text, x->size < y->size ? x->size : y->size);
  return order ? order : (x->size > y->size) - (x->size < y->size);
}

static void count(result *all, char *text, size_t size) {
  for (size_t i = 0; i < all->count; i++) {
    if (all->words[i].size == size && memcmp(all->words[i].text, text, size) == 0) {
      all->words[i].count++;
      return;
    }
  }
  all->words = reallocate(all->words, 0, 0, (all->count + 1) * sizeof(word));
  all->words[all->count++] = (word){text, size, 1};
}

EXPORT("words") result *words(char *text, size_t size) {
  static result all;
  all = (result){.text = text};
  for (char *end = text + size;;) {
    char *space = memchr(text, ' ', end - text);
    count(&all, text, (space ? space : end) - text);
    if (!space) break;
    text = space + 1;
  }
  qsort(all.words, all.count, sizeof(word), compare);
  return &all;
}

EXPORT("cabi_post_words") void after_words(result *all) {
  free(all->words);
  free(all->text);
}
