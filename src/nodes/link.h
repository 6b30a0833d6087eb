/*
 * link.h - messages between two ranks, without waiting, as an engine (Open MPI,
 * MPICH) provides them. One thread calls all functions, not necessarily the
 * main thread. Errors are negative errno values, with the text in `why`.
 */
#ifndef BENCH_NODES_LINK_H
#define BENCH_NODES_LINK_H

#include <stddef.h>

/* Of struct cluster_link; other plug-ins are refused. */
#define CLUSTER_LINK_VERSION 1

/* A plug-in's function that returns its struct cluster_link. */
#define CLUSTER_LINK_SYMBOL "bench_cluster_link"

struct cluster_link {
  int version; /* CLUSTER_LINK_VERSION */

  int (*open)(void **ret_ctx, unsigned *ret_rank, unsigned *ret_size, char *why,
              size_t why_size);

  /* Engine and version; borrowed. */
  const char *(*describe)(void *ctx);

  /* `bytes` stay until sent() returns 1. Messages from one rank to another keep
   * their order. */
  int (*send)(void *ctx, unsigned to, const void *bytes, size_t len,
              void **ret_request);
  /* 1: sent; 0: not yet; negative: failed. The request is gone unless 0. */
  int (*sent)(void *ctx, void *request);

  /* 1: a message, freed by the caller; 0: none. */
  int (*receive)(void *ctx, unsigned *ret_from, void **ret_bytes,
                 size_t *ret_len);

  /* All ranks call this at about the same time. */
  void (*close)(void *ctx);
};

#endif
