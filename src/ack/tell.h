/*
 * tell.h - the notices of a sender, as lines of the log of the program.
 */
#ifndef BENCH_ACK_TELL_H
#define BENCH_ACK_TELL_H

#include "ack/sender.h"

struct ack_teller {
  const char *option, *address; /* borrowed: "--ack-log", "HOST:PORT" */
};

/* `t` is borrowed, too. */
struct ack_notices ack_tell(struct ack_teller *t);

#endif
