/*
 * history.h - the transactions of a run, as seen by clients: the form of the
 * file, and its content in memory.
 *
 * The file is text.  Its first line is HISTORY_MAGIC and the kind of its
 * values, "lists" or "registers".  Lines that begin with # are comments. Each
 * other line is one transaction, in no order:
 *
 *   PROCESS INVOKED COMPLETED OUTCOME [OPERATION]...
 *
 * Times are nanoseconds from the start of the run; COMPLETED is - if unknown.
 * OUTCOME is ok, fail (nothing was committed) or unknown.  An OPERATION is
 * r:KEY=VALUE (read), r:KEY (a read without an answer), in registers
 * w:KEY=VALUE (write), in lists a:KEY=VALUE (append).  A list is its elements
 * with commas between; without a VALUE, a read found nothing.  Keys and values
 * are decimal numbers, at most INT64_MAX, without signs and leading zeros.
 * Nobody writes a value to a key twice.
 *
 * The last line is "end" with the number of transactions.  Without it, the
 * history is cut off.
 */
#ifndef BENCH_HISTORY_HISTORY_H
#define BENCH_HISTORY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* A hash table of indexes. {0} is empty. */

struct lookup {
  uint32_t *slots; /* owned; index + 1, 0: free */
  size_t mask;
  size_t n;
};

/* Is the thing of this index the wanted one? And the hash of a thing. */
typedef bool lookup_same(const void *ctx, uint32_t index);
typedef uint64_t lookup_hash(const void *ctx, uint32_t index);

#define HISTORY_MAGIC "bench history 1 "
#define HISTORY_NONE UINT32_MAX /* no transaction, operation or key */

enum history_kind {
  HISTORY_LISTS,
  HISTORY_REGISTERS,
};

enum history_outcome {
  HISTORY_OK,
  HISTORY_FAIL,
  HISTORY_UNKNOWN,
};

struct history_op {
  uint64_t at;    /* of a read's value, in the text */
  int64_t value;  /* written; of a read: the last element */
  uint32_t bytes; /* of a read's value; 0: nothing */
  uint32_t key;
  uint32_t trx;
  uint32_t before; /* on this key in this transaction */
  bool is_write;
  bool is_known; /* the read has an answer */
  bool is_final; /* last write of the key here */
};

struct history_trx {
  uint64_t invoked_ns, completed_ns; /* UINT64_MAX: unknown */
  uint32_t process;
  uint32_t first;
  uint32_t line;
  enum history_outcome outcome;
};

struct history {
  char *text; /* owned; the file */
  size_t len;
  enum history_kind kind;
  bool is_complete; /* has its last line */

  struct history_trx *trxs; /* owned; n_trxs + 1, for `first` */
  uint32_t n_trxs;
  struct history_op *ops;
  uint32_t n_ops;
  int64_t *keys; /* owned; names */
  uint32_t n_keys;

  struct lookup by_name;
  struct lookup writes; /* writing operations */
};

/* Errors name the line. history_done() frees all, also if zeroed. */
int history_read(struct history *ret, const char *path, struct err *err);
void history_done(struct history *h);

/* Takes `text`, of malloc(), over in any case; `path` is for messages. */
int history_parse(struct history *ret, char *text, size_t len, const char *path,
                  struct err *err);

/* HISTORY_NONE: nobody writes the value. */
uint32_t history_writer(const struct history *h, uint32_t key, int64_t value);

/* The transaction's first write of a key, or HISTORY_NONE. */
uint32_t history_write_of(const struct history *h, uint32_t trx, uint32_t key);

static inline uint32_t history_end(const struct history *h, uint32_t trx)
{
  return h->trxs[trx + 1].first;
}

#endif
