/*
 * digest.h - the hashes of logins: MD5 (RFC 1321), SHA-1 and SHA-256 (FIPS
 * 180-4), its HMAC (RFC 2104) and PBKDF2 (RFC 8018).
 */
#ifndef BENCH_BASE_DIGEST_H
#define BENCH_BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  BLOCK_BYTES = 64,
  BLOCK_STATE = 8,
};

struct blocks {
  uint32_t state[BLOCK_STATE];
  uint64_t bytes;             /* so far */
  uint8_t block[BLOCK_BYTES]; /* the last, incomplete block */
};

enum {
  MD5_BYTES = 16,
  MD5_DIGITS = 2 * MD5_BYTES, /* hexadecimal */
};

/* Of two texts, one after the other. */
void digest_md5(const void *a, size_t a_len, const void *b, size_t b_len,
                uint8_t ret[MD5_BYTES]);
/* Without a terminator. */
void digest_md5_digits(const void *a, size_t a_len, const void *b, size_t b_len,
                       char ret[MD5_DIGITS]);

enum {
  SHA1_BYTES = 20
};

/* Of two texts, one after the other; `ret` may be one of them. */
void digest_sha1(const void *a, size_t a_len, const void *b, size_t b_len,
                 uint8_t ret[SHA1_BYTES]);

enum {
  SHA256_BYTES = 32
};

struct sha256 {
  struct blocks of;
};

void sha256_begin(struct sha256 *h);
void sha256_add(struct sha256 *h, const void *bytes, size_t n);
void sha256_end(struct sha256 *h, uint8_t ret[SHA256_BYTES]);

/* `ret` may be `bytes`. */
void sha256(const void *bytes, size_t n, uint8_t ret[SHA256_BYTES]);

/* States after the two pads of a key, copied for each use. */
struct hmac_sha256 {
  struct sha256 inner, outer;
};

void hmac_sha256_key(struct hmac_sha256 *k, const void *key, size_t n);
/* `ret` may be the message. */
void hmac_sha256(const struct hmac_sha256 *k, const void *message, size_t n,
                 uint8_t ret[SHA256_BYTES]);

/* The first block, 32 bytes, of the derived key. `iterations` is at least 1.
 * False: not done by `until_ns` (clock_now_ns()). */
bool sha256_pbkdf2(const void *password, size_t password_len, const void *salt,
                   size_t salt_len, uint32_t iterations, uint64_t until_ns,
                   uint8_t ret[SHA256_BYTES]);

#endif
