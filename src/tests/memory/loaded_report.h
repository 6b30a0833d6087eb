/*
 * loaded_report.h - latency by bandwidth, for the files.
 */
#ifndef BENCH_TESTS_MEMORY_LOADED_REPORT_H
#define BENCH_TESTS_MEMORY_LOADED_REPORT_H

struct warnings;
struct report;
struct test_details;

/* `run` is a struct loaded. */
void loaded_report_details(void *run, struct test_details *ret);
void loaded_report_doubts(void *run, const struct report *total,
                          struct warnings *to);

#endif
