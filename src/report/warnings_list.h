/*
 * warnings_list.h - shared by the files of warnings.
 */
#ifndef BENCH_REPORT_WARNINGS_LIST_H
#define BENCH_REPORT_WARNINGS_LIST_H

#include <stdbool.h>

#include "base/compiler.h"

struct warning_input;
struct warnings;

/* Dropped without room. */
void warnings_add(struct warnings *d, bool shown, const char *code,
                  const char *fmt, ...) PRINTF_LIKE(4, 5);

void warnings_of_cpu(struct warnings *d, const struct warning_input *in);

#endif
