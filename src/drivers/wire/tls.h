/*
 * tls.h - TLS between a protocol and its socket.
 *
 * Records pass through buffers of a session: OpenSSL never sees the socket, so
 * waits are those of socket.h, and no fiber is parked inside of OpenSSL.
 */
#ifndef BENCH_DRIVERS_WIRE_TLS_H
#define BENCH_DRIVERS_WIRE_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "drivers/wire/buffer.h"

/* ---- contexts: what all sessions of a target share ---- */

/* Files in PEM; NULL: none. */
struct tls_wishes {
  const char *ca, *ca_path;   /* neither: certificates are not verified */
  const char *crl, *crl_path; /* used if they can be read */
  const char *cert, *key;     /* the client's */
  const char *ciphers;        /* up to TLS 1.2 */
};

struct tls_context;

/* Certificates need no trust if no authorities are given.  NULL: a file cannot
 * be used, or the program has no TLS. */
struct tls_context *tls_context_new(const struct tls_wishes *w);
void tls_context_free(struct tls_context *c);

/* ---- sessions ---- */

struct wire_tls;

/* `host` [opt] is told to the server.  NULL: no memory.  The context must stay
 * until the session has been freed. */
struct wire_tls *wire_tls_new(const struct tls_context *c, const char *host);
/* The loop has forgotten the socket. */
void wire_tls_free(struct wire_tls *t);

/* 0; -EPROTO: see wire_tls_why(); or as wire_receive_until(). */
int wire_tls_shake(struct wire_tls *t, int fd, uint64_t until_ns);
/* The reason of OpenSSL (static). */
const char *wire_tls_why(const struct wire_tls *t);

/* As the functions of socket.h; -EPROTO: a record is wrong. */
bool wire_tls_send(struct wire_tls *t, int fd, const uint8_t *p, size_t n);
int wire_tls_receive(struct wire_tls *t, int fd, struct wire_buffer *b,
                     bool poll_first);
int wire_tls_send_until(struct wire_tls *t, int fd, const void *p, size_t n,
                        uint64_t until_ns);
int wire_tls_receive_until(struct wire_tls *t, int fd, struct wire_buffer *b,
                           size_t n, uint64_t until_ns);

/* Without a wait: append to `b`, which has room.  The bytes; 0: nothing has
 * come; or -errno. */
ssize_t wire_tls_look(struct wire_tls *t, int fd, struct wire_buffer *b);
/* Without a wait: how many bytes were taken, to be sent.  -1 with errno: none;
 * EAGAIN: bytes that were taken before have to be sent first. */
ssize_t wire_tls_send_now(struct wire_tls *t, int fd, const uint8_t *p,
                          size_t n);
bool wire_tls_is_sent(const struct wire_tls *t);
/* Send the last bytes, if the socket takes them at once. */
void wire_tls_part(struct wire_tls *t, int fd, const void *p, size_t n);

/* ---- the server's certificate ---- */

enum tls_name {
  TLS_NAME_DNS,
  TLS_NAME_IP,   /* 4 or 16 bytes, or another number */
  TLS_NAME_OTHER /* the first common name of the subject; the last call */
};

typedef int tls_name_fn(void *ctx, enum tls_name kind, const uint8_t *bytes,
                        size_t n);

/* Calls fn() for each name until a result is not 0, and returns that.  -1:
 * there is no certificate. */
int wire_tls_names(const struct wire_tls *t, tls_name_fn *fn, void *ctx);

enum {
  TLS_END_POINT_MAX = 64
};

/* The hash of the certificate for RFC 5929, tls-server-end-point.  Its length;
 * 0: the certificate has none. */
size_t wire_tls_end_point(const struct wire_tls *t,
                          uint8_t ret[TLS_END_POINT_MAX]);

#endif
