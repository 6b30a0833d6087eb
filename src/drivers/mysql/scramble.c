/*
 * scramble.c - proofs that a client has the password: its hash, covered by a
 * hash of the double hash, which the server keeps, and the nonce.
 */
#include "drivers/mysql/scramble.h"

#include <string.h>

#include "base/digest.h"

static void scramble_cover(uint8_t *to, const uint8_t *with, size_t n)
{
  for (size_t i = 0; i < n; i++)
    to[i] ^= with[i];
}

size_t mysqld_scramble_native(const char *password,
                              const uint8_t nonce[SCRAMBLE_NONCE],
                              uint8_t ret[SCRAMBLE_MAX])
{
  uint8_t twice[SHA1_BYTES];

  digest_sha1(password, strlen(password), NULL, 0, ret);
  digest_sha1(ret, SHA1_BYTES, NULL, 0, twice);
  digest_sha1(nonce, SCRAMBLE_NONCE, twice, sizeof(twice), twice);
  scramble_cover(ret, twice, sizeof(twice));
  return SHA1_BYTES;
}

size_t mysqld_scramble_sha2(const char *password,
                            const uint8_t nonce[SCRAMBLE_NONCE],
                            uint8_t ret[SCRAMBLE_MAX])
{
  uint8_t twice[SHA256_BYTES];
  struct sha256 h;

  sha256(password, strlen(password), ret);
  sha256(ret, SHA256_BYTES, twice);
  sha256_begin(&h);
  sha256_add(&h, twice, sizeof(twice));
  sha256_add(&h, nonce, SCRAMBLE_NONCE);
  sha256_end(&h, twice);
  scramble_cover(ret, twice, sizeof(twice));
  return SHA256_BYTES;
}
