/*
 * store.h - where a log keeps its chunks: a mapped file, or memory that is
 * sent.
 */
#ifndef BENCH_ACK_STORE_H
#define BENCH_ACK_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "ack/format.h"

struct ack_notices;
struct err;
struct ack_store_ops;

struct ack_store {
  const struct ack_store_ops *ops;
  struct ack_header *header; /* zeros at first; ack_log_open() fills it in */
  const char *name;
};

struct ack_store_ops {
  /* A zeroed chunk; any thread. -ENOBUFS: leave out what the client writes. */
  int (*take)(struct ack_store *store, uint32_t client, char **ret);

  /* [opt] The header has changed.  No client runs. */
  int (*changed)(struct ack_store *store, struct err *err);

  int (*finish)(struct ack_store *store, bool all_ended, struct ack_totals *ret,
                struct err *err);

  void (*free)(struct ack_store *store);
};

int ack_store_file(struct ack_store **ret, const char *path, struct err *err);

/* `most_chunks` limits the memory. */
int ack_store_remote(struct ack_store **ret, const char *address,
                     unsigned clients, unsigned most_chunks,
                     const struct ack_notices *notices, struct err *err);

#endif
