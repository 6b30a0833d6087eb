/*
 * coincide_shape.c - does a series have the shape of what was lost?
 */
#include "stats/coincide_shape.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stats/coincide_turns.h"

#define ALIKE 0.5     /* a smaller correlation is none */
#define ROUNDING 1e-9 /* sums in another order differ by less */

static double length_of(const double *v, size_t n)
{
  double squares = 0;

  for (size_t i = 0; i < n; i++)
    squares += v[i] * v[i];
  return sqrt(squares);
}

bool coincide_shape_init(struct coincide_shape *c, const double *loss, size_t n,
                         size_t n_series)
{
  *c = (struct coincide_shape){
    .n = n,
    .loss = loss,
    .length = length_of(loss, n),
    .lost = mem_new(n, sizeof(*c->lost)),
    .turn = mem_new(n, sizeof(*c->turn)),
    .fit = mem_new(n, sizeof(*c->fit)),
    .highest = mem_new(n, sizeof(*c->highest)),
    .own = mem_new(n_series + 1, sizeof(*c->own)),
  };
  for (size_t i = 0; c->lost && i < n; i++) {
    if (loss[i] > 0)
      c->lost[c->n_lost++] = i;
  }
  if (!c->lost || !c->turn || !c->fit || !c->highest || !c->own)
    return false;
  c->n_turns = coincide_turns(0, n - 1, c->turn);
  return true;
}

void coincide_shape_done(struct coincide_shape *c)
{
  free(c->lost);
  free(c->turn);
  free(c->fit);
  free(c->highest);
  free(c->own);
}

static void correlate(struct coincide_shape *c, const double *excess)
{
  const double scale = c->length * length_of(excess, c->n);

  for (size_t t = 0; t < c->n_turns; t++) {
    double sum = 0;

    for (size_t k = 0; k < c->n_lost; k++) {
      const size_t j = c->lost[k], at = j + c->turn[t];

      sum += excess[at < c->n ? at : at - c->n] * c->loss[j];
    }
    c->fit[t] = sum / scale;
  }
}

/* The share of the distances with at least so much. */
static double share_of(const double *by_distance, size_t n, double fit)
{
  size_t as_good = 0;

  for (size_t s = 0; s < n; s++)
    as_good += by_distance[s] >= fit - ROUNDING;
  return (double)as_good / (double)n;
}

double coincide_shape_add(struct coincide_shape *c, size_t k,
                          const double *excess)
{
  correlate(c, excess);
  c->own[k] = c->fit[0];
  for (size_t t = 0; t < c->n_turns; t++)
    c->highest[t] = fmax(c->highest[t], c->fit[t]);
  return share_of(c->fit, c->n_turns, c->own[k]);
}

double coincide_shape_chance(const struct coincide_shape *c, size_t k)
{
  return c->own[k] >= ALIKE ? share_of(c->highest, c->n_turns, c->own[k]) : 1;
}
