/*
 * peers.h - a run that is one of several ranks needs a common start and a
 * common end with its peers.
 *
 * The program provides them; a run of one process has none.  Reports do not
 * belong here: a reporter merges those of all ranks.
 */
#ifndef BENCH_RUN_PEERS_H
#define BENCH_RUN_PEERS_H

#include <stdbool.h>
#include <stdint.h>

struct err;

/* Learns of stops of other ranks, in any thread; it must not block. */
struct peers_listener {
  void *arg;
  /* The peer stops because of a signal, or for another reason (0). */
  void (*stopped)(void *arg, int signal);
};

enum {
  PEERS_GONE = UINT8_MAX,
};

struct peers {
  void *ctx;

  /* Set the listener, from the first thread to the last one of this run; NULL
   * removes it.  `listener` is borrowed. */
  void (*listen)(void *ctx, const struct peers_listener *listener);

  /*
   * The workers of this rank are ready, or not.  Wait for those of the others.
   * *ret_ns is the moment of the common start, which is in the future.
   * Negative: no rank starts; err is empty if another rank reports why.
   */
  int (*start)(void *ctx, bool ready, uint64_t *ret_ns, struct err *err);

  /* This rank has started, at that moment. */
  void (*started)(void *ctx, uint64_t now_ns);

  /* This rank stops before its time: because of a signal, or 0.  Must not
   * block. */
  void (*stop)(void *ctx, int signal);

  /* All workers of this rank have left: wait for those of the others. */
  void (*finish)(void *ctx);

  /*
   * Called by all ranks: which of them see the same folder?  This one is number
   * *ret_part of the *ret_parts that do, so that work on its files can be
   * divided.  A folder that cannot be written to is seen by one rank only.
   */
  void (*divide_folder)(void *ctx, const char *path, unsigned *ret_part,
                        unsigned *ret_parts);

  /* Called by all ranks: each learns the words of all, all[plan->parts].  Waits
   * for the last one.  A rank that will not vote has the word PEERS_GONE. */
  void (*vote)(void *ctx, unsigned char own, unsigned char *all);
};

#endif
