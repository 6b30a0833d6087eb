/*
 * share.h - a table that several processes load together: each has every n-th
 * chunk, and one of them creates the table and finishes it.
 */
#ifndef BENCH_LOAD_SHARE_H
#define BENCH_LOAD_SHARE_H

#include <stdbool.h>

struct err;

/* All zeroes: there are no other processes. */
struct load_share {
  unsigned part, parts; /* of those at this table; number 0 creates it */
  /* Those are the voters numbered first, first + step, ... of `voters`. */
  unsigned first, step, voters;
  void *ctx;
  /* Everybody learns everybody's word, all[voters]; waits for all of them.
   * UINT8_MAX is that of one who will not come. */
  void (*vote)(void *ctx, unsigned char own, unsigned char *all);
};

/* There is nobody to meet.  One who has a table to itself is not alone as long
 * as others load other tables: they wait for it, too. */
bool share_is_alone(const struct load_share *s);
bool share_creates(const struct load_share *s);

/*
 * Two meetings of all voters, in this order, and neither is left out: the
 * tables are there, with the word of who has created this one (only its own
 * `origin` counts); and all rows are.  -ECANCELED: somebody at this table has
 * given up; -ENOMEM.
 */
int share_created(const struct load_share *s, int origin, int *ret_origin,
                  struct err *err);
int share_loaded(const struct load_share *s, struct err *err);

#endif
