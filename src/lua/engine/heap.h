/*
 * heap.h - the memory of one Lua state, packed for thousands of states. LuaJIT
 * gives the size of each block: no headers. Small blocks are adjacent in
 * pieces, free ones in lists by size; malloc serves others. One thread at a
 * time uses a heap.
 */
#ifndef BENCH_LUA_ENGINE_HEAP_H
#define BENCH_LUA_ENGINE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  HEAP_UNIT = 8,
  HEAP_SMALL_MAX = 512, /* bytes; malloc serves others */
  HEAP_SIZES = HEAP_SMALL_MAX / HEAP_UNIT,
};

struct heap_block;
struct heap_piece;

/* Zeroed: empty. */
struct heap {
  struct heap_block *unused[HEAP_SIZES]; /* [n]: blocks of (n + 1) units */
  uint64_t listed;                       /* bit n: unused[n] can have blocks */
  char *at, *end;                        /* the rest of the last piece */
  struct heap_piece *pieces;             /* owned */
  size_t bytes;
  char *first, *first_end;
  bool starting; /* larger blocks go to the first piece, too */
};

/*
 * Until heap_started(), all blocks are in the first piece, because
 * lua_newstate() crashes if only some of its blocks can be allocated.  False:
 * no memory.
 */
bool heap_start(struct heap *heap);
void heap_started(struct heap *heap);

/* A lua_Alloc; `heap` is the heap.  NULL: `new_size` is 0; or no memory,
 * then the old block is unchanged. */
void *heap_alloc(void *heap, void *block, size_t old_size, size_t new_size);

/* Frees all small blocks at once, after lua_close(). */
void heap_done(struct heap *heap);

#endif
