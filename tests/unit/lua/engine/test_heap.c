/*
 * test_heap.c - the memory of a Lua state: blocks keep their content, do not
 * overlap, and are used again.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lua/engine/heap.h"
#include "stats/rand/rng.h"
#include "tests/unit/tap.h"

enum {
  BLOCKS = 2000,
  STEPS = 200000,
};

struct block {
  unsigned char *at;
  size_t size;
  unsigned char mark;
};

static size_t below(struct rng *rng, size_t limit)
{
  return (size_t)(rng_next(rng) % limit);
}

static bool is_whole(const struct block *b)
{
  for (size_t i = 0; i < b->size; i++)
    if (b->at[i] != b->mark)
      return false;
  return true;
}

/* Mostly small, and often around the limit between small and large. */
static size_t draw_size(struct rng *rng)
{
  switch (below(rng, 8)) {
  case 0:
    return HEAP_SMALL_MAX - 16 + below(rng, 32);
  case 1:
    return 1 + below(rng, 20000);
  default:
    return 1 + below(rng, 200);
  }
}

/* Resizes, makes or frees a block; false: its bytes were not kept. */
static bool step(struct heap *heap, struct block *b, struct rng *rng)
{
  const size_t size = below(rng, 3) == 0 ? 0 : draw_size(rng);
  const size_t kept = size < b->size ? size : b->size;
  unsigned char *at;

  if (!is_whole(b))
    return false;
  at = heap_alloc(heap, b->at, b->size, size);
  if ((uintptr_t)at % HEAP_UNIT != 0 || (size > 0) != (at != NULL))
    return false;
  for (size_t i = 0; i < kept; i++)
    if (at[i] != b->mark)
      return false;
  b->at = at;
  b->size = size;
  b->mark = (unsigned char)below(rng, 256);
  if (size > 0)
    memset(at, b->mark, size);
  return true;
}

static void test_any_order(void)
{
  struct heap heap = { 0 };
  struct block *blocks = calloc(BLOCKS, sizeof(*blocks));
  struct rng rng = { 0 };
  bool good = blocks != NULL;

  rng_seed(&rng, 1, RNG_INTERNAL, 0);
  for (int i = 0; good && i < STEPS; i++)
    good = step(&heap, &blocks[below(&rng, BLOCKS)], &rng);
  OK(good, "blocks of all sizes keep their bytes and their alignment");
  for (int i = 0; good && i < BLOCKS; i++) {
    good = is_whole(&blocks[i]);
    (void)heap_alloc(&heap, blocks[i].at, blocks[i].size, 0);
  }
  OK(good, "none was overwritten by another");
  heap_done(&heap);
  OK(heap.pieces == NULL && heap.bytes == 0, "and nothing is left");
  free(blocks);
}

static void test_used_again(void)
{
  struct heap heap = { 0 };
  size_t bytes;

  for (size_t size = HEAP_UNIT; size <= HEAP_SMALL_MAX; size += HEAP_UNIT)
    (void)heap_alloc(&heap, heap_alloc(&heap, NULL, 0, size), size, 0);
  bytes = heap.bytes;
  for (int i = 0; i < 1000; i++)
    for (size_t size = 1; size <= HEAP_SMALL_MAX; size++)
      (void)heap_alloc(&heap, heap_alloc(&heap, NULL, 0, size), size, 0);
  OK(heap.bytes == bytes, "free blocks are taken before fresh ones");
  heap_done(&heap);
}

/* Blocks are as tight as possible: small ones of one size are side by side. */
static void test_packed(void)
{
  struct heap heap = { 0 };
  char *first = heap_alloc(&heap, NULL, 0, 24);
  char *second = heap_alloc(&heap, NULL, 0, 17);
  char *third = heap_alloc(&heap, NULL, 0, 40);

  OK(second - first == 24 && third - second == 24, "blocks have no headers");
  OK(heap_alloc(&heap, second, 17, 24) == second, "nor move for nothing");
  heap_done(&heap);
}

/* A free block is divided into smaller ones. */
static void test_divided(void)
{
  struct heap heap = { 0 };
  char *large = heap_alloc(&heap, NULL, 0, 512);
  char *small = heap_alloc(&heap, NULL, 0, 16);
  char *part[4];

  (void)heap_alloc(&heap, large, 512, 0);
  part[0] = heap_alloc(&heap, NULL, 0, 24);
  part[1] = heap_alloc(&heap, NULL, 0, 480);
  part[2] = heap_alloc(&heap, NULL, 0, 8);
  part[3] = heap_alloc(&heap, NULL, 0, 8);
  OK(part[0] == large && part[1] == large + 24 && part[2] == large + 504,
     "blocks are divided, without a hole");
  OK(part[3] == small + 16, "and not past their end");
  heap_done(&heap);
}

/* While the heap starts, everything is in one piece, or allocating fails. */
static void test_start(void)
{
  struct heap heap = { 0 };
  char *large, *small, *more;
  size_t bytes;

  OK(heap_start(&heap), "it starts with a piece");
  bytes = heap.bytes;
  large = heap_alloc(&heap, NULL, 0, 3001);
  small = heap_alloc(&heap, NULL, 0, 8);
  OK(small - large == 3008, "which has larger blocks, too");
  OK(!heap_alloc(&heap, NULL, 0, bytes), "if they fit");
  heap_started(&heap);
  memset(large, 7, 3001);
  more = heap_alloc(&heap, large, 3001, 100000);
  OK(more && (more < heap.first || more >= heap.first_end) && more[3000] == 7,
     "later they are malloc's");
  (void)heap_alloc(&heap, more, 100000, 0);
  for (int i = 0; i < 5; i++)
    more = heap_alloc(&heap, NULL, 0, HEAP_SMALL_MAX);
  OK(more >= large && more < large + 3001, "and what was one, smaller ones");
  heap_done(&heap);
}

int main(void)
{
  test_start();
  test_any_order();
  test_used_again();
  test_packed();
  test_divided();
  return TAP_EXIT();
}
