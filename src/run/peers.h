/*
 * peers.h - what a run asks of the program's other processes (ranks).
 */
#ifndef BENCH_RUN_PEERS_H
#define BENCH_RUN_PEERS_H

#include <stdbool.h>
#include <stdint.h>

struct err;

/* From any thread; must not block. */
struct peers_listener {
  void *arg;
  /* Another rank stops; 0: not by a signal. */
  void (*stopped)(void *arg, int signal);
};

enum {
  PEERS_GONE = UINT8_MAX,
};

struct peers {
  void *ctx;

  /* Borrows the listener from the first thread to the last; NULL removes it. */
  void (*listen)(void *ctx, const struct peers_listener *listener);

  /*
   * WAITS for the workers of all ranks; `ready`: of this one.  *ret_ns is the
   * common start, in the future.  Negative: no rank starts; `err` is empty if
   * another rank reports it.
   */
  int (*start)(void *ctx, bool ready, uint64_t *ret_ns, struct err *err);

  void (*started)(void *ctx, uint64_t now_ns);

  /* This rank stops early; 0: not by a signal.  Must not block. */
  void (*stop)(void *ctx, int signal);

  /* This rank's workers have left: WAITS for the others. */
  void (*finish)(void *ctx);

  /*
   * All ranks call, to divide the work on files: this is number *ret_part of
   * the *ret_parts that see the same folder.  Only one rank sees a folder that
   * cannot be written to.
   */
  void (*divide_folder)(void *ctx, const char *path, unsigned *ret_part,
                        unsigned *ret_parts);

  /* All ranks call; each gets all words, all[plan->parts].  WAITS for the
   * last one.  PEERS_GONE: the rank does not vote. */
  void (*vote)(void *ctx, unsigned char own, unsigned char *all);
};

#endif
