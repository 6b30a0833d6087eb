/*
 * chunks.h - a table as a sequence of chunks: the rows in each, and which of
 * them are already in the table.
 *
 * If a key of a table has several rows (kind.h), a row here is a key.
 *
 * One connection loads a chunk in one transaction, so after an interruption a
 * table consists of whole chunks.
 */
#ifndef BENCH_LOAD_CHUNKS_H
#define BENCH_LOAD_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

enum {
  CHUNK_MIN = 5000,
  CHUNK_MAX = 50000,
  CHUNKS_MAX = 1 << 20, /* of a table; for more rows, chunks get larger */
  /* The upper limit for every table, because a user who interrupts a load waits
   * for a chunk. */
  CHUNK_LONGEST = 1 << 21,
};

enum chunk_state {
  CHUNK_EMPTY,
  CHUNK_PARTIAL, /* some of its rows are in the table, and have to be deleted
                    first */
  CHUNK_FULL,
};

struct chunks {
  uint64_t size;  /* rows of the table */
  uint64_t rows;  /* rows of a chunk; the last one may have fewer */
  uint64_t count; /* of chunks */
  uint64_t next;  /* no chunk before this one is left */
  uint64_t step;  /* from one chunk of this rank to its next one */
  uint8_t *state; /* owned; enum chunk_state; NULL: all are empty */
};

/* The rows of the chunk number `n`: ids first..last. */
struct chunk {
  uint64_t n, first, last;
  bool partial;
};

/* Make chunks for so many threads; `rows` is their size unless it is 0. */
void chunks_init(struct chunks *c, uint64_t size, unsigned threads,
                 uint64_t rows);
void chunks_done(struct chunks *c);

/* Share the chunks with other ranks: only those numbered part, part + parts,
 * ... are left for this one.  Call it before a chunk is taken. */
void chunks_share(struct chunks *c, unsigned part, unsigned parts);

/*
 * The table has `rows` of the rows first .. first + c->rows - 1, where `first`
 * is the first row of a chunk.  Returns -ENOMEM; or -EINVAL: there is no such
 * chunk, or it has fewer rows.
 */
int chunks_found(struct chunks *c, uint64_t first, uint64_t rows);

/* Chunk number n, which is less than c->count. */
struct chunk chunks_at(const struct chunks *c, uint64_t n);
/* The same as chunks_found() for a table where a key has several rows. */
int chunks_set(struct chunks *c, uint64_t n, enum chunk_state state);

/* Take the next chunk that is not full; false: none is left. */
bool chunks_take(struct chunks *c, struct chunk *ret);
bool chunks_left(struct chunks *c);

/* The number of rows in the chunks of this rank, and in those among them that
 * are full.  Call it before a chunk is taken. */
uint64_t chunks_rows(const struct chunks *c);
uint64_t chunks_rows_there(const struct chunks *c);

#endif
