/*
 * tell.h - says in text what was found in a history.
 */
#ifndef BENCH_HISTORY_TELL_H
#define BENCH_HISTORY_TELL_H

#include "history/judge.h"

struct strbuf;

/* Append the whole report: what the history has, the anomalies with their
 * examples, and the verdict. */
void history_tell(struct strbuf *to, const struct history *h,
                  const struct judgement *j, enum level level);

#endif
