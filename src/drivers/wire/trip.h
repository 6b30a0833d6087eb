/*
 * trip.h - one visit on its way: a socket, the bytes that come and go, and the
 * steps with their times, for the drivers that log in by themselves.
 *
 * All functions that wait do so until v->until_ns at the latest.
 */
#ifndef BENCH_DRIVERS_WIRE_TRIP_H
#define BENCH_DRIVERS_WIRE_TRIP_H

#include <stddef.h>
#include <stdint.h>

#include "db/driver_visit.h"
#include "drivers/wire/buffer.h"
#include "drivers/wire/greet.h"
#include "drivers/wire/resolve.h"

struct trip {
  struct visit *v; /* borrowed */
  int fd;          /* -1: there is none */
  enum visit_step step;
  uint64_t at_ns; /* when that step began */
  struct wire_buffer in, out;
};

/* The first step begins. */
void trip_begin(struct trip *t, struct visit *v);
/* The step has succeeded, and took this long; the next one begins. */
void trip_end_step(struct trip *t);

/* The visit is not possible without the library. */
enum visit_rc trip_cannot(struct trip *t, const char *why);

/*
 * Open a Unix socket; a path that begins with '@' is the name of an abstract
 * one.  0; -ENAMETOOLONG; or as dial_open().
 */
int trip_connect_path(struct trip *t, const char *path);
/*
 * Connect to address `i` of a host, which has its share of the time that is
 * left.  0; -EINVAL: it has a zone, which is not known here; or as dial_open().
 */
int trip_connect_address(struct trip *t, const struct wire_addresses *of,
                         size_t i, unsigned port);

/* Send what is in t->out; 0, or as dial_send(). */
int trip_send(struct trip *t);
/* Append some bytes to t->in; 0, or as dial_receive(). */
int trip_receive(struct trip *t, size_t most);

/*
 * Carry bytes until take() returns something else than GREET_MORE.  0 and
 * *ret; or the -errno of a connection that is broken.
 */
int trip_talk(struct trip *t, greet_take *take, void *greet,
              enum greet_rc *ret);

/* Send the farewell in t->out without a wait, and close the socket. */
void trip_part(struct trip *t);
/* Give back all that there is. */
void trip_done(struct trip *t);

#endif
