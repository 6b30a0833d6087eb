/*
 * bandwidth_report.h - the bandwidth of loops, for the files.
 */
#ifndef BENCH_TESTS_MEMORY_BANDWIDTH_REPORT_H
#define BENCH_TESTS_MEMORY_BANDWIDTH_REPORT_H

struct test_details;

/* Add the details of a struct bandwidth. */
void bandwidth_report_details(void *run, struct test_details *ret);

#endif
