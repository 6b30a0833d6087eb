/*
 * doubts_list.h - adds to a list of doubts.  Only for the files of doubts.
 */
#ifndef BENCH_REPORT_DOUBTS_LIST_H
#define BENCH_REPORT_DOUBTS_LIST_H

#include <stdbool.h>

#include "base/compiler.h"

struct doubt_input;
struct doubts;

/* A doubt for which there is no room is dropped. */
void doubts_add(struct doubts *d, bool shown, const char *code, const char *fmt,
                ...) PRINTF_LIKE(4, 5);

/* Add the doubts about the processors. */
void doubts_of_cpu(struct doubts *d, const struct doubt_input *in);

#endif
