/*
 * ns_form.h - the reports of tests with very short events: nanoseconds.
 */
#ifndef BENCH_TESTS_NS_FORM_H
#define BENCH_TESTS_NS_FORM_H

/* setup->of_test is the title, such as "Lock operations (mcs)". */
extern const struct report_form ns_form;

#endif
