#include "run/mix/choice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "run/mix/list.h"

static uint64_t mix_common_divisor(uint64_t a, uint64_t b)
{
  while (b != 0) {
    const uint64_t rest = a % b;

    a = b;
    b = rest;
  }
  return a;
}

static int mix_make_deck(struct mix_weights *w, const struct mix_list *list,
                         struct err *err)
{
  uint64_t divisor = 0, cards;
  unsigned n = 0;

  for (size_t i = 0; i < list->n; i++)
    divisor = mix_common_divisor(list->of[i].weight, divisor);
  cards = w->sum / divisor;
  if (cards > MIX_CARDS_MAX)
    return err_set(err, -EINVAL,
                   "--mix-choice=deck: the weights make %llu cards, and a deck "
                   "has at most %d: use smaller weights",
                   (unsigned long long)cards, MIX_CARDS_MAX);
  w->deck = malloc(cards);
  if (!w->deck)
    return err_set(err, -ENOMEM, "not enough memory for the mix");
  for (unsigned i = 0; i < w->n; i++) {
    memset(w->deck + n, (int)i, list->of[i].weight / divisor);
    n += (unsigned)(list->of[i].weight / divisor);
  }
  w->cards = n;
  return 0;
}

int mix_weights_init(struct mix_weights *w, const struct mix_list *list,
                     int order, struct err *err)
{
  int rc = 0;

  *w = (struct mix_weights){ .n = (unsigned)list->n };
  w->upto = calloc(list->n, sizeof(*w->upto));
  if (!w->upto)
    return err_set(err, -ENOMEM, "not enough memory for the mix");
  for (size_t i = 0; i < list->n; i++) {
    w->sum += list->of[i].weight;
    w->upto[i] = w->sum;
  }
  if (order == MIX_DECK && w->sum > 0)
    rc = mix_make_deck(w, list, err);
  if (rc < 0)
    mix_weights_done(w);
  return rc;
}

void mix_weights_done(struct mix_weights *w)
{
  free(w->upto);
  free(w->deck);
  *w = (struct mix_weights){ 0 };
}

int mix_choice_init(struct mix_choice *c, const struct mix_weights *w,
                    uint64_t seed, uint64_t client, struct err *err)
{
  *c = (struct mix_choice){ 0 };
  rng_seed(&c->rng, seed, RNG_MIX, client);
  if (w->cards == 0)
    return 0;
  c->deck = malloc(w->cards);
  if (!c->deck)
    return err_set(err, -ENOMEM, "not enough memory for the mix");
  memcpy(c->deck, w->deck, w->cards);
  return 0;
}

void mix_choice_done(struct mix_choice *c)
{
  free(c->deck);
  c->deck = NULL;
}

/* Shuffling one step at a time. */
static unsigned mix_draw_card(struct mix_choice *c, unsigned cards)
{
  unsigned at;
  uint8_t card;

  if (c->left == 0)
    c->left = cards;
  at = (unsigned)rng_below(&c->rng, c->left);
  card = c->deck[at];
  c->left--;
  c->deck[at] = c->deck[c->left];
  c->deck[c->left] = card;
  return card;
}

unsigned mix_choose(struct mix_choice *c, const struct mix_weights *w)
{
  unsigned member = 0;
  uint64_t x;

  if (w->cards > 0)
    return mix_draw_card(c, w->cards);
  x = rng_below(&c->rng, w->sum);
  while (x >= w->upto[member])
    member++;
  return member;
}
