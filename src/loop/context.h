/*
 * context.h - stacks, and the switch from one to another (for src/loop only).
 */
#ifndef BENCH_LOOP_CONTEXT_H
#define BENCH_LOOP_CONTEXT_H

#include <stddef.h>

struct err;

/* Where a thread of control goes on: on a stack of its own, or on that of its
 * thread. */
struct context {
  void *at; /* while it does not run */
  /* Of an own stack: its lowest byte above the guard page, and size. */
  char *stack;
  size_t bytes;
  void (*fn)(void *arg);
  void *arg;
  void *sanitizer; /* what a sanitizer knows of it */
  void *portable;  /* where there is no switch for the processor */
};

/* The present thread of control of this thread, which has no own stack. */
void context_init(struct context *c);

/* Give `c` a stack, on which fn(arg) is called by the first switch to it.  It
 * never returns: the last thing that it does is context_switch(). */
int context_make(struct context *c, size_t bytes, void (*fn)(void *arg),
                 void *arg, struct err *err);
/* The stack goes; it is not in use. */
void context_free(struct context *c);

/* Go on with `to`.  Returns when something switches back to `from`.  `last`:
 * `from` has ended. */
void context_switch(struct context *from, struct context *to, int last);

#endif
