/*
 * usl_runs.h - the Universal Scalability Law on sweeps: which runs it is about,
 * and what is said of it.
 */
#ifndef BENCH_TOOLS_USL_RUNS_H
#define BENCH_TOOLS_USL_RUNS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct groups;
struct result;
struct strbuf;
struct usl;
struct usl_point;

/* Is this the name of an option that says how many workers there are? */
bool usl_is_option(const char *option);

/* The point of a run with so many workers (text); false: it says nothing of
 * them, because its rate was given or nothing was measured. */
bool usl_point_of(const struct result *r, const char *workers,
                  struct usl_point *ret);

/* The law of the runs of a file; false: it does not apply to them. */
bool usl_of_groups(const struct groups *g, struct usl *ret);

/* Add two to four lines. */
void usl_print(const struct usl *u, const char *option, struct strbuf *out);

json_t *usl_json(const struct usl *u);

#endif
