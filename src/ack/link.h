/*
 * link.h - the run's end of the connection to `bench ack-listen`.
 *
 * One thread uses a link.  All calls that WAIT, but for ack_link_init(), end at
 * a moment that another thread may bring forward, see struct ack_link.
 */
#ifndef BENCH_ACK_LINK_H
#define BENCH_ACK_LINK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ack/token.h"
#include "ack/wire.h"

struct addrinfo;
struct err;

struct ack_link {
  struct addrinfo *list; /* owned; of the listener */
  int fd;                /* -1: there is no link */
  struct ack_hello hello;
  struct ack_token token;
  char file[ACK_WIRE_TEXT];   /* that the listener writes */
  _Atomic uint64_t *until_ns; /* when waiting ends at the latest */
};

/* The text behind `tcp:`; NULL: `where` is a file. */
const char *ack_link_address(const char *where);

/* May a log be there: in a file, or at tcp:HOST:PORT, or tcp:[ADDRESS]:PORT,
 * and both with ,token-file=FILE? */
bool ack_link_is_place(const char *where);

/* Read the token, and find the listener's addresses; WAITS as long as the
 * resolver of the system does.  `until_ns` is borrowed. */
int ack_link_init(struct ack_link *l, const char *address, uint64_t run,
                  uint64_t start_real_ns, _Atomic uint64_t *until_ns,
                  struct err *err);
void ack_link_done(struct ack_link *l);

static inline bool ack_link_is_up(const struct ack_link *l)
{
  return l->fd >= 0;
}

/* Connect and say hello; WAITS.  -EPERM: the listener has refused it;
 * -EALREADY: because the log is complete. */
int ack_link_open(struct ack_link *l, struct err *err);

/* Send a batch, and WAIT until the listener has it.  A link that fails is
 * closed.  `bytes` begins with room for a struct ack_batch, which is filled
 * in. */
int ack_link_deliver(struct ack_link *l, char *bytes, size_t n, uint64_t number,
                     bool last, struct err *err);

#endif
