/*
 * live.h - a page that follows a run in a browser, and becomes its report.
 *
 * A thread of its own reads the recorders of the workers once per second, so
 * the page goes on when a reporter is stuck.  Viewers get what it has read as
 * server-sent events, those that come late the past as well.  At the end they
 * get the report.  The run waits for viewers that take it: no longer than two
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

/* Makes the report page of a document. */
typedef int results_page(const char *text, size_t len, struct strbuf *ret,
                         struct err *err);

/* Opens the port of --live; `page` [opt] makes the report; `document` [opt] has
 * the text of the run's document at its end. */
int live_new(struct live **ret, const struct results_cfg *cfg,
             results_page *page, const struct results_shared *shared,
             const struct document *document, struct err *err);
void live_free(struct live *l);

extern const struct reporter live_reporter; /* ctx: struct live */

#endif
