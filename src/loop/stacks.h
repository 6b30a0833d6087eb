/*
 * stacks.h - memory for the stacks of many fibers (for src/loop only).
 *
 * Stacks are cut from long stretches of addresses, so that thousands of them
 * begin and end with a few system calls.  Pages below each, which nobody may
 * touch, catch an overflow.  One thread uses a struct stacks.
 */
#ifndef BENCH_LOOP_STACKS_H
#define BENCH_LOOP_STACKS_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct stacks_stretch;

struct stacks {
  size_t bytes; /* of each stack */
  size_t page;
  size_t guard;                     /* below it, whole pages */
  bool light;                       /* guards take no map of their own */
  struct stacks_stretch *stretches; /* owned */
  char *at, *end;                   /* the rest of the last one */
  char *unused;                     /* a list of stacks that were given back */
};

/* `bytes` of each stack; nothing is allocated yet. */
void stacks_init(struct stacks *s, size_t bytes);
/* All stacks go, those in use as well. */
void stacks_done(struct stacks *s);

/* The lowest byte of a stack above its guard. */
int stacks_take(struct stacks *s, char **ret, struct err *err);
/* It is not in use any more. */
void stacks_give_back(struct stacks *s, char *stack);

#endif
