/*
 * compare_print.h - comparisons as text, Markdown or JSON.
 */
#ifndef BENCH_TOOLS_COMPARE_PRINT_H
#define BENCH_TOOLS_COMPARE_PRINT_H

#include <jansson.h>
#include <stdbool.h>

struct comparisons;
struct group;
struct strbuf;

/* `share` is the threshold of verdicts: 0.05 is 5 %. */

/* One line about the runs of a group. */
void compare_print_group(const struct group *g, const char *role, bool markdown,
                         struct strbuf *out);
void compare_print(const struct comparisons *c, double share, bool markdown,
                   struct strbuf *out);

/* Explain the words in the tables. */
void compare_explain(struct strbuf *out);

/* NULL: out of memory. */
json_t *compare_json(const struct comparisons *c, double share, bool gated);

#endif
