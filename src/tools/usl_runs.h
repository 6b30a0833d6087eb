/*
 * usl_runs.h - the Universal Scalability Law of the runs of a sweep.
 */
#ifndef BENCH_TOOLS_USL_RUNS_H
#define BENCH_TOOLS_USL_RUNS_H

#include <jansson.h>
#include <stdbool.h>

struct groups;
struct result;
struct strbuf;
struct usl;
struct usl_point;

bool usl_is_option(const char *option);

/* False: no point, because the rate was given or nothing was measured. */
bool usl_point_of(const struct result *r, const char *workers,
                  struct usl_point *ret);

/* False: the law does not apply. */
bool usl_of_groups(const struct groups *g, struct usl *ret);

void usl_print(const struct usl *u, const char *option, struct strbuf *out);

json_t *usl_json(const struct usl *u);

#endif
