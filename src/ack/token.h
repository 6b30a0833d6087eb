/*
 * token.h - the secret that a run shares with a listener.  The run answers a
 * nonce with an HMAC of the nonce and its hello.
 */
#ifndef BENCH_ACK_TOKEN_H
#define BENCH_ACK_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ack/wire.h"

struct err;

enum {
  ACK_TOKEN_LEAST = 16, /* characters; fewer could be guessed */
  ACK_TOKEN_MOST = 1023,
};

struct ack_token {
  char text[ACK_TOKEN_MOST + 1];
  size_t len; /* 0: no token */
};

/* Reads the first line of a file that only its owner can read.  Empty path: no
 * token. */
int ack_token_read(struct ack_token *ret, const char *path, struct err *err);

void ack_token_prove(const struct ack_token *t, const struct ack_hello *hello,
                     const uint8_t nonce[ACK_WIRE_NONCE],
                     struct ack_proof *ret);

/* Takes the same time for every proof. */
bool ack_token_accepts(const struct ack_token *t, const struct ack_hello *hello,
                       const uint8_t nonce[ACK_WIRE_NONCE],
                       const struct ack_proof *proof);

#endif
