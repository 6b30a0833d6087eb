/*
 * usl_pattern.h - do the residuals of a fit follow each other, or differ from
 * the law by more than repeats differ?  Only for usl.c.
 */
#ifndef BENCH_TOOLS_USL_PATTERN_H
#define BENCH_TOOLS_USL_PATTERN_H

#include <stdbool.h>

struct usl_data;
struct usl_law;

/* False: there is no memory. */
bool usl_has_pattern(const struct usl_data *d, const struct usl_law *f,
                     bool *ret_patterned);

#endif
