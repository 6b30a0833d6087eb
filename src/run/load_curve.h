/*
 * load_curve.h - a rate that changes over time.
 *
 * A curve is a constant list of pieces that starts again unless the last one
 * has no end.
 */
#ifndef BENCH_RUN_LOAD_CURVE_H
#define BENCH_RUN_LOAD_CURVE_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct load_curve;
struct optset;
struct run_cfg;

/* All 0: the start. */
struct load_place {
  double at_ns;    /* since the start */
  double piece_ns; /* when the piece began */
  size_t piece;
};

enum {
  LOAD_PIECES_MAX = 1000000
};

/* From text, or from lines TIME,RATE of a file.  -EINVAL: `err` has the
 * expected form; -ENOMEM. */
int load_curve_parse(struct load_curve **ret, const char *text,
                     struct err *err);
int load_curve_points(struct load_curve **ret, const char *text,
                      struct err *err);
void load_curve_free(struct load_curve *c);

/* INFINITY: the last piece has no end. */
double load_curve_length_s(const struct load_curve *c);

/* *ret is per second. */
bool load_curve_is_constant(const struct load_curve *c, double *ret);

/* The curve of one of `parts` equal shares, after `lead_ns`, once, with the
 * rate of its start. -ENOMEM. */
int load_curve_share(struct load_curve **ret, const struct load_curve *c,
                     double lead_ns, unsigned parts, struct err *err);

/* Events due between a place and a moment, with fractions; 0 if the moment is
 * not later. */
double load_curve_count(const struct load_curve *c,
                        const struct load_place *from, double until_ns);

/* To the moment when `count` >= 0 more events are due. */
void load_curve_advance(const struct load_curve *c, struct load_place *place,
                        double count);

/* From text, or from FILE.csv.  Errors as of load_curve_parse(). */
int load_profile_read(struct load_curve **ret, const char *value,
                      struct err *err);

/* Checks --load-profile, which sets the length of a run without --time.
 * -EINVAL, -ENOMEM. */
int load_profile_settle(const struct run_cfg *cfg, struct optset *set,
                        struct err *err);

#endif
