/*
 * pipe_values.h - values of parameters that wait until their statement is
 * executed, while the script already sets those of the next one (for src/db
 * only).
 */
#ifndef BENCH_DB_PIPE_VALUES_H
#define BENCH_DB_PIPE_VALUES_H

#include <stddef.h>

#include "base/ffi_api.h"
#include "base/strbuf.h"

/* Append the values that the buffers have now. */
void pipe_values_take(struct strbuf *to, const sql_bind *binds, size_t n);

/* Put values that were taken from these parameters back into the buffers. */
void pipe_values_put(const char *from, const sql_bind *binds, size_t n);

#endif
