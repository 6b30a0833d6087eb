/*
 * form.h - the reports of the fileio test.
 *
 * Its counters READ and WRITE count requests, OTHER counts calls of fsync, and
 * BYTES_READ and BYTES_WRITTEN are the bytes of the requests.
 */
#ifndef BENCH_TESTS_FILEIO_FORM_H
#define BENCH_TESTS_FILEIO_FORM_H

struct report_form;

extern const struct report_form fileio_form;

#endif
