/*
 * zipf.h - what dist.c asks of the zipfian sampler.
 */
#ifndef BENCH_RAND_ZIPF_H
#define BENCH_RAND_ZIPF_H

struct rand_params;

/* Fill in the members that begin with zipf_. */
void zipf_params_init(struct rand_params *p, double exponent);

#endif
