/*
 * details.h - adds the figures of a script to the results: its counters, and
 * the facts and errors of its database.
 */
#ifndef BENCH_LUA_ENGINE_DETAILS_H
#define BENCH_LUA_ENGINE_DETAILS_H

struct warnings;
struct report;
struct tally;
struct test_details;

/* The member `details` of struct test_ops; `run` is a struct script. */
void details_fill(void *run, struct test_details *ret);
/* The member `take_whole`. */
void details_whole(void *run, const struct test_details *whole);

/*
 * The member `doubts` of struct test_ops: reads that found no row, a server
 * that does not wait for its disk, or a server that kept workers waiting after
 * the end.
 */
void details_doubts(void *run, const struct report *total, struct warnings *to);

/* The member `tally`: counters, histograms and errors. */
void details_tally(void *run, struct tally *to);

/* The member `statement_times`. */
void details_statement_times(void *run, struct report *r);

#endif
