#include "lua/engine/heap.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"

static_assert(HEAP_SIZES == 64, "a bit of `listed` for each");

enum {
  MIN_PIECE = 64 << 10,
  MAX_PIECE = 1 << 20,
  ADDRESS_BITS = 47, /* LuaJIT's pointers to collectable objects */
  KEPT_UNIT = 64,    /* few sizes up to MEM_KEPT: few blocks are kept */
};

/* The smallest block. */
struct heap_block {
  struct heap_block *next;
};

struct heap_piece {
  struct heap_piece *next;
  size_t bytes;
};

static bool heap_is_small(size_t size)
{
  return size <= HEAP_SMALL_MAX;
}

static size_t heap_index_of(size_t size)
{
  return (size - 1) / HEAP_UNIT;
}

static void heap_put(struct heap *h, void *block, size_t index)
{
  struct heap_block *b = block;

  b->next = h->unused[index];
  h->unused[index] = b;
  h->listed |= UINT64_C(1) << index;
}

/* Some CPUs have addresses beyond LuaJIT's pointers. */
static bool heap_is_in_reach(const void *p)
{
  return (uint64_t)(uintptr_t)p >> ADDRESS_BITS == 0;
}

/* Pages exist only after a write: a piece costs only its used part. */
static bool heap_add_piece(struct heap *h)
{
  size_t bytes = h->bytes / 4 / MIN_PIECE * MIN_PIECE;
  struct heap_piece *p;

  if (bytes < MIN_PIECE)
    bytes = MIN_PIECE;
  else if (bytes > MAX_PIECE)
    bytes = MAX_PIECE;
  p = mem_pages(bytes);
  if (!p || !heap_is_in_reach(p)) {
    mem_pages_free(p, bytes);
    return false;
  }
  if (h->at < h->end) /* too short for the block, so small */
    heap_put(h, h->at, heap_index_of((size_t)(h->end - h->at)));
  p->next = h->pieces;
  p->bytes = bytes;
  h->pieces = p;
  h->bytes += bytes;
  h->at = (char *)(p + 1);
  h->end = (char *)p + bytes;
  return true;
}

bool heap_start(struct heap *h)
{
  if (!heap_add_piece(h))
    return false;
  h->first = h->at;
  h->first_end = h->end;
  h->starting = true;
  return true;
}

void heap_started(struct heap *h)
{
  h->starting = false;
}

static void *heap_get_fresh(struct heap *h, size_t size)
{
  char *block;

  if ((size_t)(h->end - h->at) < size && (h->starting || !heap_add_piece(h)))
    return NULL;
  block = h->at;
  h->at += size;
  return block;
}

static void *heap_in_reach(void *block)
{
  if (LIKELY(heap_is_in_reach(block)))
    return block;
  free(block);
  return NULL;
}

static size_t heap_rounded(size_t size, size_t unit)
{
  return (size + unit - 1) / unit * unit;
}

static size_t heap_size_of_large(size_t size)
{
  return size <= MEM_KEPT ? heap_rounded(size, KEPT_UNIT) : size;
}

static COLD void *heap_get_large(struct heap *h, size_t size)
{
  if (h->starting)
    return heap_get_fresh(h, heap_rounded(size, HEAP_UNIT));
  return heap_in_reach(malloc(heap_size_of_large(size)));
}

/* Divides the largest free block, if larger than that of `index`: loading a
 * script leaves large blocks, and later blocks are small. */
static void *heap_divide(struct heap *h, size_t index)
{
  while (h->listed >> index > 1) {
    const size_t largest = 63 - (size_t)__builtin_clzll(h->listed);
    struct heap_block *b = h->unused[largest];

    if (b) {
      h->unused[largest] = b->next;
      heap_put(h, (char *)b + (index + 1) * HEAP_UNIT, largest - index - 1);
      return b;
    }
    h->listed &= ~(UINT64_C(1) << largest);
  }
  return NULL;
}

static NOINLINE void *heap_get_other(struct heap *h, size_t index)
{
  void *block = heap_divide(h, index);

  return block ? block : heap_get_fresh(h, (index + 1) * HEAP_UNIT);
}

static void *heap_get(struct heap *h, size_t size)
{
  struct heap_block *b;
  size_t index;

  if (!heap_is_small(size))
    return heap_get_large(h, size);
  index = heap_index_of(size);
  b = h->unused[index];
  if (UNLIKELY(!b))
    return heap_get_other(h, index);
  h->unused[index] = b->next;
  return b;
}

static bool heap_is_of_start(const struct heap *h, const char *block)
{
  return block >= h->first && block < h->first_end;
}

/* Divides a larger block of the first piece. */
static void heap_split(struct heap *h, char *block, size_t size)
{
  for (size = heap_rounded(size, HEAP_UNIT); size > 0;) {
    const size_t part = heap_is_small(size) ? size : HEAP_SMALL_MAX;

    heap_put(h, block, heap_index_of(part));
    block += part;
    size -= part;
  }
}

static void heap_drop(struct heap *h, void *block, size_t size)
{
  if (!block)
    return;
  if (heap_is_small(size))
    heap_put(h, block, heap_index_of(size));
  else if (heap_is_of_start(h, block))
    heap_split(h, block, size);
  else
    free(block);
}

static void *heap_resize(struct heap *h, void *block, size_t old_size,
                         size_t new_size)
{
  void *moved;

  if (heap_is_small(old_size) && heap_is_small(new_size) &&
      heap_index_of(old_size) == heap_index_of(new_size))
    return block;
  if (!heap_is_small(old_size) && !heap_is_small(new_size) &&
      !heap_is_of_start(h, block)) {
    if (heap_size_of_large(old_size) == heap_size_of_large(new_size))
      return block;
    if (old_size > MEM_KEPT && new_size > MEM_KEPT)
      return realloc(block, new_size);
  }
  moved = heap_get(h, new_size);
  if (!moved)
    return NULL;
  memcpy(moved, block, old_size < new_size ? old_size : new_size);
  heap_drop(h, block, old_size);
  return moved;
}

void *heap_alloc(void *heap, void *block, size_t old_size, size_t new_size)
{
  if (new_size == 0) {
    heap_drop(heap, block, old_size);
    return NULL;
  }
  return block ? heap_resize(heap, block, old_size, new_size)
               : heap_get(heap, new_size);
}

void heap_done(struct heap *heap)
{
  struct heap_piece *p = heap->pieces;

  while (p) {
    struct heap_piece *next = p->next;

    mem_pages_free(p, p->bytes);
    p = next;
  }
  memset(heap, 0, sizeof(*heap));
}
