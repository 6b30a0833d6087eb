/*
 * scram.h - the messages of a client in a login with SCRAM-SHA-256 (RFC 5802,
 * RFC 7677), without channel binding.
 *
 * The dear part is the key of the password, thousands of hashes.  It depends on
 * the password, on the salt of the server and on the number of iterations only,
 * so that a client that logs in again and again computes it once.  A fiber is
 * parked meanwhile, and another thread computes it.
 */
#ifndef BENCH_DRIVERS_WIRE_SCRAM_H
#define BENCH_DRIVERS_WIRE_SCRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/login_keys.h"
#include "base/sha256.h"

enum {
  SCRAM_NONCE = 24,           /* characters of the client's part, at most */
  SCRAM_USER_MAX = 64,        /* bytes of a name */
  SCRAM_NONCE_MAX = 256,      /* ... of both parts */
  SCRAM_SALT_MAX = 256,       /* bytes */
  SCRAM_MESSAGE_MAX = 1024,   /* of the server */
  SCRAM_ITERATIONS = 1000000, /* at most: servers ask for 4096 */
  SCRAM_ROOM = 512,           /* for a message of the client */
};

struct scram_made;

/* Keys that were computed; {0}: none were. */
struct scram_keys {
  struct login_keys *shared; /* [opt] of many sessions; borrowed */
  struct scram_made *own; /* owned: of the last password, salt and iterations,
                           * if no place was left in `shared` */
};

void scram_keys_done(struct scram_keys *k);

/* One login. */
struct scram {
  char nonce[SCRAM_NONCE + 1];
  char first[SCRAM_USER_MAX + SCRAM_NONCE + 8]; /* message, without its head */
  uint8_t expected[SHA256_BYTES]; /* the signature of the server */
};

/* Fill in a nonce; -errno: there are no random numbers. */
int scram_nonce(char ret[SCRAM_NONCE + 1]);

/*
 * Write the first message.  The user's name is "" if the server knows it
 * already; it has neither commas nor equals signs.  Returns the length.
 */
size_t scram_begin(struct scram *s, const char *user, const char *nonce,
                   char to[SCRAM_ROOM]);

/*
 * Answer the first message of the server.  Returns the length of what was
 * written.  0: `why` says why that is not possible; if it is "", `until_ns` has
 * come.  WAITS.
 */
size_t scram_answer(struct scram *s, struct scram_keys *keys,
                    const char *password, const char *said, size_t len,
                    uint64_t until_ns, char to[SCRAM_ROOM], char *why,
                    size_t why_size);

/* Is the last message of the server the signature of one that knows the
 * password? */
bool scram_is_right(const struct scram *s, const char *said, size_t len);

/*
 * Is the password the same in all forms of Unicode?  Others would have to be
 * brought into one form first (RFC 4013).
 */
bool scram_is_plain(const char *password);

#endif
