/*
 * chunks.h - a table as a sequence of chunks: which rows are in each, and which
 * of them are in the table already.
 *
 * A chunk is loaded by one connection in one transaction, so that after an
 * interruption a table consists of whole chunks.
 */
#ifndef BENCH_LOAD_CHUNKS_H
#define BENCH_LOAD_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

enum {
  CHUNK_MIN = 5000,
  CHUNK_MAX = 50000,
  CHUNKS_MAX = 1 << 20, /* of a table: then chunks get larger */
  /* Up to this, whatever the table: who interrupts a load waits for a chunk. */
  CHUNK_LONGEST = 1 << 21,
};

enum chunk_state {
  CHUNK_EMPTY,
  CHUNK_PARTIAL, /* rows of it are there: they have to go first */
  CHUNK_FULL,
};

struct chunks {
  uint64_t size;  /* rows of the table */
  uint64_t rows;  /* of a chunk; the last one may have less */
  uint64_t count; /* of chunks */
  uint64_t next;  /* no chunk before it is to be given away */
  uint64_t step;  /* from one of this process's chunks to its next one */
  uint8_t *state; /* owned; enum chunk_state; NULL: all are empty */
};

/* Rows of the chunk numbered `n`: ids first..last. */
struct chunk {
  uint64_t n, first, last;
  bool partial;
};

/* Chunks for so many threads; `rows` fixes their size unless it is 0. */
void chunks_init(struct chunks *c, uint64_t size, unsigned threads,
                 uint64_t rows);
void chunks_done(struct chunks *c);

/* Others have chunks too: only those numbered part, part + parts, ... are to be
 * given away.  Before any is taken. */
void chunks_share(struct chunks *c, unsigned part, unsigned parts);

/*
 * The table has `rows` of the rows first .. first + c->rows - 1, where `first`
 * begins a chunk.  -ENOMEM; -EINVAL: there is no such chunk, or it has less
 * rows.
 */
int chunks_found(struct chunks *c, uint64_t first, uint64_t rows);

/* The next chunk that is not full; false: none is left. */
bool chunks_take(struct chunks *c, struct chunk *ret);
bool chunks_left(struct chunks *c);

/* Rows in chunks that are to be given away, and in those among them that are
 * full; before any was taken. */
uint64_t chunks_rows(const struct chunks *c);
uint64_t chunks_rows_there(const struct chunks *c);

#endif
