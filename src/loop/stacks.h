/*
 * stacks.h - memory for the stacks of many fibers, cut from long stretches of
 * addresses.  Guard pages below each stack catch an overflow.  One thread uses
 * a struct stacks.
 */
#ifndef BENCH_LOOP_STACKS_H
#define BENCH_LOOP_STACKS_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct stacks_stretch;

struct stacks {
  size_t bytes; /* of a stack */
  size_t page;
  size_t guard;                     /* below a stack, whole pages */
  bool light;                       /* guards take no map */
  struct stacks_stretch *stretches; /* owned */
  char *at, *end;                   /* rest of the last stretch */
  char *unused;                     /* free stacks */
};

/* Allocates nothing. */
void stacks_init(struct stacks *s, size_t bytes);
/* Frees all stacks, even used ones. */
void stacks_done(struct stacks *s);

/* *ret is the lowest byte above the guard. */
int stacks_take(struct stacks *s, char **ret, struct err *err);
void stacks_give_back(struct stacks *s, char *stack);

#endif
