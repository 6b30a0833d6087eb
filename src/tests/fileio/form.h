/*
 * form.h - the reports of the fileio test.
 *
 * Of its counters READ and WRITE are requests, OTHER is calls of fsync, and
 * BYTES_READ and BYTES_WRITTEN are what the requests moved.
 */
#ifndef BENCH_TESTS_FILEIO_FORM_H
#define BENCH_TESTS_FILEIO_FORM_H

struct report_form;

extern const struct report_form fileio_form;

#endif
