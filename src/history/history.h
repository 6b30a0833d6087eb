/*
 * history.h - what the transactions of a run have done, as their clients saw
 * it: the form of the file, and what a program reads from it.
 *
 * The file is text.  Its first line is HISTORY_MAGIC and the kind of its
 * values, "lists" or "registers".  Lines that begin with # are for people. Each
 * other line is one transaction:
 *
 *   PROCESS INVOKED COMPLETED OUTCOME [OPERATION]...
 *
 * Times are nanoseconds from the start of the run, COMPLETED is - if it is not
 * known.  OUTCOME is ok, fail (nothing was committed) or unknown.  An OPERATION
 * is r:KEY=VALUE (read), r:KEY (a read without an answer), and in registers
 * w:KEY=VALUE (write), in lists a:KEY=VALUE (append).  A list that was read is
 * its elements with commas between; without a VALUE, there was nothing.  Keys
 * and values are decimal numbers, at most INT64_MAX, without signs and leading
 * zeros.  Nobody writes the same value to a key twice.
 *
 * The last line is "end" with the number of transactions.  Without it, the
 * history is cut off.  Transactions are in no order.
 */
#ifndef BENCH_HISTORY_HISTORY_H
#define BENCH_HISTORY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "history/lookup.h"

struct err;

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
  uint64_t at;     /* of a read: where its value is in the text */
  int64_t value;   /* written; of a read, its last element */
  uint32_t bytes;  /* of a read: length of its value; 0: there was nothing */
  uint32_t key;    /* index in `keys` */
  uint32_t trx;    /* index in `trxs` */
  uint32_t before; /* the transaction's operation on this key before this one */
  bool is_write;
  bool is_known; /* a read that was answered; every write */
  bool is_final; /* the transaction does not write this key again */
};

struct history_trx {
  uint64_t invoked_ns, completed_ns; /* completed: UINT64_MAX if not known */
  uint32_t process;
  uint32_t first; /* of its operations; they end where the next one's begin */
  uint32_t line;
  enum history_outcome outcome;
};

struct history {
  char *text; /* owned; the file */
  size_t len;
  enum history_kind kind;
  bool is_complete; /* it has its last line */

  struct history_trx *trxs; /* owned; one more than n_trxs, for `first` */
  uint32_t n_trxs;
  struct history_op *ops; /* owned */
  uint32_t n_ops;
  int64_t *keys; /* owned; the name of each key */
  uint32_t n_keys;

  struct lookup by_name; /* keys */
  struct lookup writes;  /* operations that write */
};

/* Read a file.  history_done() frees what it has, also of a zeroed one.  An
 * error names the line. */
int history_read(struct history *ret, const char *path, struct err *err);
void history_done(struct history *h);

/* The same for a text, which is taken over in any case and comes from malloc().
 * `path` is for messages. */
int history_parse(struct history *ret, char *text, size_t len, const char *path,
                  struct err *err);

/* The operation that writes a value to a key; HISTORY_NONE: there is none. */
uint32_t history_writer(const struct history *h, uint32_t key, int64_t value);

static inline uint32_t history_end(const struct history *h, uint32_t trx)
{
  return h->trxs[trx + 1].first;
}

#endif
