/*
 * latency_report.h - the staircase of latencies, for the files, and the doubts
 * about it.
 */
#ifndef BENCH_TESTS_MEMORY_LATENCY_REPORT_H
#define BENCH_TESTS_MEMORY_LATENCY_REPORT_H

struct warnings;
struct report;
struct test_details;

/* `run` is a struct latency. */
void latency_report_details(void *run, struct test_details *ret);
void latency_report_doubts(void *run, const struct report *total,
                           struct warnings *to);

#endif
