/*
 * usl_law.h - the Universal Scalability Law as a linear one: the time that a
 * worker takes per event.  Only for the files of usl.h.
 */
#ifndef BENCH_TOOLS_USL_LAW_H
#define BENCH_TOOLS_USL_LAW_H

#include <stdbool.h>
#include <stddef.h>

enum {
  USL_TERMS = 3,
  USL_REPLICATES = 2000, /* of the data, made by chance */
};

/* Coefficients of 1, N - 1 and N (N - 1). */
struct usl_law {
  double c[USL_TERMS];
};

/* The data: the time that a worker takes per event, ascending in N. */
struct usl_data {
  size_t n;
  double *workers, *time; /* owned: one allocation */
  double largest;
};

/* The time per event that the law gives. */
double usl_law_time(const struct usl_law *f, double workers);

/* Fit the terms in use to these times, with relative errors.  `weigh` has room
 * for all times.  False: the terms depend on each other. */
bool usl_law_fit_terms(const struct usl_data *d, const double *time,
                       const bool use[USL_TERMS], double *weigh,
                       struct usl_law *ret);

/* The best fit without negative terms; false: there is none. */
bool usl_law_fit(const struct usl_data *d, double *weigh, struct usl_law *ret);

#endif
