/*
 * warnings_list.h - adds to a list of doubts.  Only for the files of doubts.
 */
#ifndef BENCH_REPORT_WARNINGS_LIST_H
#define BENCH_REPORT_WARNINGS_LIST_H

#include <stdbool.h>

#include "base/compiler.h"

struct warning_input;
struct warnings;

/* A doubt for which there is no room is dropped. */
void warnings_add(struct warnings *d, bool shown, const char *code,
                  const char *fmt, ...) PRINTF_LIKE(4, 5);

/* Add the doubts about the processors. */
void warnings_of_cpu(struct warnings *d, const struct warning_input *in);

#endif
