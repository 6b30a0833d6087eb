/*
 * choice.h - the member of each event of a client, from a random stream of its
 * own.
 */
#ifndef BENCH_MIX_CHOICE_H
#define BENCH_MIX_CHOICE_H

#include <stdint.h>

#include "stats/rand/rng.h"

struct err;
struct mix_list;

enum {
  MIX_CARDS_MAX = 10000,
};

/* Of a mix; constant. */
struct mix_weights {
  unsigned n;
  uint64_t sum;
  uint64_t *upto; /* owned; [n]: sums up to each member */
  unsigned cards; /* 0: no deck */
  uint8_t *deck;  /* owned; [cards], by member */
};

struct mix_choice {
  struct rng rng;
  uint8_t *deck; /* owned; [cards]; NULL: none */
  unsigned left; /* undrawn cards: the first ones */
};

/* enum mix_order.  -EINVAL: too many cards. */
int mix_weights_init(struct mix_weights *w, const struct mix_list *list,
                     int order, struct err *err);
void mix_weights_done(struct mix_weights *w);

/* `client` counts over all processes. */
int mix_choice_init(struct mix_choice *c, const struct mix_weights *w,
                    uint64_t seed, uint64_t client, struct err *err);
void mix_choice_done(struct mix_choice *c);

unsigned mix_choose(struct mix_choice *c, const struct mix_weights *w);

#endif
