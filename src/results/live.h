/*
 * live.h - a page that follows a run and becomes its report.
 *
 * A thread reads the workers' recorders once per second, so a stuck reporter
 * does not stop the page.  Viewers get server-sent events, late viewers also
 * the past, and the report at the end.  The run WAITS for viewers, up to two
 * seconds for one that takes nothing.
 */
#ifndef BENCH_RESULTS_LIVE_H
#define BENCH_RESULTS_LIVE_H

#include <stddef.h>

#include "report/reporter.h"

struct document;
struct err;
struct live;
struct results_cfg;
struct results_shared;
struct strbuf;

/* Makes the report page. */
typedef int results_page(const char *text, size_t len, struct strbuf *ret,
                         struct err *err);

/* Opens the port of --live; `page` [opt] makes the report from the text of
 * `document` [opt]. */
int live_new(struct live **ret, const struct results_cfg *cfg,
             results_page *page, const struct results_shared *shared,
             const struct document *document, struct err *err);
void live_free(struct live *l);

extern const struct reporter live_reporter; /* ctx: struct live */

#endif
