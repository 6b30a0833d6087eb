/*
 * share.h - a table that several ranks load together: each has every n-th
 * chunk, and one of them creates the table and finishes it.
 */
#ifndef BENCH_LOAD_SHARE_H
#define BENCH_LOAD_SHARE_H

#include <stdbool.h>

struct err;

/* All zeroes: there are no other ranks. */
struct load_share {
  unsigned part, parts; /* of the ranks at this table; number 0 creates it */
  /* They are the voters numbered first, first + step, ... of `voters`. */
  unsigned first, step, voters;
  void *ctx;
  /* Each rank learns the words of all, all[voters]; waits for all of them. A
   * rank that will not come has the word UINT8_MAX. */
  void (*vote)(void *ctx, unsigned char own, unsigned char *all);
};

/* Are there no other ranks to meet?  A rank that has a table to itself is not
 * alone as long as others load other tables: they wait for it, too. */
bool share_is_alone(const struct load_share *s);
bool share_creates(const struct load_share *s);

/*
 * Two meetings of all voters, in this order; each must be called.  At the first
 * one, the tables are there; the result is the word of the rank that has
 * created this one (only its own `origin` counts).  At the second one, all rows
 * are there. Returns -ECANCELED if a rank at this table has given up, or
 * -ENOMEM.
 */
int share_created(const struct load_share *s, int origin, int *ret_origin,
                  struct err *err);
int share_loaded(const struct load_share *s, struct err *err);

#endif
