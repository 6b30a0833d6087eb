/*
 * link.h - the run's end of the connection to `bench ack-listen`.
 *
 * One thread uses a link.  Calls that WAIT, except ack_link_init(), end at
 * `until_ns`, which another thread can bring forward.
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
  struct addrinfo *list; /* owned */
  int fd;                /* -1: not connected */
  struct ack_hello hello;
  struct ack_token token;
  char file[ACK_WIRE_TEXT];
  _Atomic uint64_t *until_ns;
};

/* The text after `tcp:`, or NULL for the name of a file. */
const char *ack_link_address(const char *where);

/* Is `where` a file, or tcp:HOST:PORT[,token-file=FILE]?  An IPv6 address is in
 * brackets. */
bool ack_link_is_place(const char *where);

/* WAITS for the resolver.  `until_ns` is borrowed. */
int ack_link_init(struct ack_link *l, const char *address, uint64_t run,
                  uint64_t start_real_ns, _Atomic uint64_t *until_ns,
                  struct err *err);
void ack_link_done(struct ack_link *l);

static inline bool ack_link_is_up(const struct ack_link *l)
{
  return l->fd >= 0;
}

/* WAITS. -EPERM: the listener refuses; -EALREADY: the log is complete. */
int ack_link_open(struct ack_link *l, struct err *err);

/* WAITS for the answer.  A failure closes the link.  `bytes` begins with room
 * for a struct ack_batch. */
int ack_link_deliver(struct ack_link *l, char *bytes, size_t n, uint64_t number,
                     bool last, struct err *err);

#endif
