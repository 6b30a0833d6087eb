/*
 * The members that clients choose: their shares, their order, their streams.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "run/mix/choice.h"
#include "run/mix/list.h"
#include "tests/unit/rand_check.h"
#include "tests/unit/tap.h"

enum {
  DRAWS = 1000000,
};

static char names[][2] = { "a", "b", "c", "d" };
static struct mix_member members[] = {
  { .name = names[0], .weight = 600 },
  { .name = names[1], .weight = 300 },
  { .name = names[2], .weight = 90 },
  { .name = names[3], .weight = 10 },
};
static const struct mix_list list = { ARRAY_SIZE(members), members, false };

static void start(struct mix_weights *w, struct mix_choice *c, int order,
                  uint64_t seed, uint64_t client)
{
  struct err err = { "" };

  MUST(mix_weights_init(w, &list, order, &err) == 0);
  MUST(mix_choice_init(c, w, seed, client, &err) == 0);
}

static void stop(struct mix_weights *w, struct mix_choice *c)
{
  mix_choice_done(c);
  mix_weights_done(w);
}

static const double shares[] = { 0.6, 0.3, 0.09, 0.01 };

static void check_random(void)
{
  for (size_t s = 0; s < ARRAY_SIZE(check_seeds); s++) {
    uint64_t seen[ARRAY_SIZE(members)] = { 0 };
    unsigned pairs[4] = { 0 };
    struct mix_weights w;
    struct mix_choice c;
    unsigned last = 0;
    struct chi2 chi2;

    start(&w, &c, MIX_RANDOM, check_seeds[s], 7);
    for (int i = 0; i < DRAWS; i++) {
      const unsigned m = mix_choose(&c, &w);

      MUST(m < list.n);
      seen[m]++;
      pairs[2 * (last == 0) + (m == 0)]++;
      last = m;
    }
    chi2 = chi2_test(seen, shares, ARRAY_SIZE(shares));
    OK(chi2.df == 3 && chi2.p > 1e-4,
       "shares follow the weights (chi-square, 1,000,000 choices)");
    printf("# seed %llu: p = %g\n", (unsigned long long)check_seeds[s], chi2.p);
    /* a after a: 0.36 of the pairs, 10 standard deviations are 0.0048 */
    OK(pairs[3] > 0.3552 * DRAWS && pairs[3] < 0.3648 * DRAWS,
       "a choice does not depend on the one before");
    stop(&w, &c);
  }
}

/* Every deck has exactly its cards, and their order changes. */
static void check_deck(void)
{
  uint64_t seen[ARRAY_SIZE(members)] = { 0 };
  uint64_t starts[ARRAY_SIZE(members)] = { 0 };
  struct mix_weights w;
  struct mix_choice c;
  bool exact = true;

  start(&w, &c, MIX_DECK, 42, 0);
  OK(w.cards == 100, "the weights are divided by what they have in common");
  for (int deck = 0; deck < DRAWS / 100; deck++) {
    for (int i = 0; i < 100; i++) {
      const unsigned m = mix_choose(&c, &w);

      seen[m]++;
      if (i == 0)
        starts[m]++;
    }
    for (size_t i = 0; i < list.n; i++)
      exact = exact && seen[i] == (uint64_t)(deck + 1) * members[i].weight / 10;
  }
  OK(exact, "each of 10,000 decks has exactly its shares");
  OK(chi2_test(starts, shares, ARRAY_SIZE(shares)).p > 1e-4,
     "the first card of a deck is any of them");
  stop(&w, &c);
}

static void check_streams(void)
{
  struct mix_weights w, v;
  struct mix_choice a, b, other;
  unsigned same = 0, differ = 0;

  start(&w, &a, MIX_RANDOM, 42, 3);
  start(&v, &b, MIX_RANDOM, 42, 3);
  for (int i = 0; i < 1000; i++)
    same += mix_choose(&a, &w) == mix_choose(&b, &v);
  OK(same == 1000, "the same seed and client choose the same");
  stop(&v, &b);
  start(&v, &other, MIX_RANDOM, 42, 4);
  for (int i = 0; i < 1000; i++)
    differ += mix_choose(&a, &w) != mix_choose(&other, &v);
  OK(differ > 300, "another client chooses by itself");
  stop(&v, &other);
  stop(&w, &a);
}

static void check_limits(void)
{
  struct mix_member many[] = { { .weight = 10000 }, { .weight = 1 } };
  const struct mix_list large = { 2, many, false };
  struct mix_weights w;
  struct err err = { "" };

  OK(mix_weights_init(&w, &large, MIX_DECK, &err) == -EINVAL &&
       strstr(err.text, "10001 cards"),
     "a deck has at most 10,000 cards");
  many[1].weight = 5000;
  OK(mix_weights_init(&w, &large, MIX_DECK, &err) == 0 && w.cards == 3,
     "which are counted when the weights are divided");
  mix_weights_done(&w);
}

int main(void)
{
  check_random();
  check_deck();
  check_streams();
  check_limits();
  return TAP_EXIT();
}
