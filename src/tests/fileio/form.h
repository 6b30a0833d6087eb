/*
 * form.h - the reports of the fileio test. Counters: READ and WRITE are
 * requests with BYTES_READ and BYTES_WRITTEN, OTHER is fsync.
 */
#ifndef BENCH_TESTS_FILEIO_FORM_H
#define BENCH_TESTS_FILEIO_FORM_H

struct report_form;

extern const struct report_form fileio_form;

#endif
