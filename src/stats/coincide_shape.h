/*
 * coincide_shape.h - does a series have the shape of what was lost?
 *
 * The correlation of two series, one of them turned in a circle by each
 * distance, or by many of them if there are too many: see coincide_turns.h.
 * Chance is the share of all distances, with the smallest ones and none, at
 * which any series fits as well as this one does.  That is exact for one dip as
 * well as for many.
 */
#ifndef BENCH_STATS_COINCIDE_SHAPE_H
#define BENCH_STATS_COINCIDE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

struct coincide_shape {
  size_t n, n_lost;
  const double *loss; /* [n] what was lost, by interval */
  double length;      /* of the loss as a vector */
  size_t *lost;       /* owned; [n_lost] where it is not 0 */
  size_t *turn;       /* owned; [n_turns] the distances, 0 first */
  size_t n_turns;
  double *fit;     /* owned; [n_turns] of one series */
  double *highest; /* owned; [n_turns] of all series */
  double *own;     /* owned; [n_series] at no distance */
};

/* `loss` is borrowed.  False: not enough memory; done() all the same. */
bool coincide_shape_init(struct coincide_shape *c, const double *loss, size_t n,
                         size_t n_series);
void coincide_shape_done(struct coincide_shape *c);

/* Series k, which is 0 where it is as usual.  Returns the share of the
 * distances at which it fits as well. */
double coincide_shape_add(struct coincide_shape *c, size_t k,
                          const double *excess);

/* After all series: the share at which any of them does.  1, if series k is
 * not like what was lost. */
double coincide_shape_chance(const struct coincide_shape *c, size_t k);

#endif
