/*
 * strbuf.h - text that grows as it is written.
 */
#ifndef BENCH_BASE_STRBUF_H
#define BENCH_BASE_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/compiler.h"

/* {0} is empty. After a failed allocation, text is lost and `failed` is set;
 * all functions can still be called. */
struct strbuf {
  char *text; /* owned; zero-terminated; NULL at first */
  size_t len; /* without the terminator */
  size_t room;
  bool failed;
};

void strbuf_done(struct strbuf *b);  /* the buffer is empty again */
void strbuf_clear(struct strbuf *b); /* keeps the memory */

void strbuf_add(struct strbuf *b, const void *bytes, size_t len);
void strbuf_adds(struct strbuf *b, const char *text);
void strbuf_addf(struct strbuf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void strbuf_vaddf(struct strbuf *b, const char *fmt, va_list ap)
  PRINTF_LIKE(2, 0);

/* Room for `more` bytes and a terminator. False: no memory; the buffer has
 * failed. */
bool strbuf_grow(struct strbuf *b, size_t more);
static inline bool strbuf_reserve(struct strbuf *b, size_t more)
{
  return LIKELY(more < b->room - b->len) || strbuf_grow(b, more);
}

/* Never NULL; borrowed until the next change. */
const char *strbuf_str(const struct strbuf *b);

static inline bool text_ends_with(const char *text, const char *end)
{
  const size_t len = strlen(text), n = strlen(end);

  return len >= n && strcmp(text + len - n, end) == 0;
}

#endif
