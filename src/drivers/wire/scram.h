/*
 * scram.h - SCRAM-SHA-256 for clients (RFC 5802, RFC 7677), with channel
 * binding (RFC 5929) if wished.
 *
 * The key of a password costs thousands of hashes of password, salt and
 * iterations: repeated logins compute it once, while a fiber is parked.
 */
#ifndef BENCH_DRIVERS_WIRE_SCRAM_H
#define BENCH_DRIVERS_WIRE_SCRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/login_keys.h"

enum {
  SCRAM_NONCE = 24,
  SCRAM_USER_MAX = 64,
  SCRAM_NONCE_MAX = 256,
  SCRAM_SALT_MAX = 256,       /* bytes */
  SCRAM_MESSAGE_MAX = 1024,   /* bytes, of the server */
  SCRAM_ITERATIONS = 1000000, /* maximum; servers ask for 4096 */
  SCRAM_ROOM = 640,
  SCRAM_BINDING_MAX = 64, /* bytes */
};

struct scram_made;

/* {0}: none were computed. */
struct scram_keys {
  struct login_keys *shared; /* [opt] borrowed: of many sessions */
  struct scram_made *own;    /* owned: the last ones, if `shared` was full */
};

void scram_keys_done(struct scram_keys *k);

struct scram {
  const char *head; /* static; NULL: no channel */
  uint8_t binding[SCRAM_BINDING_MAX];
  size_t binding_len;
  char nonce[SCRAM_NONCE + 1];
  char first[SCRAM_USER_MAX + SCRAM_NONCE +
             8];                  /* first message without its head */
  uint8_t expected[SHA256_BYTES]; /* the server's signature */
};

/* -errno: no random numbers. */
int scram_nonce(char ret[SCRAM_NONCE + 1]);

/* Before scram_begin(), on an encrypted channel: bind to its end. `n` 0: the
 * server does not offer the binding. */
void scram_bind(struct scram *s, const uint8_t *end_point, size_t n);

/* Returns the length.  `user`: "" if the server has it; no commas or equals
 * signs. */
size_t scram_begin(struct scram *s, const char *user, const char *nonce,
                   char to[SCRAM_ROOM]);

/* Answer the first message.  The length; 0: `why` has the reason, "":
 * `until_ns` has come. WAITS. */
size_t scram_answer(struct scram *s, struct scram_keys *keys,
                    const char *password, const char *said, size_t len,
                    uint64_t until_ns, char to[SCRAM_ROOM], char *why,
                    size_t why_size);

bool scram_is_right(const struct scram *s, const char *said, size_t len);

/* The same in all forms of Unicode?  Others need RFC 4013. */
bool scram_is_plain(const char *password);

#endif
