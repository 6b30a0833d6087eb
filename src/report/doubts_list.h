/*
 * doubts_list.h - to add to a list of doubts.  Only for the files of doubts.
 */
#ifndef BENCH_REPORT_DOUBTS_LIST_H
#define BENCH_REPORT_DOUBTS_LIST_H

#include <stdbool.h>

#include "base/compiler.h"

struct doubt_input;
struct doubts;

/* One that does not fit in is dropped. */
void doubts_add(struct doubts *d, bool shown, const char *code, const char *fmt,
                ...) PRINTF_LIKE(4, 5);

/* Those about the processors. */
void doubts_of_cpu(struct doubts *d, const struct doubt_input *in);

#endif
