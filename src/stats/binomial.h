/*
 * binomial.h - tails of the binomial distribution. Trials and hits may be
 * fractions: clusters divide both by the inflation of their variance.
 */
#ifndef BENCH_STATS_BINOMIAL_H
#define BENCH_STATS_BINOMIAL_H

/* P(X <= hits), `share` (0..1) being the probability of a hit. 0 for negative
 * hits. */
double binomial_at_most(double trials, double hits, double share);

/* P(X >= hits). */
double binomial_at_least(double trials, double hits, double share);

#endif
