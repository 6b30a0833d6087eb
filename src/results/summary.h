/*
 * summary.h - a run in a few lines of Markdown, for build servers.
 */
#ifndef BENCH_RESULTS_SUMMARY_H
#define BENCH_RESULTS_SUMMARY_H

#include "report/reporter.h"

struct err;
struct results_shared;
struct strbuf;
struct summary;

/* -ENOMEM; others: the file cannot be written. */
int summary_new(struct summary **ret, const char *name,
                const struct results_shared *shared, struct err *err);
void summary_free(struct summary *s);

/* Context: struct summary. */
extern const struct reporter summary_reporter;

int summary_write(const char *name, const struct strbuf *text, struct err *err);

void summary_machine(struct strbuf *out);

#endif
