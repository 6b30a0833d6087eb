/*
 * listener.h - takes the acknowledgement logs of runs on other machines, one
 * file per run.
 */
#ifndef BENCH_ACK_LISTENER_H
#define BENCH_ACK_LISTENER_H

#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>

struct ack_listener;
struct err;

struct ack_listener_cfg {
  const struct sockaddr *where;
  socklen_t len;
  const char *folder;     /* gets the files */
  const char *token_file; /* "": runs need no token */
  uint64_t log_limit;     /* bytes of a log... */
  uint64_t dir_limit;     /* ...and of all logs in the folder */
  uint64_t quiet_ns;      /* a run that says nothing is given up after that, as
                             is a greeting that is not whole */
  FILE *out;              /* gets a line for each event */
};

int ack_listener_open(struct ack_listener **ret,
                      const struct ack_listener_cfg *cfg, struct err *err);

/* The port, which the system may have chosen. */
unsigned ack_listener_port(const struct ack_listener *l);

/* Serve until `stop` can be read. */
int ack_listener_serve(struct ack_listener *l, int stop, struct err *err);

void ack_listener_free(struct ack_listener *l); /* NULL is fine */

#endif
