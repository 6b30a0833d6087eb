/*
 * scramble.h - the proofs by which a client shows that it knows the password,
 * for a number that the server has made up.
 */
#ifndef BENCH_DRIVERS_MYSQL_SCRAMBLE_H
#define BENCH_DRIVERS_MYSQL_SCRAMBLE_H

#include <stddef.h>
#include <stdint.h>

enum {
  SCRAMBLE_NONCE = 20, /* bytes of the server */
  SCRAMBLE_MAX = 32,   /* bytes of a proof */
};

/* Each writes a proof and returns its length. */
size_t mysqld_scramble_native(const char *password,
                              const uint8_t nonce[SCRAMBLE_NONCE],
                              uint8_t ret[SCRAMBLE_MAX]);
size_t mysqld_scramble_sha2(const char *password,
                            const uint8_t nonce[SCRAMBLE_NONCE],
                            uint8_t ret[SCRAMBLE_MAX]);

#endif
