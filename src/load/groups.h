/*
 * groups.h - random digits in groups, as in the columns c and pad.
 */
#ifndef BENCH_LOAD_GROUPS_H
#define BENCH_LOAD_GROUPS_H

struct rng;

enum {
  GROUP = 12 /* bytes: eleven digits and a `-` */
};

/* Write `n` groups, n * GROUP bytes; every digit is as likely as any other. */
void groups_fill(struct rng *rng, unsigned n, char *to);

#endif
