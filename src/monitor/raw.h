/*
 * raw.h - all counters of a server by their own names, at two moments.
 */
#ifndef BENCH_MONITOR_RAW_H
#define BENCH_MONITOR_RAW_H

#include <stdbool.h>
#include <stddef.h>

struct link;
struct monitor_source;

struct raw_counter {
  char *name; /* owned */
  double first, last;
  bool ended; /* it was there at the end, too */
};

/* {0} is empty. */
struct raw_counters {
  struct raw_counter *of; /* owned; sorted by name after the first call */
  size_t n, room;
};

/* Read all of them; later calls only change `last` of those that are known. */
bool raw_take(struct raw_counters *c, struct link *l,
              const struct monitor_source *s);
void raw_done(struct raw_counters *c);

#endif
