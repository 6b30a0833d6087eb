/*
 * pipe_text.h - the texts of the statements of a pipeline (for src/db only).
 */
#ifndef BENCH_DB_PIPE_TEXT_H
#define BENCH_DB_PIPE_TEXT_H

#include <stddef.h>

struct pipe_item;
struct pipeline;

/* For messages and classes. */
const char *pipe_text_sql(const struct pipeline *p, const struct pipe_item *it,
                          size_t *ret_len);

#endif
