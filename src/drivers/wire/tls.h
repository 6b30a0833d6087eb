/*
 * tls.h - TLS between a protocol and its socket.
 *
 * OpenSSL never sees the socket: waits are those of socket.h, and no fiber is
 * parked inside of OpenSSL.
 */
#ifndef BENCH_DRIVERS_WIRE_TLS_H
#define BENCH_DRIVERS_WIRE_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "drivers/wire/buffer.h"

/* Files in PEM; NULL: none. */
struct tls_wishes {
  const char *ca, *ca_path;   /* neither: any certificate, or: */
  bool usual_ca;              /* authorities of the system */
  const char *crl, *crl_path; /* if readable */
  const char *cert, *key;     /* the client's */
  const char *ciphers;        /* of TLS 1.3, or up to TLS 1.2 */
  const char *alpn;           /* the protocol; at most 30 bytes */
  bool no_12, no_13;          /* versions */
  bool resume;                /* sessions */
};

#ifdef HAVE_OPENSSL
#define TLS_LACK ""
#else
#define TLS_LACK " (bench was built without OpenSSL)"
#endif

struct tls_context;

/* NULL: a file is of no use, or the program lacks TLS. */
struct tls_context *tls_context_new(const struct tls_wishes *w);
/* Takes a struct tls_context, or NULL. */
void tls_context_free(void *context);

struct wire_tls;

/* `host`: [opt] for the server, unless an address.  NULL: out of memory.  The
 * context outlives the session. */
struct wire_tls *wire_tls_new(struct tls_context *c, const char *host);
/* The loop has forgotten the socket. */
void wire_tls_free(struct wire_tls *t);

/* 0; -EPROTO: see wire_tls_why(); or as wire_receive_until(). */
int wire_tls_shake(struct wire_tls *t, int fd, uint64_t until_ns);
/* Has the server chosen it (ALPN)? */
bool wire_tls_chose(const struct wire_tls *t, const char *alpn);
/* After the handshake. */
struct tls_facts {
  const char *version, *cipher; /* static */
  bool resumed;
};
struct tls_facts wire_tls_about(const struct wire_tls *t);
/* The reason of OpenSSL (static). */
const char *wire_tls_why(const struct wire_tls *t);
/* The flaw of the certificate (static); NULL: none. */
const char *wire_tls_distrust(const struct wire_tls *t);

/* As in socket.h; -EPROTO: a wrong record. */
bool wire_tls_send(struct wire_tls *t, int fd, const uint8_t *p, size_t n);
int wire_tls_receive(struct wire_tls *t, int fd, struct wire_buffer *b,
                     bool poll_first);
int wire_tls_send_until(struct wire_tls *t, int fd, const void *p, size_t n,
                        uint64_t until_ns);
int wire_tls_receive_until(struct wire_tls *t, int fd, struct wire_buffer *b,
                           size_t n, uint64_t until_ns);

/* Does not wait; `b` has room.  The bytes; 0: none; or -errno. */
ssize_t wire_tls_look(struct wire_tls *t, int fd, struct wire_buffer *b);
/* Without a wait: bytes taken.  -1 with errno; EAGAIN: earlier ones first. */
ssize_t wire_tls_send_now(struct wire_tls *t, int fd, const uint8_t *p,
                          size_t n);
bool wire_tls_is_sent(const struct wire_tls *t);
/* Send the last bytes, if the socket takes them at once. */
void wire_tls_part(struct wire_tls *t, int fd, const void *p, size_t n);

enum tls_name {
  TLS_NAME_DNS,
  TLS_NAME_IP,   /* 4 or 16 bytes, or another number */
  TLS_NAME_OTHER /* the first common name of the subject; the last call */
};

typedef int tls_name_fn(void *ctx, enum tls_name kind, const uint8_t *bytes,
                        size_t n);

/* Calls fn() for each name until a result is not 0, and returns the result.
 * -1: without a certificate. */
int wire_tls_names(const struct wire_tls *t, tls_name_fn *fn, void *ctx);

bool wire_tls_is_for(const struct wire_tls *t, const char *host);

/* Free the other certificates. */
void wire_tls_forget_chain(struct wire_tls *t);

enum {
  TLS_END_POINT_MAX = 64
};

/* tls-server-end-point of RFC 5929.  Its length; 0: none. */
size_t wire_tls_end_point(const struct wire_tls *t,
                          uint8_t ret[TLS_END_POINT_MAX]);

#endif
