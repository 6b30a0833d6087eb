#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void strbuf_done(struct strbuf *b)
{
  if (!b)
    return;
  free(b->text);
  *b = (struct strbuf){ 0 };
}

void strbuf_clear(struct strbuf *b)
{
  b->len = 0;
  if (b->text)
    b->text[0] = '\0';
}

static char *strbuf_grown(const struct strbuf *b, size_t room)
{
  char *text;

  if (b->room > MEM_KEPT)
    return realloc(b->text, room);
  text = malloc(room);
  if (text && b->text) {
    memcpy(text, b->text, b->len + 1);
    free(b->text);
  }
  return text;
}

bool strbuf_grow(struct strbuf *b, size_t more)
{
  size_t room = b->room ? b->room : 64;
  char *text;
  size_t need;

  if (__builtin_add_overflow(b->len, more, &need) ||
      __builtin_add_overflow(need, 1, &need)) {
    b->failed = true;
    return false;
  }
  if (need <= b->room)
    return true;
  while (room < need) {
    if (__builtin_add_overflow(room, room / 2 + 64, &room))
      room = need;
  }
  text = strbuf_grown(b, room);
  if (!text) {
    b->failed = true;
    return false;
  }
  b->text = text;
  b->room = room;
  return true;
}

void strbuf_add(struct strbuf *b, const void *bytes, size_t len)
{
  if (!strbuf_reserve(b, len))
    return;
  if (len > 0)
    memcpy(b->text + b->len, bytes, len);
  b->len += len;
  b->text[b->len] = '\0';
}

void strbuf_adds(struct strbuf *b, const char *text)
{
  strbuf_add(b, text, strlen(text));
}

void strbuf_vaddf(struct strbuf *b, const char *fmt, va_list ap)
{
  va_list again;
  int len;

  va_copy(again, ap);
  len = vsnprintf(NULL, 0, fmt, ap);
  if (len >= 0 && strbuf_reserve(b, (size_t)len)) {
    (void)vsnprintf(b->text + b->len, (size_t)len + 1, fmt, again);
    b->len += (size_t)len;
  }
  va_end(again);
}

void strbuf_addf(struct strbuf *b, const char *fmt, ...)
{
  va_list ap;

  va_start(ap, fmt);
  strbuf_vaddf(b, fmt, ap);
  va_end(ap);
}

const char *strbuf_str(const struct strbuf *b)
{
  return b->text ? b->text : "";
}
