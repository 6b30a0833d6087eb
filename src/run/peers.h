/*
 * peers.h - what a run that is one part of several must ask for: a common
 * start, and a common end.
 *
 * The program provides it; a run of one process has none.  Reports are no part
 * of it: those of all processes are merged by a reporter.
 */
#ifndef BENCH_RUN_PEERS_H
#define BENCH_RUN_PEERS_H

#include <stdbool.h>
#include <stdint.h>

struct err;

/* Whoever is told of stops elsewhere; any thread, and without blocking. */
struct peers_listener {
  void *arg;
  /* A signal has arrived there, or 0: they stop for another reason. */
  void (*stopped)(void *arg, int signal);
};

enum {
  PEERS_GONE = UINT8_MAX,
};

struct peers {
  void *ctx;

  /* From the first thread to the last one of this run; NULL: nobody any more.
   * `listener` is borrowed. */
  void (*listen)(void *ctx, const struct peers_listener *listener);

  /*
   * The workers of this process are ready, or not: wait for those of the
   * others.  *ret_ns is the moment of the common start, which is yet to come.
   * Negative: nobody starts; err is empty when others say why.
   */
  int (*start)(void *ctx, bool ready, uint64_t *ret_ns, struct err *err);

  /* This process has started, at that moment. */
  void (*started)(void *ctx, uint64_t now_ns);

  /* This process stops before its time: a signal, or 0.  Must not block. */
  void (*stop)(void *ctx, int signal);

  /* All workers of this process have left: wait for those of the others. */
  void (*finish)(void *ctx);

  /*
   * By all processes: which of them see the same folder?  This one is number
   * *ret_part of the *ret_parts that do, so that work on its files can be
   * divided.  A folder that cannot be written to is seen by one process.
   */
  void (*divide_folder)(void *ctx, const char *path, unsigned *ret_part,
                        unsigned *ret_parts);

  /* By all processes: each learns the words of all, all[plan->parts].  Waits
   * for the last one.  The word of who will not come is PEERS_GONE. */
  void (*vote)(void *ctx, unsigned char own, unsigned char *all);
};

struct plan;

/* The same where there may be no peers: then there is one part. */
void peers_divide_folder(const struct plan *plan, const char *path,
                         unsigned *ret_part, unsigned *ret_parts);

#endif
