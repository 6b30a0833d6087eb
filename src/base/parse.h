/*
 * parse.h - numbers from text, completely or not at all.
 *
 * Every function returns 0 and sets *ret, or returns -EINVAL (not a number of
 * this kind, or something is left over) or -ERANGE (does not fit) and leaves
 * *ret alone.
 */
#ifndef BENCH_BASE_PARSE_H
#define BENCH_BASE_PARSE_H

#include <stdbool.h>
#include <stdint.h>

/* Blanks, a sign and decimal digits. */
int parse_int(const char *text, int64_t *ret);

/*
 * Decimal digits, then perhaps K, M, G or T (powers of 1024) in any case, then
 * perhaps B or iB, which mean nothing.  At most INT64_MAX.
 */
int parse_size(const char *text, uint64_t *ret);

/* What strtod reads in the "C" locale, and finite. */
int parse_double(const char *text, double *ret);

/* Seconds: what parse_double() reads, then perhaps ms, s, m or h. */
int parse_seconds(const char *text, double *ret);

/* on true yes 1, off false no 0, in any case. */
int parse_bool(const char *text, bool *ret);

#endif
