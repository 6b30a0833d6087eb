/*
 * link.h - how the ranks of one run reach each other: what an engine that
 * launches them (Open MPI, MPICH) must provide.
 *
 * Only messages between two processes are asked for, and no call ever waits:
 * everything else (sharing the plan, a common start, merging reports) is made
 * of messages in src/cluster, the same for every engine.
 *
 * All functions are called by one thread, the same always, which need not be
 * the main thread.  Errors are negative errno values; `why` receives the text.
 */
#ifndef BENCH_CLUSTER_LINK_H
#define BENCH_CLUSTER_LINK_H

#include <stddef.h>

/* Changes with struct cluster_link; a plug-in of another version is refused. */
#define CLUSTER_LINK_VERSION 1

/* The symbol of a plug-in: a function that returns its struct cluster_link. */
#define CLUSTER_LINK_SYMBOL "bench_cluster_link"

struct cluster_link {
  int version; /* CLUSTER_LINK_VERSION */

  /* Join the other ranks: which rank this is, and how many there are. */
  int (*open)(void **ret_ctx, unsigned *ret_rank, unsigned *ret_size, char *why,
              size_t why_size);

  /* The engine and its version, for messages; borrowed. */
  const char *(*describe)(void *ctx);

  /*
   * Begin to send; `bytes` stay where they are until sent() says 1.  Messages
   * from one process to another arrive in the order in which they were sent.
   */
  int (*send)(void *ctx, unsigned to, const void *bytes, size_t len,
              void **ret_request);
  /* 1: it was sent, and the request is gone; 0: not yet; negative: it cannot
   * be, and the request is gone. */
  int (*sent)(void *ctx, void *request);

  /* 1: a message, in memory that the caller frees; 0: there is none now. */
  int (*receive)(void *ctx, unsigned *ret_from, void **ret_bytes,
                 size_t *ret_len);

  /* Leave; all ranks do it at about the same time. */
  void (*close)(void *ctx);
};

#endif
