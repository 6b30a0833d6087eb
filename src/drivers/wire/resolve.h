/*
 * resolve.h - the addresses of a host, within a time limit.
 */
#ifndef BENCH_DRIVERS_WIRE_RESOLVE_H
#define BENCH_DRIVERS_WIRE_RESOLVE_H

#include <stddef.h>
#include <stdint.h>

struct err;

enum {
  WIRE_ADDRESSES = 8, /* maximum that is tried */
  WIRE_ADDRESS_MAX = 64
};

struct wire_addresses {
  size_t n;
  char text[WIRE_ADDRESSES][WIRE_ADDRESS_MAX];
};

/* WAITS.  -ETIMEDOUT, -ENOENT or -ENOMEM;
 * `err`: without the host. */
int wire_resolve(const char *host, uint64_t until_ns,
                 struct wire_addresses *ret, struct err *err);

#endif
