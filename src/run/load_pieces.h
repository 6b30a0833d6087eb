/*
 * load_pieces.h - what a load curve consists of.  Only for the files of the
 * curve.
 */
#ifndef BENCH_RUN_LOAD_PIECES_H
#define BENCH_RUN_LOAD_PIECES_H

#include <stddef.h>

/* A part of a line, or one period of a wave that begins at its mean and goes up
 * first.  Rates are per nanosecond. */
struct load_piece {
  double length_ns; /* INFINITY: it has no end; then `to` is `from` */
  double from, to;  /* wave: both are the mean */
  double swing;     /* wave: how far it goes up and down; else 0 */
};

struct load_curve {
  struct load_piece *of; /* owned */
  size_t n, room;
  size_t again;       /* the piece that follows the last one */
  double first_per_s; /* the first rate, exactly as it was given */

  /* From piece `again` to the end. */
  double lap_ns, lap_count;
};

/* Find lap_ns and lap_count. */
void load_curve_measure(struct load_curve *c);

#endif
