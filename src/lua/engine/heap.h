/*
 * heap.h - the memory of one Lua state, packed: thousands of states may exist.
 *
 * LuaJIT always says how large a block was, so blocks need no headers.  Small
 * ones lie side by side in pieces of address space that only this state uses,
 * and are kept in lists by size when they are free; where a list is empty, a
 * block of another one is divided.  Other blocks are malloc's.  A heap belongs
 * to one thread at a time and takes no locks for small blocks.
 */
#ifndef BENCH_LUA_ENGINE_HEAP_H
#define BENCH_LUA_ENGINE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  HEAP_UNIT = 8,        /* sizes are multiples of this */
  HEAP_SMALL_MAX = 512, /* bytes; larger blocks are malloc's */
  HEAP_SIZES = HEAP_SMALL_MAX / HEAP_UNIT,
};

struct heap_block;
struct heap_piece;

/* Zeroed, it is empty. */
struct heap {
  struct heap_block *unused[HEAP_SIZES]; /* [n]: of (n + 1) units */
  uint64_t listed;                       /* bit n: unused[n] may have blocks */
  char *at, *end;                        /* what is left of the last piece */
  struct heap_piece *pieces;             /* owned */
  size_t bytes;                          /* of all pieces */
  char *first, *first_end;               /* the first piece */
  bool starting; /* larger blocks lie in the first piece as well */
};

/*
 * Take the first piece.  Until heap_started(), all blocks lie in it:
 * lua_newstate() does not survive that only some of its blocks can be had.
 * False: no memory.
 */
bool heap_start(struct heap *heap);
void heap_started(struct heap *heap);

/*
 * A lua_Alloc; `heap` is the heap.  NULL when `new_size` is 0 or there is not
 * enough memory; the old block is as it was then.
 */
void *heap_alloc(void *heap, void *block, size_t old_size, size_t new_size);

/* Give back all small blocks at once.  Larger ones must have been freed, as
 * lua_close() does. */
void heap_done(struct heap *heap);

#endif
