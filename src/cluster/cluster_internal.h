/*
 * cluster_internal.h - what the meetings of the ranks have in common.
 *
 * Every meeting has the same shape: all ranks tell rank 0, and rank 0 tells
 * all.
 */
#ifndef BENCH_CLUSTER_CLUSTER_INTERNAL_H
#define BENCH_CLUSTER_CLUSTER_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "cluster/cluster.h"
#include "cluster/sync.h"

enum {
  CLUSTER_HOST_SIZE = 256,
};

struct member {
  char host[CLUSTER_HOST_SIZE];
  struct sync_offset clock; /* rank 0 knows these */
  bool started;
  int64_t start_error_ns;
  bool lost;
};

struct cluster {
  struct post *post;
  unsigned rank, size;
  struct member *of;         /* owned; [size] */
  struct post_message *plan; /* owned; what rank 0 has sent */
  uint64_t start_ns;         /* the common start, on this rank's clock */
};

/*
 * A message of rank `rank` will not come.  Returns -ECANCELED if the rank has
 * given up; `err` is empty if it is rank 0, which reports why itself.  Returns
 * -ETIMEDOUT if it is silent, and marks it as lost.
 */
int cluster_no_answer(struct cluster *c, unsigned rank, struct err *err);

#endif
