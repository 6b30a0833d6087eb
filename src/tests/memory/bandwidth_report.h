/*
 * bandwidth_report.h - the bandwidth of loops, for the files.
 */
#ifndef BENCH_TESTS_MEMORY_BANDWIDTH_REPORT_H
#define BENCH_TESTS_MEMORY_BANDWIDTH_REPORT_H

struct warnings;
struct report;
struct test_details;

/* Add the details of a struct bandwidth. */
void bandwidth_report_details(void *run, struct test_details *ret);

/* Name the loops for which the run was too short. */
void bandwidth_report_doubts(void *run, const struct report *total,
                             struct warnings *to);

#endif
