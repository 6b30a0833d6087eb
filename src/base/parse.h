/*
 * parse.h - parses numbers; nothing may be left over. 0: sets *ret; otherwise
 * *ret is unchanged. -EINVAL: not such a number; -ERANGE: it does not fit.
 */
#ifndef BENCH_BASE_PARSE_H
#define BENCH_BASE_PARSE_H

#include <stdbool.h>
#include <stdint.h>

/* Blanks, a sign and decimal digits. */
int parse_int(const char *text, int64_t *ret);

/* Decimal digits, then optionally K, M, G or T (powers of 1024), then
 * optionally B or iB (ignored); in any case. At most INT64_MAX. */
int parse_size(const char *text, uint64_t *ret);

/* Finite, as strtod() reads it in the "C" locale. */
int parse_double(const char *text, double *ret);

/* Like parse_double(), then optionally ms, s, m or h. */
int parse_seconds(const char *text, double *ret);

/* on, true, yes, 1; off, false, no, 0; in any case. */
int parse_bool(const char *text, bool *ret);

#endif
