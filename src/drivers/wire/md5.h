/*
 * md5.h - MD5 (RFC 1321), which old logins use.
 */
#ifndef BENCH_DRIVERS_WIRE_MD5_H
#define BENCH_DRIVERS_WIRE_MD5_H

#include <stddef.h>
#include <stdint.h>

enum {
  MD5_BYTES = 16,
  MD5_DIGITS = 2 * MD5_BYTES, /* hexadecimal */
};

/* Hash of two texts, one after the other. */
void md5(const void *a, size_t a_len, const void *b, size_t b_len,
         uint8_t ret[MD5_BYTES]);
/* Without a terminator. */
void md5_digits(const void *a, size_t a_len, const void *b, size_t b_len,
                char ret[MD5_DIGITS]);

#endif
