/*
 * looks.h - what the sessions of a server do, looked at ten times a second.
 */
#ifndef BENCH_MONITOR_LOOKS_H
#define BENCH_MONITOR_LOOKS_H

#include <stdbool.h>

#include "monitor/reading.h"

struct link;
struct monitor_source;

/* Look once what sessions do; adds to `to`. */
bool looks_take(struct link *l, const struct monitor_source *s,
                struct server_access *access, struct server_gaps *gaps,
                struct server_waits *to);

/* Put the levels that follow from the looks into *ret. */
void looks_levels(const struct monitor_source *s,
                  const struct server_access *access,
                  const struct server_waits *w, struct server_reading *ret);

void looks_add(struct server_waits *to, const struct server_waits *more);

#endif
