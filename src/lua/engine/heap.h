/*
 * heap.h - the memory of one Lua state, packed tightly, because thousands of
 * states may exist.
 *
 * LuaJIT always gives the size of a block, so blocks need no headers.  Small
 * ones are side by side in pieces of address space that only this state uses.
 * Free ones are in lists by size; if a list is empty, a larger block is
 * divided.  malloc serves all other blocks.  A heap belongs to one thread at a
 * time and takes no locks for small blocks.
 */
#ifndef BENCH_LUA_ENGINE_HEAP_H
#define BENCH_LUA_ENGINE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  HEAP_UNIT = 8,        /* sizes are multiples of this */
  HEAP_SMALL_MAX = 512, /* bytes; malloc serves larger blocks */
  HEAP_SIZES = HEAP_SMALL_MAX / HEAP_UNIT,
};

struct heap_block;
struct heap_piece;

/* A zeroed heap is empty. */
struct heap {
  struct heap_block *unused[HEAP_SIZES]; /* [n]: blocks of (n + 1) units */
  uint64_t listed;                       /* bit n: unused[n] may have blocks */
  char *at, *end;                        /* the rest of the last piece */
  struct heap_piece *pieces;             /* owned */
  size_t bytes;                          /* bytes of all pieces */
  char *first, *first_end;               /* the first piece */
  bool starting; /* larger blocks go to the first piece as well */
};

/*
 * Allocate the first piece.  Until heap_started(), all blocks are in it,
 * because lua_newstate() crashes if only some of its blocks can be allocated.
 * False: no memory.
 */
bool heap_start(struct heap *heap);
void heap_started(struct heap *heap);

/*
 * A lua_Alloc; `heap` is the heap.  Returns NULL if `new_size` is 0 or there is
 * not enough memory; in the second case the old block is unchanged.
 */
void *heap_alloc(void *heap, void *block, size_t old_size, size_t new_size);

/*
 * Free all small blocks at once.  lua_close() must have freed the larger ones.
 */
void heap_done(struct heap *heap);

#endif
