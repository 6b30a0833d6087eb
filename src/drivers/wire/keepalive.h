/*
 * keepalive.h - a peer that has vanished is noticed.
 */
#ifndef BENCH_DRIVERS_WIRE_KEEPALIVE_H
#define BENCH_DRIVERS_WIRE_KEEPALIVE_H

#include <stdbool.h>

bool wire_is_tcp(int fd);

/* Set a TCP socket up to send at once, and to break if nothing is heard for a
 * minute.  Returns whether it is one. */
bool wire_keep_alive(int fd);

#endif
