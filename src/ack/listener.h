/*
 * listener.h - receives the logs of runs on other machines, one file per run.
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
  const char *folder;
  const char *token_file; /* "": runs need no token */
  uint64_t log_limit;     /* bytes */
  uint64_t dir_limit;     /* bytes of all logs together */
  uint64_t quiet_ns;      /* limit for silence and for a greeting */
  FILE *out;              /* one line per event */
};

int ack_listener_open(struct ack_listener **ret,
                      const struct ack_listener_cfg *cfg, struct err *err);

/* The port, which the system chooses for port 0. */
unsigned ack_listener_port(const struct ack_listener *l);

/* Serve until `stop` is readable. */
int ack_listener_serve(struct ack_listener *l, int stop, struct err *err);

void ack_listener_free(struct ack_listener *l);

#endif
