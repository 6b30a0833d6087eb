/*
 * members.h - the members of a mix in documents: found by their names, because
 * two mixes may have them in different places.
 */
#ifndef BENCH_TOOLS_MEMBERS_H
#define BENCH_TOOLS_MEMBERS_H

#include <jansson.h>

/* The member of that name in a document or an interval; NULL: there is none. */
const json_t *member_find(const json_t *json, const char *name);

/* One of its percentiles; NAN: it has no events, or no such percentile. */
double member_percentile(const json_t *member, const char *key);

#endif
