/*
 * sha1.h - SHA-1 (FIPS 180-4), which old logins use.
 */
#ifndef BENCH_DRIVERS_WIRE_SHA1_H
#define BENCH_DRIVERS_WIRE_SHA1_H

#include <stddef.h>
#include <stdint.h>

enum {
  SHA1_BYTES = 20
};

/* Hash of two texts, one after the other; `ret` may be one of them. */
void sha1(const void *a, size_t a_len, const void *b, size_t b_len,
          uint8_t ret[SHA1_BYTES]);

#endif
