/*
 * load_curve.h - a rate that changes over time: how many events are due between
 * two moments, and when so many of them are.
 *
 * A curve is a list of pieces that follow each other.  After the last one it
 * starts again, unless that one has no end.  Pure functions; after it is made,
 * a curve is constant, and any thread may read it.
 */
#ifndef BENCH_RUN_LOAD_CURVE_H
#define BENCH_RUN_LOAD_CURVE_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct load_curve;
struct optset;
struct run_cfg;

/* A moment of a curve.  All members 0: the start. */
struct load_place {
  double at_ns;    /* since the start */
  double piece_ns; /* when the piece began */
  size_t piece;
};

enum {
  LOAD_PIECES_MAX = 1000000
};

/*
 * Read the text of a profile, or the points of a file: lines of `TIME,RATE`.
 * docs/load.md describes both.  -EINVAL: `err` says what was expected;
 * -ENOMEM.  load_curve_free() frees *ret.
 */
int load_curve_parse(struct load_curve **ret, const char *text,
                     struct err *err);
int load_curve_points(struct load_curve **ret, const char *text,
                      struct err *err);
void load_curve_free(struct load_curve *c);

/* The length of the profile; INFINITY: its last piece has no end. */
double load_curve_length_s(const struct load_curve *c);

/* Is the rate always the same?  *ret is the rate per second. */
bool load_curve_is_constant(const struct load_curve *c, double *ret);

/*
 * Make the curve of one of `parts` equal shares.  Before it there is a lead of
 * `lead_ns` with the rate of its start, which is not repeated.  -ENOMEM.
 */
int load_curve_share(struct load_curve **ret, const struct load_curve *c,
                     double lead_ns, unsigned parts, struct err *err);

/* The number of events that are due between a place and a moment, which has
 * fractions; 0 if the moment is not later. */
double load_curve_count(const struct load_curve *c,
                        const struct load_place *from, double until_ns);

/* Go on to the moment when `count` >= 0 more events are due. */
void load_curve_advance(const struct load_curve *c, struct load_place *place,
                        double count);

/* -EINVAL: `err` says what was expected; -ENOMEM.  load_curve_free() frees
 * *ret. */
int load_profile_read(struct load_curve **ret, const char *value,
                      struct err *err);

/* Check --load-profile.  Without --time, a run is as long as the profile.
 * -EINVAL, -ENOMEM: `err` has the message. */
int load_profile_settle(const struct run_cfg *cfg, struct optset *set,
                        struct err *err);

#endif
