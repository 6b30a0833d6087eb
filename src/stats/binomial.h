/*
 * binomial.h - how certain a share is that was seen in a number of trials.
 *
 * The numbers of trials and hits may be fractions: whoever knows that hits come
 * in clusters divides both by the inflation of their variance.
 */
#ifndef BENCH_STATS_BINOMIAL_H
#define BENCH_STATS_BINOMIAL_H

/* P(X <= hits) for X hits in `trials` (at least 0), each with probability
 * `share` (0..1); 0 for negative hits. */
double binomial_at_most(double trials, double hits, double share);

/* P(X >= hits). */
double binomial_at_least(double trials, double hits, double share);

/* The smallest number of trials that excludes `share` (above 0, below 1) at
 * this confidence if there are no more than `hits`. */
double binomial_trials(double hits, double share, double confidence);

#endif
