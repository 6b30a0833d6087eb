/*
 * context.h - the switch from one stack to another (for src/loop only).
 */
#ifndef BENCH_LOOP_CONTEXT_H
#define BENCH_LOOP_CONTEXT_H

#include <stddef.h>

/* Where a thread of control goes on: on a stack of its own, or on that of its
 * thread. */
struct context {
  void *at; /* while it does not run */
  /* Of an own stack: its lowest byte and size. */
  char *stack;
  size_t bytes;
  void (*fn)(void *arg);
  void *arg;
  void *sanitizer; /* what a sanitizer knows of it */
  void *portable;  /* where there is no switch for the processor */
};

/* The present thread of control of this thread, which has no own stack. */
void context_init(struct context *c);

/*
 * `c` runs fn(arg) on a stack that the caller has: the first switch to it calls
 * the function.  It never returns: the last thing that it does is
 * context_switch().  -ENOMEM: no memory.
 */
int context_make(struct context *c, char *stack, size_t bytes,
                 void (*fn)(void *arg), void *arg);
/* The stack is not in use, and the caller has it back. */
void context_free(struct context *c);

/* Go on with `to`.  Returns when something switches back to `from`.  `last`:
 * `from` has ended. */
void context_switch(struct context *from, struct context *to, int last);

#endif
