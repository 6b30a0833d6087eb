/*
 * summary.h - a short summary of a run as Markdown, for the pages of build
 * servers: the result, the verdict on the objective, warnings, the machine.
 */
#ifndef BENCH_RESULTS_SUMMARY_H
#define BENCH_RESULTS_SUMMARY_H

#include "report/reporter.h"

struct err;
struct results_shared;
struct strbuf;
struct summary;

/* -ENOMEM, or why the file cannot be written. */
int summary_new(struct summary **ret, const char *name,
                const struct results_shared *shared, struct err *err);
void summary_free(struct summary *s);

/* Its context is a struct summary. */
extern const struct reporter summary_reporter;

/* Replace the file by this text, or write it to a pipe or device. */
int summary_write(const char *name, const struct strbuf *text, struct err *err);

/* Add a list of the processor, the processors that may be used, and the
 * system. */
void summary_machine(struct strbuf *out);

#endif
