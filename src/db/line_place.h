/*
 * line_place.h - the place of a client in the queue of line.h.
 */
#ifndef BENCH_DB_LINE_PLACE_H
#define BENCH_DB_LINE_PLACE_H

#include <stdbool.h>

struct fiber;

/* A place which each client of a line has. */
struct line_place {
  struct line_place *prev, *next;
  struct fiber *fiber; /* [opt] it sleeps until its turn may have come */
  bool queued;
  bool sent; /* its request was added, so that the next one may follow */
};

#endif
