/*
 * members.h - members of a mix in documents.
 */
#ifndef BENCH_TOOLS_MEMBERS_H
#define BENCH_TOOLS_MEMBERS_H

#include <jansson.h>

const json_t *member_find(const json_t *json, const char *name);

/* NAN: no events, or no such percentile. */
double member_percentile(const json_t *member, const char *key);

#endif
