/*
 * spread.h - threads that carry clients keep off each other's processor.
 *
 * Such a thread keeps the servers that answer its clients on the processor
 * where it runs, since its requests wake them there.  If two of these threads
 * share a processor, they are woken for every single answer, and that stays so,
 * because the kernel sees all processors at work.  So a thread that finds
 * itself where another one is moves to a processor without one, if it may.
 * From there the kernel moves it as it likes: nothing is bound.
 */
#ifndef BENCH_RUN_SPREAD_H
#define BENCH_RUN_SPREAD_H

#include <stdatomic.h>
#include <stdbool.h>

/* Where the threads are. */
struct spread {
  unsigned n;
  _Atomic int cpu[]; /* of each, which writes it; -1: nobody knows */
};

/* NULL: no memory. */
struct spread *spread_new(unsigned n);
void spread_free(struct spread *s);

/* The thread with this number calls it now and then.  True: it has moved. */
bool spread_look(struct spread *s, unsigned number);

#endif
