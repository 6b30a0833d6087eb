/*
 * compare_search.h - the answers of two searches (--find), side by side.
 */
#ifndef BENCH_TOOLS_COMPARE_SEARCH_H
#define BENCH_TOOLS_COMPARE_SEARCH_H

#include <jansson.h>

#include "tools/table.h"

struct err;
struct result_file;
struct strbuf;

/*
 * If both files are searches, add their answers and what follows from the two
 * intervals to `out`, and an object with the same to `list`.  -EINVAL: a search
 * does not follow from its steps.
 */
int compare_search(const struct result_file *base,
                   const struct result_file *other, enum table_format format,
                   struct strbuf *out, json_t *list, struct err *err);

#endif
