/*
 * kept_row.h - rows that are copied, as the session goes on to other answers.
 */
#ifndef BENCH_DB_KEPT_ROW_H
#define BENCH_DB_KEPT_ROW_H

#include <stddef.h>
#include <stdint.h>

#include "base/ffi_api.h"

struct strbuf;

/* Adds a row of `n` values. */
void kept_row_add(struct strbuf *to, const sql_value *values, uint32_t n);

/* Its values, which point into the copy.  Returns how many bytes it takes. */
size_t kept_row_get(const char *from, sql_value *values, uint32_t n);

#endif
