/*
 * resolve.h - the addresses of a host, within a time limit.
 */
#ifndef BENCH_DRIVERS_WIRE_RESOLVE_H
#define BENCH_DRIVERS_WIRE_RESOLVE_H

#include <stddef.h>
#include <stdint.h>

struct err;

enum {
  WIRE_ADDRESSES = 8, /* number of addresses of a host that are tried */
  WIRE_ADDRESS_MAX = 64
};

struct wire_addresses {
  size_t n;
  char text[WIRE_ADDRESSES][WIRE_ADDRESS_MAX];
};

/*
 * A host that is an address is resolved to itself, at once.  Any other is
 * looked up in a thread, which is left behind when `until_ns` comes.  WAITS.
 * -ETIMEDOUT, -ENOENT or -ENOMEM; `err` has the reason without the host.
 */
int wire_resolve(const char *host, uint64_t until_ns,
                 struct wire_addresses *ret, struct err *err);

#endif
