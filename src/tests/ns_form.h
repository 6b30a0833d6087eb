/*
 * ns_form.h - the reports of tests whose events take less than a microsecond or
 * a few: the text has nanoseconds, in addition to the latencies that all tests
 * have.
 */
#ifndef BENCH_TESTS_NS_FORM_H
#define BENCH_TESTS_NS_FORM_H

/* The words that such a test sets as setup->of_test. */
struct ns_form_words {
  const char *title; /* "Lock operations (mcs)" */
};

extern const struct report_form ns_form;

#endif
