/*
 * buffer.c - a buffer that grows.
 */
#include "drivers/wire/buffer.h"

#include <stdlib.h>
#include <string.h>

#include "loop/loop.h"

/* Used by the fibers of a thread in turn. */
static bool buffer_take_block(struct wire_buffer *b, size_t need)
{
  size_t room;
  uint8_t *block = loop_take_block(need, &room);

  if (!block)
    return false;
  memcpy(block, b->bytes, b->end);
  b->first = b->bytes;
  b->bytes = block;
  b->room = room;
  return true;
}

static bool buffer_resize(struct wire_buffer *b, size_t n)
{
  uint8_t *more = realloc(b->bytes, n);

  if (!more)
    return false;
  b->bytes = more;
  b->room = n;
  return true;
}

bool wire_buffer_grow(struct wire_buffer *b, size_t need)
{
  size_t n = b->room ? b->room : WIRE_LEAST;

  while (n < need) {
    if (n > SIZE_MAX / 2)
      return false;
    n *= 2;
  }
  if (b->room > 0 && b->room < WIRE_FIRST && n > WIRE_FIRST &&
      !buffer_resize(b, WIRE_FIRST))
    return false;
  return (b->room == WIRE_FIRST && buffer_take_block(b, n)) ||
         buffer_resize(b, n);
}

bool wire_buffer_append(struct wire_buffer *b, const void *bytes, size_t n)
{
  if (!wire_buffer_reserve(b, b->end + n))
    return false;
  if (n > 0)
    memcpy(b->bytes + b->end, bytes, n);
  b->end += n;
  return true;
}

void wire_buffer_cut(struct wire_buffer *b, size_t from, size_t to)
{
  if (from == to)
    return;
  memmove(b->bytes + from, b->bytes + to, b->end - to);
  b->end -= to - from;
}

void wire_buffer_trim(struct wire_buffer *b)
{
  if (UNLIKELY(b->room > WIRE_KEEP))
    wire_buffer_done(b);
}

void wire_buffer_shrink(struct wire_buffer *b)
{
  uint8_t *const first = b->first;

  if (b->room <= WIRE_FIRST)
    return;
  loop_give_block(b->bytes, b->room);
  *b = (struct wire_buffer){ .bytes = first, .room = first ? WIRE_FIRST : 0 };
}

void wire_buffer_done(struct wire_buffer *b)
{
  free(b->first);
  free(b->bytes);
  *b = (struct wire_buffer){ 0 };
}
