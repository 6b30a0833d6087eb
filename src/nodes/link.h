/*
 * link.h - how the ranks of one run reach each other: the functions that an
 * engine that launches them (Open MPI, MPICH) must provide.
 *
 * Only messages between two ranks are needed, and no call ever waits.
 * Everything else (sharing the plan, a common start, merging reports) is made
 * of messages in src/nodes, the same for every engine.
 *
 * One thread calls all functions; it need not be the main thread. Errors are
 * negative errno values; `why` receives the text.
 */
#ifndef BENCH_NODES_LINK_H
#define BENCH_NODES_LINK_H

#include <stddef.h>

/* Changes with struct cluster_link.  A plug-in of another version is
 * refused. */
#define CLUSTER_LINK_VERSION 1

/* The symbol of a plug-in: a function that returns its struct cluster_link. */
#define CLUSTER_LINK_SYMBOL "bench_cluster_link"

struct cluster_link {
  int version; /* CLUSTER_LINK_VERSION */

  /* Join the other ranks.  Returns the number of this rank, and how many there
   * are. */
  int (*open)(void **ret_ctx, unsigned *ret_rank, unsigned *ret_size, char *why,
              size_t why_size);

  /* The name of the engine and its version, for messages; borrowed. */
  const char *(*describe)(void *ctx);

  /*
   * Begin to send; `bytes` must stay in place until sent() returns 1.  Messages
   * from one rank to another arrive in the order in which they were sent.
   */
  int (*send)(void *ctx, unsigned to, const void *bytes, size_t len,
              void **ret_request);
  /* 1: it was sent, and the request is gone; 0: not yet; negative: it cannot be
   * sent, and the request is gone. */
  int (*sent)(void *ctx, void *request);

  /* 1: a message, in memory that the caller frees; 0: there is none at
   * present. */
  int (*receive)(void *ctx, unsigned *ret_from, void **ret_bytes,
                 size_t *ret_len);

  /* Leave; all ranks call this at about the same time. */
  void (*close)(void *ctx);
};

#endif
