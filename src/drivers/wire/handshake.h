/*
 * handshake.h - our own login: resolve, connect, TLS, authenticate; then at
 * most one statement and the farewell, each step timed.
 *
 * A protocol brings callbacks, and messages without a socket.  Waits end at
 * v->until_ns; in a fiber, the loop runs others meanwhile.
 */
#ifndef BENCH_DRIVERS_WIRE_HANDSHAKE_H
#define BENCH_DRIVERS_WIRE_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/driver_visit.h"
#include "drivers/wire/buffer.h"
#include "drivers/wire/link.h"
#include "drivers/wire/resolve.h"

enum {
  HANDSHAKE_MESSAGE_MAX = 64 * 1024,
  HANDSHAKE_TOTAL_MAX = 1024 * 1024,
};

enum handshake_rc {
  HANDSHAKE_MORE,
  HANDSHAKE_READY,  /* the server awaits a statement */
  HANDSHAKE_FAILED, /* the protocol has the text */
  HANDSHAKE_CANNOT, /* likewise: only the library can log in here */
  HANDSHAKE_LATE,
};

struct handshake;
struct tls_context;

struct handshake_protocol {
  /* Connected: negotiate TLS, and append the first messages to h->out. */
  enum visit_rc (*start)(struct handshake *h);
  /* Consume complete messages in h->in, append answers to h->out.  After
   * FAILED, CANNOT and LATE the session has to be closed. */
  enum handshake_rc (*take)(struct handshake *h);

  /* In the words of the client library.  VISIT_FAILED; refused(): or
   * VISIT_CANNOT. */
  enum visit_rc (*unresolved)(struct handshake *h, const char *why);
  enum visit_rc (*unreachable)(struct handshake *h, int code); /* -errno */
  enum visit_rc (*broken)(struct handshake *h, int code);      /* -errno */
  /* HANDSHAKE_FAILED or HANDSHAKE_CANNOT */
  enum visit_rc (*refused)(struct handshake *h, enum handshake_rc rc);
};

/* The caller sets the first members, handshake_begin() the others. */
struct handshake {
  const struct handshake_protocol *protocol;
  const char *path; /* [opt] of a Unix socket; '@': abstract */
  const char *host;
  unsigned port;

  struct visit *v; /* borrowed */
  struct wire_link link;
  char address[WIRE_ADDRESS_MAX]; /* numeric; "": none yet, or a Unix socket */
  size_t untried;                 /* other addresses of the host */
  enum visit_step step;
  uint64_t at_ns;
  struct wire_buffer in, out;
};

void handshake_begin(struct handshake *h, struct visit *v);
void handshake_end_step(struct handshake *h);

/* Only the library can log in.  Returns VISIT_CANNOT. */
enum visit_rc handshake_cannot(struct handshake *h, const char *why);

/* Afterwards the server is ready. */
enum visit_rc handshake_open(struct handshake *h);

/* Until the server is ready.  Not `appended`: no memory. */
enum visit_rc handshake_talk(struct handshake *h, enum visit_step step,
                             bool appended);

/* 0, or as wire_tls_shake(). */
int handshake_encrypt(struct handshake *h, struct tls_context *c);

/* As wire_send_until(). */
int handshake_send(struct handshake *h);
/* Into h->in, as wire_receive_until(). */
int handshake_receive(struct handshake *h, size_t most);

void handshake_part(struct handshake *h);
void handshake_done(struct handshake *h);

#endif
