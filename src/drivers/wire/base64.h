/*
 * base64.h - bytes as text (RFC 4648), with padding and without line ends.
 */
#ifndef BENCH_DRIVERS_WIRE_BASE64_H
#define BENCH_DRIVERS_WIRE_BASE64_H

#include <stddef.h>
#include <sys/types.h>

#define BASE64_LENGTH(n) (((n) + 2) / 3 * 4)

/* Write BASE64_LENGTH(n) characters, without a terminator. */
void base64_encode(const void *bytes, size_t n, char *to);

/* Returns the number of bytes; -1: malformed, or more than `room`. */
ssize_t base64_decode(const char *text, size_t len, void *to, size_t room);

#endif
