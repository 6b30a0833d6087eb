/*
 * context.h - the switch from one stack to another (for src/loop only).
 */
#ifndef BENCH_LOOP_CONTEXT_H
#define BENCH_LOOP_CONTEXT_H

#include <stddef.h>

struct context {
  void *at; /* while not running */
  /* Unset for a thread's own stack. */
  char *stack;
  size_t bytes;
  void (*fn)(void *arg);
  void *arg;
  void *sanitizer;
  void *portable; /* ucontext_t, on other CPUs */
};

/* The calling thread, on its own stack. */
void context_init(struct context *c);

/* At the first switch, `c` runs fn(arg) on a borrowed stack. fn never returns:
 * it ends with context_switch(). -ENOMEM. */
int context_make(struct context *c, char *stack, size_t bytes,
                 void (*fn)(void *arg), void *arg);
void context_free(struct context *c);

/* Returns after a switch back to `from`.  `last`: `from` has ended. */
void context_switch(struct context *from, struct context *to, int last);

#endif
