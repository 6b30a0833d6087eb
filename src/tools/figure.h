/*
 * figure.h - figures that a test has named, in `test.figures` of its document.
 */
#ifndef BENCH_TOOLS_FIGURE_H
#define BENCH_TOOLS_FIGURE_H

#include <jansson.h>

struct table;

#define FIGURE_UNIT_BYTES "bytes_per_s"
#define FIGURE_UNIT_RATE "per_s"
#define FIGURE_UNIT_RATIO "ratio" /* more is better */

/* In its unit; "-": no value. */
void figure_cell(struct table *t, const json_t *figure);

#endif
