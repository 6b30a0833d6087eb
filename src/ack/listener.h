/*
 * listener.h - takes the acknowledgement logs of runs on other machines, one
 * file per run.
 */
#ifndef BENCH_ACK_LISTENER_H
#define BENCH_ACK_LISTENER_H

#include <stdio.h>
#include <sys/socket.h>

struct ack_listener;
struct err;

/* Listen; `folder` gets the files, `out` a line for each event. */
int ack_listener_open(struct ack_listener **ret, const struct sockaddr *where,
                      socklen_t len, const char *folder, FILE *out,
                      struct err *err);

/* The port, which the system may have chosen. */
unsigned ack_listener_port(const struct ack_listener *l);

/* Serve until `stop` can be read. */
int ack_listener_serve(struct ack_listener *l, int stop, struct err *err);

void ack_listener_free(struct ack_listener *l); /* NULL is fine */

#endif
