/*
 * scramble.h - proofs that a client has the password.
 */
#ifndef BENCH_DRIVERS_MYSQL_SCRAMBLE_H
#define BENCH_DRIVERS_MYSQL_SCRAMBLE_H

#include <stddef.h>
#include <stdint.h>

enum {
  SCRAMBLE_NONCE = 20,
  SCRAMBLE_MAX = 32,
};

/* Return the length of the proof. */
size_t mysqld_scramble_native(const char *password,
                              const uint8_t nonce[SCRAMBLE_NONCE],
                              uint8_t ret[SCRAMBLE_MAX]);
size_t mysqld_scramble_sha2(const char *password,
                            const uint8_t nonce[SCRAMBLE_NONCE],
                            uint8_t ret[SCRAMBLE_MAX]);

#endif
