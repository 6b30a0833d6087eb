/*
 * tls.c - TLS between a protocol and its socket.
 */
#include "drivers/wire/tls.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/sock.h"
#include "drivers/wire/socket.h"
#include "loop/loop.h"

#ifdef HAVE_OPENSSL

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

enum {
  PIECE = 48 * 1024,     /* encrypted before the first are sent */
  RECORD_MAX = 17 * 1024 /* and a little more */
};

struct tls_context {
  SSL_CTX *ssl;       /* owned */
  BIO_METHOD *method; /* owned */
  pthread_mutex_t lock;
  SSL_SESSION *last; /* owned; [opt] to resume */
  bool resume;
};

struct wire_tls {
  SSL *ssl;               /* owned */
  struct wire_buffer in;  /* records; OpenSSL has read up to `pos` */
  struct wire_buffer out; /* records; given to the socket up to `pos` */
  bool lent;              /* to the loop: see loop_send() */
  bool starved; /* OpenSSL has found no record at the end of its last call */
  bool full;    /* the last receive was as long as the buffer */
  const char *why;
};

/* ---- contexts ---- */

static int bio_read(BIO *bio, char *to, size_t n, size_t *ret_n)
{
  struct wire_tls *t = BIO_get_data(bio);
  const size_t have = min_u64(n, wire_buffer_have(&t->in));

  BIO_clear_retry_flags(bio);
  t->starved = have == 0;
  if (t->starved) {
    BIO_set_retry_read(bio);
    return 0;
  }
  memcpy(to, t->in.bytes + t->in.pos, have);
  t->in.pos += have;
  *ret_n = have;
  return 1;
}

static int bio_write(BIO *bio, const char *from, size_t n, size_t *ret_n)
{
  struct wire_tls *t = BIO_get_data(bio);

  BIO_clear_retry_flags(bio);
  *ret_n = n;
  return wire_buffer_append(&t->out, from, n);
}

static long bio_control(BIO *bio, int what, long number, void *pointer)
{
  (void)bio, (void)number, (void)pointer;
  return what == BIO_CTRL_FLUSH;
}

/* Never ask. */
static int context_passphrase(char *to, int size, int writes, void *arg)
{
  (void)to, (void)size, (void)writes, (void)arg;
  return -1;
}

/* As libpq, do without a list of revoked certificates if it is unreadable. */
static bool context_trusts(SSL_CTX *ssl, const struct tls_wishes *w)
{
  X509_STORE *store = SSL_CTX_get_cert_store(ssl);

  if (!w->ca && !w->ca_path && !w->usual_ca)
    return true;
  if ((w->ca || w->ca_path
         ? SSL_CTX_load_verify_locations(ssl, w->ca, w->ca_path)
         : SSL_CTX_set_default_verify_paths(ssl)) != 1)
    return false;
  SSL_CTX_set_verify(ssl, SSL_VERIFY_PEER, NULL);
  if ((w->crl || w->crl_path) &&
      X509_STORE_load_locations(store, w->crl, w->crl_path) == 1)
    (void)X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK |
                                        X509_V_FLAG_CRL_CHECK_ALL);
  return true;
}

static bool context_identifies(SSL_CTX *ssl, const struct tls_wishes *w)
{
  if (!w->cert)
    return true;
  return SSL_CTX_use_certificate_chain_file(ssl, w->cert) == 1 && w->key &&
         SSL_CTX_use_PrivateKey_file(ssl, w->key, SSL_FILETYPE_PEM) == 1 &&
         SSL_CTX_check_private_key(ssl) == 1;
}

static bool context_limits(SSL_CTX *ssl, const struct tls_wishes *w)
{
  return SSL_CTX_set_min_proto_version(ssl, w->no_12 ? TLS1_3_VERSION
                                                     : TLS1_2_VERSION) == 1 &&
         (!w->no_13 || SSL_CTX_set_max_proto_version(ssl, TLS1_2_VERSION)) &&
         (!w->ciphers || SSL_CTX_set_ciphersuites(ssl, w->ciphers) == 1 ||
          SSL_CTX_set_cipher_list(ssl, w->ciphers) == 1);
}

static bool context_names(SSL_CTX *ssl, const struct tls_wishes *w)
{
  const size_t n = w->alpn ? strlen(w->alpn) : 0;
  uint8_t list[32] = { (uint8_t)n };

  if (n == 0 || n >= sizeof(list))
    return n == 0;
  memcpy(list + 1, w->alpn, n);
  return SSL_CTX_set_alpn_protos(ssl, list, (unsigned)n + 1) == 0;
}

/* Copies: wire_tls_forget_chain() and losses spoil sessions. */
static int context_keep(SSL *ssl, SSL_SESSION *session)
{
  struct tls_context *c = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
  SSL_SESSION *copy = SSL_session_reused(ssl) ? NULL : SSL_SESSION_dup(session),
              *old;

  if (!copy)
    return 0;
  (void)pthread_mutex_lock(&c->lock);
  old = c->last;
  c->last = copy;
  (void)pthread_mutex_unlock(&c->lock);
  SSL_SESSION_free(old);
  return 0;
}

static void context_offer(struct tls_context *c, SSL *ssl)
{
  SSL_SESSION *copy = NULL;

  if (!c->resume)
    return;
  (void)pthread_mutex_lock(&c->lock);
  if (c->last)
    copy = SSL_SESSION_dup(c->last);
  (void)pthread_mutex_unlock(&c->lock);
  if (copy)
    (void)SSL_set_session(ssl, copy);
  SSL_SESSION_free(copy);
}

static bool context_fill(struct tls_context *c, const struct tls_wishes *w)
{
  SSL_CTX *ssl = c->ssl = SSL_CTX_new(TLS_client_method());

  c->method = BIO_meth_new(BIO_TYPE_SOURCE_SINK | BIO_get_new_index(), "wire");
  if (!ssl || !c->method || BIO_meth_set_read_ex(c->method, bio_read) != 1 ||
      BIO_meth_set_write_ex(c->method, bio_write) != 1 ||
      BIO_meth_set_ctrl(c->method, bio_control) != 1)
    return false;
  (void)SSL_CTX_set_mode(ssl, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_AUTO_RETRY);
  c->resume = w->resume;
  SSL_CTX_set_app_data(ssl, c);
  SSL_CTX_sess_set_new_cb(ssl, context_keep);
  (void)SSL_CTX_set_session_cache_mode(
    ssl, w->resume ? SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL
                   : SSL_SESS_CACHE_OFF);
  SSL_CTX_set_default_passwd_cb(ssl, context_passphrase);
  return context_limits(ssl, w) && context_trusts(ssl, w) &&
         context_identifies(ssl, w) && context_names(ssl, w);
}

struct tls_context *tls_context_new(const struct tls_wishes *w)
{
  struct tls_context *c = mem_new(1, sizeof(*c));
  bool filled;

  if (!c)
    return NULL;
  *c = (struct tls_context){ NULL };
  (void)pthread_mutex_init(&c->lock, NULL);
  filled = context_fill(c, w);
  ERR_clear_error();
  if (filled)
    return c;
  tls_context_free(c);
  return NULL;
}

void tls_context_free(void *context)
{
  struct tls_context *c = context;

  if (!c)
    return;
  SSL_SESSION_free(c->last);
  (void)pthread_mutex_destroy(&c->lock);
  SSL_CTX_free(c->ssl);
  BIO_meth_free(c->method);
  free(c);
}

/* ---- sessions ---- */

static bool is_name(const char *host)
{
  return host && strspn(host, "0123456789.") != strlen(host) &&
         !strchr(host, ':');
}

struct wire_tls *wire_tls_new(struct tls_context *c, const char *host)
{
  struct wire_tls *t = mem_new(1, sizeof(*t));
  BIO *bio;

  if (!t)
    return NULL;
  *t = (struct wire_tls){ .ssl = SSL_new(c->ssl), .why = "" };
  bio = t->ssl ? BIO_new(c->method) : NULL;
  if (!bio) {
    wire_tls_free(t);
    return NULL;
  }
  BIO_set_data(bio, t);
  BIO_set_init(bio, 1);
  SSL_set_bio(t->ssl, bio, bio);
  context_offer(c, t->ssl);
  if (is_name(host) && SSL_set_tlsext_host_name(t->ssl, host) != 1) {
    wire_tls_free(t);
    return NULL;
  }
  return t;
}

void wire_tls_free(struct wire_tls *t)
{
  if (!t)
    return;
  SSL_free(t->ssl);
  wire_buffer_done(&t->in);
  wire_buffer_done(&t->out);
  free(t);
}

bool wire_tls_chose(const struct wire_tls *t, const char *alpn)
{
  const unsigned char *name = NULL;
  unsigned n = 0;

  SSL_get0_alpn_selected(t->ssl, &name, &n);
  return n == strlen(alpn) && memcmp(name, alpn, n) == 0;
}

static void chain_drop(STACK_OF(X509) * chain)
{
  while (sk_X509_num(chain) > 0)
    X509_free(sk_X509_pop(chain));
}

void wire_tls_forget_chain(struct wire_tls *t)
{
  chain_drop(SSL_get_peer_cert_chain(t->ssl));
  chain_drop(SSL_get0_verified_chain(t->ssl));
}

struct tls_facts wire_tls_about(const struct wire_tls *t)
{
  return (struct tls_facts){ SSL_get_version(t->ssl), SSL_get_cipher(t->ssl),
                             SSL_session_reused(t->ssl) == 1 };
}

const char *wire_tls_why(const struct wire_tls *t)
{
  return t->why;
}

const char *wire_tls_distrust(const struct wire_tls *t)
{
  const long rc = SSL_get_verify_result(t->ssl);

  return rc != X509_V_OK ? X509_verify_cert_error_string(rc) : NULL;
}

/* 0: more records are needed.  SSL_get_error() would want an empty queue of
 * errors before each call. */
static int tls_failed(struct wire_tls *t)
{
  const char *why;

  if (t->starved)
    return 0;
  if (SSL_get_shutdown(t->ssl) & SSL_RECEIVED_SHUTDOWN)
    return -EPIPE;
  why = ERR_reason_error_string(ERR_peek_last_error());
  t->why = why ? why : "the connection cannot be used";
  ERR_clear_error();
  return -EPROTO;
}

static size_t tls_unsent(const struct wire_tls *t)
{
  return wire_buffer_have(&t->out);
}

bool wire_tls_is_sent(const struct wire_tls *t)
{
  return tls_unsent(t) == 0;
}

static void tls_make_room(struct wire_tls *t, int fd)
{
  if (UNLIKELY(t->lent))
    loop_settle(fd);
  t->lent = false;
  if (tls_unsent(t) == 0)
    wire_buffer_clear(&t->out);
}

struct tls_call {
  SSL *ssl;
  void *to;
  const void *from;
  size_t n, done;
  int rc;
};

static void tls_write(void *arg)
{
  struct tls_call *c = arg;

  c->rc = SSL_write_ex(c->ssl, c->from, c->n, &c->done);
}

static void tls_read(void *arg)
{
  struct tls_call *c = arg;

  c->rc = SSL_read_ex(c->ssl, c->to, c->n, &c->done);
}

static void tls_connect(void *arg)
{
  struct tls_call *c = arg;

  c->rc = SSL_connect(c->ssl);
}

static bool tls_encrypt(struct wire_tls *t, int fd, const void *p, size_t n)
{
  struct tls_call c = { .ssl = t->ssl, .from = p, .n = n };

  tls_make_room(t, fd);
  t->starved = false;
  loop_call_deep(tls_write, &c);
  if (LIKELY(c.rc == 1))
    return true;
  errno = EPIPE;
  (void)tls_failed(t);
  return false;
}

static bool tls_flush(struct wire_tls *t, int fd)
{
  const size_t from = t->out.pos, n = tls_unsent(t);

  if (n == 0)
    return true;
  t->out.pos = t->out.end;
  t->lent = fiber_here() != NULL;
  return wire_send_plain(fd, t->out.bytes + from, n, 0);
}

bool wire_tls_send(struct wire_tls *t, int fd, const uint8_t *p, size_t n)
{
  while (n > 0) {
    const size_t piece = min_u64(n, PIECE);

    if (UNLIKELY(!tls_encrypt(t, fd, p, piece) || !tls_flush(t, fd)))
      return false;
    p += piece;
    n -= piece;
  }
  return true;
}

/* Of clients that share a thread, only the one that reads has a large
 * buffer. */
static void tls_shrink(struct wire_buffer *b)
{
  if (b->room > WIRE_FIRST && fiber_here())
    wire_buffer_shrink(b);
}

/* Decrypted bytes, and records in memory, are never waited for at the socket.
 * The bytes; 0: none; -errno. */
static ssize_t tls_decrypt(struct wire_tls *t, struct wire_buffer *b, size_t n)
{
  struct tls_call c = { .ssl = t->ssl, .to = b->bytes + b->end, .n = n };

  if (wire_buffer_have(&t->in) == 0 && SSL_pending(t->ssl) == 0)
    return 0;
  t->starved = false;
  loop_call_deep(tls_read, &c);
  if (UNLIKELY(c.rc != 1))
    return tls_failed(t);
  b->end += c.done;
  if (wire_buffer_have(&t->in) == 0)
    tls_shrink(&t->in);
  return (ssize_t)c.done;
}

/* All records were read, so the server has all sent bytes. */
static void tls_received(struct wire_tls *t)
{
  t->full = t->in.end == t->in.room;
  t->lent = false;
}

static bool tls_empty_in(struct wire_tls *t)
{
  wire_buffer_clear(&t->in);
  if (UNLIKELY(t->full) && t->in.room < RECORD_MAX)
    return wire_buffer_grow(&t->in, t->in.room + 1);
  return wire_buffer_extend(&t->in, 1);
}

int wire_tls_receive(struct wire_tls *t, int fd, struct wire_buffer *b,
                     bool poll_first)
{
  for (;;) {
    const ssize_t got = tls_decrypt(t, b, b->room - b->end);
    int rc;

    if (got != 0)
      return got > 0 ? 0 : (int)got;
    if (!tls_flush(t, fd))
      return -EPIPE;
    if (!tls_empty_in(t))
      return -ENOMEM;
    rc = wire_receive_plain(&t->in, fd, poll_first);
    if (rc < 0)
      return rc;
    tls_received(t);
  }
}

ssize_t wire_tls_look(struct wire_tls *t, int fd, struct wire_buffer *b)
{
  for (;;) {
    ssize_t got = tls_decrypt(t, b, b->room - b->end);

    if (got != 0)
      return got;
    if (!tls_empty_in(t))
      return -ENOMEM;
    got = recv(fd, t->in.bytes, t->in.room, MSG_DONTWAIT);
    if (got < 0)
      return sock_is_early(errno) ? 0 : -errno;
    if (got == 0)
      return -EPIPE;
    t->in.end = (size_t)got;
    t->full = t->in.end == t->in.room;
  }
}

static bool tls_push(struct wire_tls *t, int fd)
{
  while (tls_unsent(t) > 0) {
    const ssize_t sent = sock_send(fd, t->out.bytes + t->out.pos, tls_unsent(t),
                                   MSG_DONTWAIT);

    if (sent <= 0)
      return false;
    t->out.pos += (size_t)sent;
  }
  return true;
}

ssize_t wire_tls_send_now(struct wire_tls *t, int fd, const uint8_t *p,
                          size_t n)
{
  const size_t piece = min_u64(n, PIECE);

  if (!tls_push(t, fd))
    return -1;
  if (piece > 0 && !tls_encrypt(t, fd, p, piece))
    return -1;
  if (!tls_push(t, fd) && !sock_is_early(errno))
    return -1;
  return (ssize_t)piece;
}

void wire_tls_part(struct wire_tls *t, int fd, const void *p, size_t n)
{
  t->lent = false;
  if (n == 0 || tls_encrypt(t, fd, p, n))
    (void)SSL_shutdown(t->ssl);
  (void)tls_push(t, fd);
  ERR_clear_error();
}

/* ---- within a limit ---- */

static int tls_flush_until(struct wire_tls *t, int fd, uint64_t until_ns)
{
  const size_t from = t->out.pos, n = tls_unsent(t);

  t->out.pos = t->out.end;
  t->lent |= n > 0 && fiber_here() != NULL;
  return n == 0 ? 0 : wire_send_until(fd, t->out.bytes + from, n, until_ns);
}

static int tls_refill_until(struct wire_tls *t, int fd, uint64_t until_ns)
{
  int rc;

  if (!tls_empty_in(t))
    return -ENOMEM;
  rc = wire_receive_until(fd, &t->in, t->in.room, until_ns);
  if (rc == 0)
    tls_received(t);
  return rc;
}

int wire_tls_shake(struct wire_tls *t, int fd, uint64_t until_ns)
{
  for (;;) {
    struct tls_call c = { .ssl = t->ssl };
    int rc;

    tls_make_room(t, fd);
    t->starved = false;
    loop_call_deep(tls_connect, &c);
    if (c.rc == 1)
      return 0; /* the last record goes with the first message */
    rc = tls_failed(t);
    if (rc < 0) {
      (void)tls_flush_until(t, fd, until_ns); /* an alert */
      return rc;
    }
    rc = tls_flush_until(t, fd, until_ns);
    if (rc == 0)
      rc = tls_refill_until(t, fd, until_ns);
    if (rc < 0)
      return rc;
  }
}

int wire_tls_send_until(struct wire_tls *t, int fd, const void *p, size_t n,
                        uint64_t until_ns)
{
  if (!tls_encrypt(t, fd, p, n))
    return -EPROTO;
  return tls_flush_until(t, fd, until_ns);
}

int wire_tls_receive_until(struct wire_tls *t, int fd, struct wire_buffer *b,
                           size_t n, uint64_t until_ns)
{
  if (!wire_buffer_extend(b, n))
    return -ENOMEM;
  for (;;) {
    const ssize_t got = tls_decrypt(t, b, min_u64(n, b->room - b->end));
    int rc;

    if (got != 0)
      return got > 0 ? 0 : (int)got;
    rc = tls_flush_until(t, fd, until_ns);
    if (rc == 0)
      rc = tls_refill_until(t, fd, until_ns);
    if (rc < 0)
      return rc;
  }
}

/* ---- the server's certificate ---- */

static int names_common(X509 *cert, tls_name_fn *fn, void *ctx)
{
  X509_NAME *subject = X509_get_subject_name(cert);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  const ASN1_STRING *text;

  if (at < 0)
    return 0;
  text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
  return text ? fn(ctx, TLS_NAME_OTHER, ASN1_STRING_get0_data(text),
                   (size_t)ASN1_STRING_length(text))
              : 0;
}

int wire_tls_names(const struct wire_tls *t, tls_name_fn *fn, void *ctx)
{
  X509 *cert = SSL_get_peer_certificate(t->ssl);
  GENERAL_NAMES *names;
  int rc = 0;

  if (!cert)
    return -1;
  names = X509_get_ext_d2i(cert, NID_subject_alt_name, NULL, NULL);
  for (int i = 0; rc == 0 && i < sk_GENERAL_NAME_num(names); i++) {
    const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
    const bool is_dns = name->type == GEN_DNS;

    if (is_dns || name->type == GEN_IPADD)
      rc = fn(ctx, is_dns ? TLS_NAME_DNS : TLS_NAME_IP,
              ASN1_STRING_get0_data(name->d.ia5),
              (size_t)ASN1_STRING_length(name->d.ia5));
  }
  GENERAL_NAMES_free(names);
  if (rc == 0)
    rc = names_common(cert, fn, ctx);
  X509_free(cert);
  return rc;
}

bool wire_tls_is_for(const struct wire_tls *t, const char *host)
{
  X509 *cert = SSL_get_peer_certificate(t->ssl);
  const bool is = cert && (X509_check_host(cert, host, 0, 0, NULL) == 1 ||
                           X509_check_ip_asc(cert, host, 0) == 1);

  X509_free(cert);
  ERR_clear_error();
  return is;
}

/* MD5 and SHA-1 become SHA-256. */
static const EVP_MD *end_point_hash(const X509 *cert)
{
  int hash = NID_undef;

  if (OBJ_find_sigid_algs(X509_get_signature_nid(cert), &hash, NULL) != 1)
    return NULL;
  if (hash == NID_md5 || hash == NID_sha1)
    hash = NID_sha256;
  return hash != NID_undef ? EVP_get_digestbynid(hash) : NULL;
}

size_t wire_tls_end_point(const struct wire_tls *t,
                          uint8_t ret[TLS_END_POINT_MAX])
{
  X509 *cert = SSL_get_peer_certificate(t->ssl);
  const EVP_MD *hash = cert ? end_point_hash(cert) : NULL;
  unsigned n = 0;

  if (!hash || EVP_MD_size(hash) > TLS_END_POINT_MAX ||
      X509_digest(cert, hash, ret, &n) != 1)
    n = 0;
  X509_free(cert);
  ERR_clear_error();
  return n;
}

#else /* no context, and so no session */

struct tls_context *tls_context_new(const struct tls_wishes *w)
{
  (void)w;
  return NULL;
}

void tls_context_free(void *context)
{
  (void)context;
}

struct wire_tls *wire_tls_new(struct tls_context *c, const char *host)
{
  (void)c, (void)host;
  return NULL;
}

void wire_tls_free(struct wire_tls *t)
{
  (void)t;
}

int wire_tls_shake(struct wire_tls *t, int fd, uint64_t until_ns)
{
  (void)t, (void)fd, (void)until_ns;
  return -EPROTO;
}

bool wire_tls_chose(const struct wire_tls *t, const char *alpn)
{
  (void)t, (void)alpn;
  return false;
}

void wire_tls_forget_chain(struct wire_tls *t)
{
  (void)t;
}

struct tls_facts wire_tls_about(const struct wire_tls *t)
{
  (void)t;
  return (struct tls_facts){ "", "", false };
}

const char *wire_tls_why(const struct wire_tls *t)
{
  (void)t;
  return "";
}

const char *wire_tls_distrust(const struct wire_tls *t)
{
  (void)t;
  return NULL;
}

bool wire_tls_send(struct wire_tls *t, int fd, const uint8_t *p, size_t n)
{
  (void)t, (void)fd, (void)p, (void)n;
  return false;
}

int wire_tls_receive(struct wire_tls *t, int fd, struct wire_buffer *b,
                     bool poll_first)
{
  (void)t, (void)fd, (void)b, (void)poll_first;
  return -EPROTO;
}

int wire_tls_send_until(struct wire_tls *t, int fd, const void *p, size_t n,
                        uint64_t until_ns)
{
  (void)t, (void)fd, (void)p, (void)n, (void)until_ns;
  return -EPROTO;
}

int wire_tls_receive_until(struct wire_tls *t, int fd, struct wire_buffer *b,
                           size_t n, uint64_t until_ns)
{
  (void)t, (void)fd, (void)b, (void)n, (void)until_ns;
  return -EPROTO;
}

ssize_t wire_tls_look(struct wire_tls *t, int fd, struct wire_buffer *b)
{
  (void)t, (void)fd, (void)b;
  return -EPROTO;
}

ssize_t wire_tls_send_now(struct wire_tls *t, int fd, const uint8_t *p,
                          size_t n)
{
  (void)t, (void)fd, (void)p, (void)n;
  return -1;
}

bool wire_tls_is_sent(const struct wire_tls *t)
{
  (void)t;
  return true;
}

void wire_tls_part(struct wire_tls *t, int fd, const void *p, size_t n)
{
  (void)t, (void)fd, (void)p, (void)n;
}

int wire_tls_names(const struct wire_tls *t, tls_name_fn *fn, void *ctx)
{
  (void)t, (void)fn, (void)ctx;
  return -1;
}

size_t wire_tls_end_point(const struct wire_tls *t,
                          uint8_t ret[TLS_END_POINT_MAX])
{
  (void)t, (void)ret;
  return 0;
}

bool wire_tls_is_for(const struct wire_tls *t, const char *host)
{
  (void)t, (void)host;
  return false;
}

#endif
