/*
 * peers.h - the common start and end of the ranks of a run, from the program.
 */
#ifndef BENCH_RUN_PEERS_H
#define BENCH_RUN_PEERS_H

#include <stdbool.h>
#include <stdint.h>

struct err;

/* Called in any thread; must not block. */
struct peers_listener {
  void *arg;
  /* Another rank stops: a signal, or another reason (0). */
  void (*stopped)(void *arg, int signal);
};

enum {
  PEERS_GONE = UINT8_MAX,
};

struct peers {
  void *ctx;

  /* From the first thread to the last; NULL removes the listener, which is
   * borrowed. */
  void (*listen)(void *ctx, const struct peers_listener *listener);

  /*
   * WAITS for the workers of all ranks; `ready`: of this one.  *ret_ns, in the
   * future, is the common start.  Negative: no rank starts; err is empty if
   * another rank reports why.
   */
  int (*start)(void *ctx, bool ready, uint64_t *ret_ns, struct err *err);

  void (*started)(void *ctx, uint64_t now_ns);

  /* This rank stops early: a signal, or 0.  Must not block. */
  void (*stop)(void *ctx, int signal);

  /* All workers of this rank have left: WAITS for the others. */
  void (*finish)(void *ctx);

  /*
   * Called by all ranks, to divide the work on files: this one is number
   * *ret_part of the *ret_parts that see the same folder.  A folder that cannot
   * be written to is seen by one rank only.
   */
  void (*divide_folder)(void *ctx, const char *path, unsigned *ret_part,
                        unsigned *ret_parts);

  /* Called by all ranks: each gets the words of all, all[plan->parts].  WAITS
   * for the last one.  A rank that will not vote has PEERS_GONE. */
  void (*vote)(void *ctx, unsigned char own, unsigned char *all);
};

#endif
