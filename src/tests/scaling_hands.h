/*
 * scaling_hands.h - threads that work at the same time, each on a processor of
 * its own.
 */
#ifndef BENCH_TESTS_SCALING_HANDS_H
#define BENCH_TESTS_SCALING_HANDS_H

#include <stdint.h>

struct err;
struct scaling;
struct scaling_hands;

/*
 * Make the threads, all but the first, which is the caller: it goes to the
 * first processor.  Each opens what it needs there.  Free them with
 * scaling_hands_free(), also without success: -EIO says that the memory of one
 * does not hold what it must.
 */
int scaling_hands_new(struct scaling_hands **ret, const struct scaling *s,
                      struct err *err);
int scaling_hands_free(struct scaling_hands *h, struct err *err);

/*
 * The first `threads` of them do a work for so long.  *ret_per_s is what they
 * have done together, in units per second.  -EIO: a result is wrong.
 */
int scaling_hands_play(struct scaling_hands *h, unsigned work, unsigned threads,
                       uint64_t for_ns, double *ret_per_s, struct err *err);

#endif
