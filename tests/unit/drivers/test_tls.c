/*
 * test_tls.c - encrypted sessions of threads and fibers: records that are cut
 * anywhere, bytes that OpenSSL has decrypted before they are wanted, and ends.
 */
#include "drivers/wire/tls.h"

#include <errno.h>
#include <linux/sockios.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "drivers/wire/link.h"
#include "drivers/wire/pipe.h"
#include "loop/loop.h"
#include "tests/unit/tap.h"

enum {
  STACK = 128 * 1024,
  LONG = 100 * 1000,
};

/* ---- a server that sends as many bytes as it is asked for ---- */

static SSL_CTX *server_ctx;

static void server_identify(void)
{
  EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, NULL);
  EVP_PKEY *key = NULL;
  X509 *cert = X509_new();
  X509_NAME *name;

  MUST(maker && cert && EVP_PKEY_keygen_init(maker) == 1 &&
       EVP_PKEY_CTX_set_ec_paramgen_curve_nid(maker, NID_X9_62_prime256v1) ==
         1 &&
       EVP_PKEY_keygen(maker, &key) == 1);
  name = X509_get_subject_name(cert);
  (void)X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                   (const unsigned char *)"test", -1, -1, 0);
  (void)X509_set_issuer_name(cert, name);
  (void)X509_gmtime_adj(X509_getm_notBefore(cert), 0);
  (void)X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
  (void)X509_set_pubkey(cert, key);
  MUST(X509_sign(cert, key, EVP_sha256()) > 0);
  server_ctx = SSL_CTX_new(TLS_server_method());
  MUST(SSL_CTX_use_certificate(server_ctx, cert) == 1 &&
       SSL_CTX_use_PrivateKey(server_ctx, key) == 1);
  X509_free(cert);
  EVP_PKEY_free(key);
  EVP_PKEY_CTX_free(maker);
}

struct server {
  int fd;
  bool hangs_up; /* in the middle of an answer */
};

static void *serve(void *arg)
{
  const struct server *s = arg;
  SSL *ssl = SSL_new(server_ctx);
  static char bytes[LONG];
  uint32_t n;

  (void)SSL_set_fd(ssl, s->fd);
  if (SSL_accept(ssl) == 1) {
    while (SSL_read(ssl, &n, sizeof(n)) == (int)sizeof(n)) {
      memset(bytes, 'x', n);
      bytes[n - 1] = '.';
      (void)SSL_write(ssl, bytes, (int)n);
      if (s->hangs_up)
        break;
    }
    if (!s->hangs_up)
      (void)SSL_shutdown(ssl);
  }
  SSL_free(ssl);
  (void)close(s->fd);
  return NULL;
}

/* ---- a relay that cuts what the server sends ---- */

struct relay {
  int client, server;
  size_t piece; /* bytes; 0: as they come */
  /* 0: nothing is changed; set by the client after the handshake. */
  _Atomic uint32_t seed;
};

static uint32_t draw(uint32_t *state, uint32_t n)
{
  *state = *state * 1664525 + 1013904223;
  return (uint32_t)((uint64_t)*state * n >> 32);
}

/* Bits turned, bytes lost, and bytes twice; `bytes` has twice the room.  How
 * many bytes there are now. */
static size_t damage(char *bytes, size_t n, uint32_t seed)
{
  const size_t at = draw(&seed, (uint32_t)n), some = n - at;
  const size_t head = at % 5; /* of a record */

  switch (draw(&seed, 5)) {
  case 0:
    bytes[at] ^= (char)(1 << draw(&seed, 8));
    return n;
  case 1:
    bytes[head < n ? head : 0] ^= (char)(1 << draw(&seed, 8));
    return n;
  case 2:
    return at;
  case 3:
    memmove(bytes, bytes + at, some);
    return some;
  default:
    memcpy(bytes + n, bytes + at, some);
    return n + some;
  }
}

static bool relay_give(int fd, const char *bytes, size_t n, size_t piece)
{
  int unread = 1;

  for (size_t at = 0; at < n; at += piece) {
    if (send(fd, bytes + at, n - at < piece ? n - at : piece, MSG_NOSIGNAL) < 0)
      return false;
    while (ioctl(fd, SIOCOUTQ, &unread) == 0 && unread > 0)
      (void)sched_yield();
  }
  return true;
}

static void *relay(void *arg)
{
  struct relay *r = arg;
  char bytes[4096];
  uint32_t passed = 0;
  ssize_t n = 1;

  while (n > 0) {
    struct pollfd fds[] = { { .fd = r->client, .events = POLLIN },
                            { .fd = r->server, .events = POLLIN } };

    (void)poll(fds, 2, -1);
    if (fds[0].revents) {
      n = recv(r->client, bytes, sizeof(bytes), 0);
      if (n > 0)
        (void)send(r->server, bytes, (size_t)n, MSG_NOSIGNAL);
    } else {
      const uint32_t seed = atomic_load(&r->seed);

      n = recv(r->server, bytes, sizeof(bytes) / 2, 0);
      if (n > 0 && seed > 0 && passed++ == seed % 5) {
        n = (ssize_t)damage(bytes, (size_t)n, seed);
        (void)relay_give(r->client, bytes, (size_t)n, sizeof(bytes));
        n = 0;
      } else if (n > 0 && !relay_give(r->client, bytes, (size_t)n,
                                      r->piece ? r->piece : sizeof(bytes))) {
        n = 0;
      }
    }
  }
  (void)close(r->client);
  (void)close(r->server);
  return NULL;
}

/* ---- the client ---- */

static struct tls_context *context;

static struct {
  struct wire_link link;
  struct server server;
  struct relay relay;
  pthread_t threads[2];
  struct wire_buffer in;
  int rc;
} w;

static void start(size_t piece, bool hangs_up)
{
  int near[2], far[2];

  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, near) == 0 &&
       socketpair(AF_UNIX, SOCK_STREAM, 0, far) == 0);
  w.server = (struct server){ .fd = far[1], .hangs_up = hangs_up };
  w.relay = (struct relay){ .client = near[1],
                            .server = far[0],
                            .piece = piece };
  w.link = (struct wire_link){ .fd = near[0],
                               .tls = wire_tls_new(context, "localhost") };
  w.in = (struct wire_buffer){ 0 };
  MUST(w.link.tls != NULL);
  MUST(pthread_create(&w.threads[0], NULL, serve, &w.server) == 0 &&
       pthread_create(&w.threads[1], NULL, relay, &w.relay) == 0);
}

static void end(void)
{
  wire_part(&w.link, NULL, 0);
  for (int i = 0; i < 2; i++)
    MUST(pthread_join(w.threads[i], NULL) == 0);
  wire_buffer_done(&w.in);
}

/* In a fiber, or right here. */
static void run(enum loop_engine engine, bool in_fiber, void (*fn)(void *))
{
  const struct loop_setup setup = { .stack_bytes = STACK, .engine = engine };
  struct loop *l = NULL;
  struct err err;

  if (!in_fiber) {
    fn(NULL);
    return;
  }
  MUST(loop_new(&l, &setup, &err) == 0 && loop_add(l, fn, NULL, &err) == 0);
  loop_run(l);
  loop_free(l);
}

static uint64_t later(void)
{
  return clock_now_ns() + 20 * NS_PER_S;
}

static bool ask(uint32_t n)
{
  wire_buffer_clear(&w.in);
  return wire_send(&w.link, (const uint8_t *)&n, sizeof(n), 0) &&
         wire_fill(&w.in, &w.link, n, true) == 0 && w.in.end == n &&
         w.in.bytes[0] == (n > 1 ? 'x' : '.') && w.in.bytes[n - 1] == '.';
}

static int find_name(void *ctx, enum tls_name kind, const uint8_t *name,
                     size_t n)
{
  return kind == TLS_NAME_OTHER && n == 4 && memcmp(name, ctx, n) == 0;
}

static void talk(void *arg)
{
  static const uint32_t sizes[] = { 1, 5, 100, 1024, 1025, 5000, 16384, 16385 };
  const size_t n = w.relay.piece > 0 && w.relay.piece < 100 ? 3 : 8;
  bool all = wire_tls_shake(w.link.tls, w.link.fd, later()) == 0;

  (void)arg;
  wire_tls_forget_chain(w.link.tls); /* early */
  OK(wire_tls_names(w.link.tls, find_name, (char[]){ "test" }) == 1,
     "the server's own certificate stays");
  for (size_t i = 0; all && i < n; i++)
    all = ask(sizes[i]);
  OK(all, "answers of all sizes");
  if (w.relay.piece == 0)
    OK(ask(LONG), "and of many records");
  OK(!wire_look(&w.in, &w.link), "nothing is left");
  end();
}

static void test_talks(enum loop_engine engine, bool in_fiber)
{
  static const size_t pieces[] = { 0, 1, 2, 3, 7, 1000 };

  for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
    start(pieces[i], false);
    run(engine, in_fiber, talk);
  }
}

/* Requests of a pipeline whose answers fill all buffers. */
static void pipeline(void *arg)
{
  enum {
    REQUESTS = 40
  };
  const uint32_t n = LONG;
  struct wire_pipe pipe = { 0 };
  bool all = wire_tls_shake(w.link.tls, w.link.fd, later()) == 0;

  (void)arg;
  for (int i = 0; i < REQUESTS; i++)
    all = all && wire_buffer_append(&pipe.out, &n, sizeof(n));
  OK(all && wire_pipe_send(&pipe, &w.link, &w.in, SIZE_MAX, true) &&
       wire_fill(&w.in, &w.link, (size_t)REQUESTS * LONG, false) == 0 &&
       w.in.end == (size_t)REQUESTS * LONG,
     "a pipeline");
  wire_pipe_done(&pipe);
  end();
}

/* A record is cut at each of its bytes: before the last one nothing is known,
 * and nobody waits. */
static void cut_record(void *arg)
{
  char bytes[256];
  bool silent = true, heard = true;
  int fd[2];

  (void)arg;
  MUST(wire_tls_shake(w.link.tls, w.link.fd, later()) == 0 && ask(10));
  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
  for (size_t cut = 1; heard && cut < 5 + 16 + 10; cut++) {
    const uint32_t n = 10;
    ssize_t len;

    /* The relay is passed by: the answer is held here. */
    MUST(wire_send(&w.link, (const uint8_t *)&n, sizeof(n), 0));
    do
      len = recv(w.link.fd, bytes, sizeof(bytes), MSG_PEEK);
    while (len < 5 + 16 + 10);
    MUST(recv(w.link.fd, bytes, sizeof(bytes), 0) == len);
    wire_buffer_clear(&w.in);
    MUST(wire_buffer_extend(&w.in, n));
    MUST(send(fd[1], bytes, cut, 0) == (ssize_t)cut);
    silent &= wire_tls_look(w.link.tls, fd[0], &w.in) == 0;
    MUST(send(fd[1], bytes + cut, (size_t)len - cut, 0) == len - (ssize_t)cut);
    heard = wire_tls_look(w.link.tls, fd[0], &w.in) == n;
  }
  OK(silent && heard, "a record that is cut at each byte");
  MUST(close(fd[0]) == 0 && close(fd[1]) == 0);
  end();
}

static void end_early(void *arg)
{
  const uint32_t n = 10;

  (void)arg;
  MUST(wire_tls_shake(w.link.tls, w.link.fd, later()) == 0 && ask(n));
  OK(wire_fill(&w.in, &w.link, n + 1, true) == -EPIPE,
     "a server that hangs up");
  end();
}

/* What a server sends that has no TLS, or is late. */
static void shake_with(const char *bytes, int expected, const char *what)
{
  int fd[2];
  struct wire_tls *t = wire_tls_new(context, NULL);
  const uint64_t until_ns = expected == -ETIMEDOUT ? clock_now_ns() : later();

  MUST(t && socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
  MUST(send(fd[1], bytes, strlen(bytes), 0) == (ssize_t)strlen(bytes));
  if (expected == -EPIPE)
    (void)shutdown(fd[1], SHUT_WR);
  OK(wire_tls_shake(t, fd[0], until_ns) == expected, what);
  if (expected == -EPROTO)
    OK(*wire_tls_why(t), "with a reason");
  loop_forget(fd[0]);
  wire_tls_free(t);
  MUST(close(fd[0]) == 0 && close(fd[1]) == 0);
}

static void no_tls(void *arg)
{
  (void)arg;
  shake_with("Eno record at all", -EPROTO, "no TLS at all");
  shake_with("", -EPIPE, "a server that hangs up at once");
  shake_with("", -ETIMEDOUT, "a silent server");
}

/* Whatever somebody in between does after the handshake: no wrong byte is taken
 * for the server's, and nobody waits for ever. */
static void damaged(void *arg)
{
  static const uint32_t sizes[] = { 1, 100, 3000, 17000 };
  const uint32_t seed = *(const uint32_t *)arg;
  bool open = wire_tls_shake(w.link.tls, w.link.fd, later()) == 0 && ask(10);
  int rc = 0;

  MUST(open);
  atomic_store(&w.relay.seed, seed);
  for (uint32_t i = 0; open && i < 100; i++) {
    const uint32_t n = sizes[i % 4];

    wire_buffer_clear(&w.in);
    open = wire_send(&w.link, (const uint8_t *)&n, sizeof(n), 0);
    rc = open ? wire_fill(&w.in, &w.link, n, true) : -EPIPE;
    open = rc == 0;
    for (uint32_t j = 0; open && j < n; j++)
      MUST(w.in.bytes[j] == (j + 1 < n ? 'x' : '.'));
    MUST(!open || w.in.end == n);
  }
  MUST(rc == -EPROTO || rc == -EPIPE || rc == -ECONNRESET);
  end();
}

static void test_damaged(void)
{
  for (uint32_t seed = 1; seed <= 60; seed++) {
    start(0, false);
    damaged(&(uint32_t){ seed * 2654435761u });
  }
  OK(true, "records that somebody has damaged");
}

static void refuse(void)
{
  OK(!tls_context_new(&(struct tls_wishes){ .ca = "/nowhere" }),
     "no file of authorities");
  OK(!tls_context_new(&(struct tls_wishes){ .cert = "/nowhere" }),
     "no certificate");
  OK(!tls_context_new(&(struct tls_wishes){ .ciphers = "no such cipher" }),
     "no cipher");
}

/* One that no authority has signed. */
static void distrust(void *arg)
{
  (void)arg;
  OK(wire_tls_shake(w.link.tls, w.link.fd, later()) == -EPROTO,
     "a certificate that is not trusted");
  OK_STR(wire_tls_why(w.link.tls), "certificate verify failed",
         "is the reason");
  end();
}

static void test_all(enum loop_engine engine, bool in_fiber)
{
  test_talks(engine, in_fiber);
  start(0, false);
  run(engine, in_fiber, pipeline);
  start(0, true);
  run(engine, in_fiber, end_early);
  run(engine, in_fiber, no_tls);
}

int main(void)
{
  struct tls_context *usual, *strict;

  (void)signal(SIGPIPE, SIG_IGN); /* of the server */
  server_identify();
  context = usual = tls_context_new(&(struct tls_wishes){ NULL });
  MUST(usual != NULL);
  refuse();
  test_all(LOOP_AUTO, false);
  test_all(LOOP_EPOLL, true);
  test_all(LOOP_AUTO, true);
  start(0, false);
  cut_record(NULL);
  test_damaged();
  context = strict = tls_context_new(
    &(struct tls_wishes){ .ca_path = "/" }); /* without a certificate */
  MUST(strict != NULL);
  start(0, false);
  distrust(NULL);
  tls_context_free(usual);
  tls_context_free(strict);
  SSL_CTX_free(server_ctx);
  return TAP_EXIT();
}
