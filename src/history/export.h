/*
 * export.h - writes a history in the forms that Elle's command-line checker
 * reads.
 *
 * One line for the begin of each transaction and one for its end, in the order
 * of time.  EDN has a map on each line, JSON an array of objects.
 */
#ifndef BENCH_HISTORY_EXPORT_H
#define BENCH_HISTORY_EXPORT_H

#include <stdio.h>

#include "history/history.h"

enum export_form {
  EXPORT_EDN,
  EXPORT_JSON,
};

/* Returns 0 or a negative errno value. */
int history_export(const struct history *h, enum export_form form, FILE *to);

#endif
