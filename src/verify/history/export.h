/*
 * export.h - a history for Elle's command-line checker.
 *
 * Each transaction has a line for its begin and one for its end, by time: EDN
 * maps, or a JSON array of objects.
 */
#ifndef BENCH_HISTORY_EXPORT_H
#define BENCH_HISTORY_EXPORT_H

#include <stdio.h>

#include "verify/history/history.h"

enum export_form {
  EXPORT_EDN,
  EXPORT_JSON,
};

/* 0 or a negative errno value. */
int history_export(const struct history *h, enum export_form form, FILE *to);

#endif
