/*
 * context.h - the switch from one stack to another (for src/loop only).
 */
#ifndef BENCH_LOOP_CONTEXT_H
#define BENCH_LOOP_CONTEXT_H

#include <stddef.h>

/* Where a thread of control goes on. */
struct context {
  void *at; /* while not running */
  /* Of an own stack. */
  char *stack;
  size_t bytes;
  void (*fn)(void *arg);
  void *arg;
  void *sanitizer;
  void *portable; /* without a switch for the processor */
};

/* Of this thread, on the thread's stack. */
void context_init(struct context *c);

/* `c` runs fn(arg) on a borrowed stack, at the first switch.  fn never returns:
 * it ends with context_switch().  -ENOMEM. */
int context_make(struct context *c, char *stack, size_t bytes,
                 void (*fn)(void *arg), void *arg);
void context_free(struct context *c);

/* Returns when something switches back to `from`.  `last`: `from` has ended. */
void context_switch(struct context *from, struct context *to, int last);

#endif
