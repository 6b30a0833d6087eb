/*
 * pgsql_tls.c - our own login trusts the servers that libpq trusts, and no
 * others: certificates, names, keys, second attempts, and somebody in between.
 */
#include <netdb.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/driver_visit.h"
#include "drivers/pgsql/session.h"
#include "tests/db/pgsql_fixture.h"
#include "tests/unit/loopback.h"
#include "tests/unit/tap.h"

enum signer {
  BY_CA,
  BY_OTHER, /* nobody trusts */
  BY_ITSELF,
  BY_MIDDLE,       /* signed by the CA, and sent along */
  BY_ABSENT_MIDDLE /* not sent */
};

enum flaw {
  NONE,
  EXPIRED,
  TOO_EARLY,
  WEAK,
  REVOKED,
  FOR_CLIENTS,
  FORGED /* the signature is of another key */
};

struct one {
  const char *what, *mode, *host;
  const char *cn;   /* NULL: no name */
  const char *alts; /* [opt] `!` becomes a zero byte */
  enum signer by;
  enum flaw flaw;
  bool good;
};

#define FULL "verify-full"
#define HOST "db.example.org"

static const struct one cases[] = {
  { "common name", FULL, HOST, HOST, NULL, 0, 0, true },
  { "in capitals", FULL, HOST, "DB.Example.ORG", NULL, 0, 0, true },
  { "another common name", FULL, HOST, "x.example.org", NULL, 0, 0, false },
  { "a part of the name", FULL, HOST, "example.org", NULL, 0, 0, false },
  { "a longer name", FULL, HOST, "a." HOST, NULL, 0, 0, false },
  { "no name", FULL, HOST, NULL, NULL, 0, 0, false },
  { "alternative name", FULL, HOST, "x", "DNS:" HOST, 0, 0, true },
  { "second alternative", FULL, HOST, "x", "DNS:a,DNS:" HOST, 0, 0, true },
  { "only alternative", FULL, HOST, NULL, "DNS:" HOST, 0, 0, true },
  { "alternatives hide the subject", FULL, HOST, HOST, "DNS:a", 0, 0, false },
  { "an e-mail hides nothing", FULL, HOST, HOST, "email:a@b.org", 0, 0, true },
  { "an address hides no name", FULL, HOST, HOST, "IP:10.0.0.1", 0, 0, true },
  { "wildcard", FULL, HOST, "*.example.org", NULL, 0, 0, true },
  { "wildcard, alternative", FULL, HOST, "x", "DNS:*.example.org", 0, 0, true },
  { "wildcard for two", FULL, "a." HOST, "*.example.org", NULL, 0, 0, false },
  { "wildcard for none", FULL, "example.org", "*.example.org", NULL, 0, 0,
    false },
  { "wildcard in the middle", FULL, HOST, "db.*.org", NULL, 0, 0, false },
  { "part of a label", FULL, HOST, "d*.example.org", NULL, 0, 0, false },
  { "a star alone", FULL, HOST, "*", NULL, 0, 0, false },
  { "wildcard of all", FULL, "localhost", "*.", NULL, 0, 0, false },
  { "zero byte", FULL, HOST, "x", "DNS:" HOST "!.evil.org", 0, 0, false },
  { "zero byte first", FULL, HOST, "x", "DNS:a!b,DNS:" HOST, 0, 0, false },
  { "zero byte last", FULL, HOST, "x", "DNS:" HOST ",DNS:a!b", 0, 0, true },
  { "address", FULL, "127.0.0.1", "x", "IP:127.0.0.1", 0, 0, true },
  { "another address", FULL, "127.0.0.1", "x", "IP:127.0.0.2", 0, 0, false },
  { "address as subject", FULL, "127.0.0.1", "127.0.0.1", NULL, 0, 0, true },
  { "address as a name", FULL, "127.0.0.1", "x", "DNS:127.0.0.1", 0, 0, true },
  { "names hide no address", FULL, "127.0.0.1", "127.0.0.1", "DNS:a", 0, 0,
    true },
  { "address hides the subject", FULL, "127.0.0.1", "127.0.0.1", "IP:127.0.0.2",
    0, 0, false },
  { "wildcard for an address", FULL, "127.0.0.1", "*.0.0.1", NULL, 0, 0, true },
  { "another authority", FULL, HOST, HOST, NULL, BY_OTHER, 0, false },
  { "signed by itself", FULL, HOST, HOST, NULL, BY_ITSELF, 0, false },
  { "an authority between", FULL, HOST, HOST, NULL, BY_MIDDLE, 0, true },
  { "it is missing", FULL, HOST, HOST, NULL, BY_ABSENT_MIDDLE, 0, false },
  { "expired", FULL, HOST, HOST, NULL, 0, EXPIRED, false },
  { "not yet valid", FULL, HOST, HOST, NULL, 0, TOO_EARLY, false },
  { "a weak key", FULL, HOST, HOST, NULL, 0, WEAK, false },
  { "revoked", FULL, HOST, HOST, NULL, 0, REVOKED, false },
  { "for clients only", FULL, HOST, HOST, NULL, 0, FOR_CLIENTS, false },
  { "a forged signature", FULL, HOST, HOST, NULL, 0, FORGED, false },
  { "verify-ca: any name", "verify-ca", HOST, "x", NULL, 0, 0, true },
  { "verify-ca: trust", "verify-ca", HOST, HOST, NULL, BY_OTHER, 0, false },
  { "require, with a CA: any name", "require", HOST, "x", NULL, 0, 0, true },
  { "require, with a CA: trust", "require", HOST, HOST, NULL, BY_OTHER, 0,
    false },
};

/* All names are here. */
int __real_getaddrinfo(const char *host, const char *port,
                       const struct addrinfo *hints, struct addrinfo **ret);
int __wrap_getaddrinfo(const char *host, const char *port,
                       const struct addrinfo *hints, struct addrinfo **ret);
int __wrap_getaddrinfo(const char *host, const char *port,
                       const struct addrinfo *hints, struct addrinfo **ret)
{
  (void)host;
  return __real_getaddrinfo("127.0.0.1", port, hints, ret);
}

/* ---- certificates ---- */

struct signatory {
  EVP_PKEY *key;
  X509 *cert;
};

static EVP_PKEY *make_key(int type)
{
  EVP_PKEY_CTX *c = EVP_PKEY_CTX_new_id(type, NULL);
  EVP_PKEY *key = NULL;

  MUST(c && EVP_PKEY_keygen_init(c) == 1);
  if (type == EVP_PKEY_RSA)
    MUST(EVP_PKEY_CTX_set_rsa_keygen_bits(c, 1024) == 1);
  else
    MUST(EVP_PKEY_CTX_set_ec_paramgen_curve_nid(c, NID_X9_62_prime256v1) == 1);
  MUST(EVP_PKEY_keygen(c, &key) == 1);
  EVP_PKEY_CTX_free(c);
  return key;
}

static void add_extension(X509 *cert, int nid, const char *text)
{
  X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, NULL, nid, text);

  MUST(e && X509_add_ext(cert, e, -1) == 1);
  X509_EXTENSION_free(e);
}

static void add_alts(X509 *cert, const char *text)
{
  X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name,
                                          text);
  GENERAL_NAMES *names = e ? X509V3_EXT_d2i(e) : NULL;

  MUST(names != NULL);
  for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
    ASN1_IA5STRING *name = sk_GENERAL_NAME_value(names, i)->d.ia5;
    char bytes[256];
    const int n = ASN1_STRING_length(name);

    MUST(n < (int)sizeof(bytes));
    memcpy(bytes, ASN1_STRING_get0_data(name), (size_t)n);
    for (int j = 0; j < n; j++)
      bytes[j] = bytes[j] == '!' ? '\0' : bytes[j];
    MUST(ASN1_STRING_set(name, bytes, n) == 1);
  }
  MUST(X509_add1_ext_i2d(cert, NID_subject_alt_name, names, 0, 0) == 1);
  GENERAL_NAMES_free(names);
  X509_EXTENSION_free(e);
}

static X509 *begin_cert(EVP_PKEY *key, const char *cn, long serial)
{
  X509 *cert = X509_new();

  MUST(cert && X509_set_version(cert, 2) == 1 &&
       ASN1_INTEGER_set(X509_get_serialNumber(cert), serial) == 1 &&
       X509_set_pubkey(cert, key) == 1);
  (void)X509_gmtime_adj(X509_getm_notBefore(cert), -3600);
  (void)X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
  if (cn)
    MUST(X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), "CN",
                                    MBSTRING_ASC, (const unsigned char *)cn, -1,
                                    -1, 0) == 1);
  return cert;
}

static void end_cert(X509 *cert, const struct signatory *by)
{
  MUST(X509_set_issuer_name(cert, X509_get_subject_name(by->cert)) == 1 &&
       X509_sign(cert, by->key, EVP_sha256()) > 0);
}

static struct signatory make_authority(const char *cn, long serial,
                                       const struct signatory *by)
{
  struct signatory a = { .key = make_key(EVP_PKEY_EC) };

  a.cert = begin_cert(a.key, cn, serial);
  add_extension(a.cert, NID_basic_constraints, "critical,CA:TRUE");
  end_cert(a.cert, by ? by : &a);
  return a;
}

static struct {
  struct signatory ca, other, middle;
  EVP_PKEY *key, *weak;
  char folder[64], ca_file[96], crl_file[96];
} made;

enum {
  REVOKED_SERIAL = 99
};

static void write_pem(const char *path, X509 *cert, X509_CRL *crl)
{
  FILE *f = fopen(path, "w");

  MUST(f != NULL);
  MUST(cert ? PEM_write_X509(f, cert) : PEM_write_X509_CRL(f, crl));
  MUST(fclose(f) == 0);
}

static X509_CRL *make_crl(const struct signatory *by)
{
  X509_CRL *crl = X509_CRL_new();
  X509_REVOKED *r = X509_REVOKED_new();
  ASN1_TIME *now = X509_gmtime_adj(NULL, -60),
            *later = X509_gmtime_adj(NULL, 3600);
  ASN1_INTEGER *serial = ASN1_INTEGER_new();

  MUST(crl && r && now && later && serial &&
       ASN1_INTEGER_set(serial, REVOKED_SERIAL) == 1 &&
       X509_REVOKED_set_serialNumber(r, serial) == 1 &&
       X509_REVOKED_set_revocationDate(r, now) == 1 &&
       X509_CRL_add0_revoked(crl, r) == 1 &&
       X509_CRL_set1_lastUpdate(crl, now) == 1 &&
       X509_CRL_set1_nextUpdate(crl, later) == 1 &&
       X509_CRL_set_issuer_name(crl, X509_get_subject_name(by->cert)) == 1 &&
       X509_CRL_sign(crl, by->key, EVP_sha256()) > 0);
  ASN1_TIME_free(now);
  ASN1_TIME_free(later);
  ASN1_INTEGER_free(serial);
  return crl;
}

static void make_all(void)
{
  X509_CRL *crl;

  made.ca = make_authority("ca", 1, NULL);
  made.other = make_authority("ca", 2, NULL);
  made.middle = make_authority("middle", 3, &made.ca);
  made.key = make_key(EVP_PKEY_EC);
  made.weak = make_key(EVP_PKEY_RSA);
  (void)snprintf(made.folder, sizeof(made.folder), "/tmp/bench-tls.XXXXXX");
  MUST(mkdtemp(made.folder) != NULL);
  (void)snprintf(made.ca_file, sizeof(made.ca_file), "%s/ca", made.folder);
  (void)snprintf(made.crl_file, sizeof(made.crl_file), "%s/crl", made.folder);
  crl = make_crl(&made.ca);
  write_pem(made.ca_file, made.ca.cert, NULL);
  write_pem(made.crl_file, NULL, crl);
  X509_CRL_free(crl);
}

static void unmake_all(void)
{
  struct signatory *all[] = { &made.ca, &made.other, &made.middle };

  for (int i = 0; i < 3; i++) {
    EVP_PKEY_free(all[i]->key);
    X509_free(all[i]->cert);
  }
  EVP_PKEY_free(made.key);
  EVP_PKEY_free(made.weak);
  (void)unlink(made.ca_file);
  (void)unlink(made.crl_file);
  (void)rmdir(made.folder);
}

static SSL_CTX *make_server(const struct one *o)
{
  EVP_PKEY *key = o->flaw == WEAK ? made.weak : made.key;
  SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
  X509 *cert = begin_cert(key, o->cn, o->flaw == REVOKED ? REVOKED_SERIAL : 5);
  const struct signatory self = { .key = key, .cert = cert };
  const struct signatory *by = o->by == BY_CA       ? &made.ca
                               : o->by == BY_OTHER  ? &made.other
                               : o->by == BY_ITSELF ? &self
                                                    : &made.middle;
  const struct signatory forger = { .key = made.other.key, .cert = by->cert };

  if (o->alts)
    add_alts(cert, o->alts);
  if (o->flaw == EXPIRED)
    (void)X509_gmtime_adj(X509_getm_notAfter(cert), -60);
  if (o->flaw == TOO_EARLY)
    (void)X509_gmtime_adj(X509_getm_notBefore(cert), 1800);
  if (o->flaw == FOR_CLIENTS)
    add_extension(cert, NID_ext_key_usage, "clientAuth");
  end_cert(cert, o->flaw == FORGED ? &forger : by);
  SSL_CTX_set_security_level(ctx, 0);
  MUST(SSL_CTX_use_certificate(ctx, cert) == 1 &&
       SSL_CTX_use_PrivateKey(ctx, key) == 1);
  if (o->by == BY_MIDDLE)
    MUST(SSL_CTX_add1_chain_cert(ctx, made.middle.cert) == 1);
  X509_free(cert);
  return ctx;
}

/* ---- a server that refuses everybody who trusts it ---- */

struct server {
  int fd;
  char port[8];
  pthread_t thread;
  SSL_CTX *ctx;
  /* To the question for TLS: a letter, and what somebody in between adds. */
  const char *answer;
  bool is_broken;         /* no handshake follows */
  char seen[8];           /* T: logins with TLS, p: without, -: neither */
  void *(*serve)(void *); /* [opt] */
  const char *real_port;  /* of a server behind this one */
  bool strips;
};

static const char accepted[] = "E\0\0\0\x24SFATAL\0VFATAL\0C28000\0Maccepted\0";

static char serve_tls(const struct server *s, int fd)
{
  const size_t n = strlen(s->answer);
  SSL *ssl = SSL_new(s->ctx);
  char how = '-', bytes[1024];

  (void)SSL_set_fd(ssl, fd);
  if (send(fd, s->answer, n, 0) == (ssize_t)n && !s->is_broken &&
      SSL_accept(ssl) == 1 && SSL_read(ssl, bytes, sizeof(bytes)) > 0) {
    how = 'T';
    (void)SSL_write(ssl, accepted, sizeof(accepted));
  }
  SSL_free(ssl);
  return how;
}

static void *serve(void *arg)
{
  struct server *s = arg;
  int fd;

  while ((fd = accept(s->fd, NULL, NULL)) >= 0) {
    const size_t n = strlen(s->seen);
    char how = '-', bytes[1024];
    ssize_t got = recv(fd, bytes, sizeof(bytes), 0);

    if (got == 8 && *s->answer == 'S') {
      how = serve_tls(s, fd);
    } else {
      if (got == 8 && send(fd, s->answer, 1, 0) == 1)
        got = recv(fd, bytes, sizeof(bytes), 0);
      if (got > 8 && send(fd, accepted, sizeof(accepted), 0) > 0)
        how = 'p';
    }
    if (n + 1 < sizeof(s->seen))
      s->seen[n] = how;
    (void)close(fd);
  }
  return NULL;
}

static void server_open(struct server *s, const struct one *o)
{
  const struct sockaddr_in at = loopback_listen(&s->fd);

  s->ctx = make_server(o);
  if (!s->answer)
    s->answer = "S";
  (void)snprintf(s->port, sizeof(s->port), "%u", ntohs(at.sin_port));
  MUST(pthread_create(&s->thread, NULL, s->serve ? s->serve : serve, s) == 0);
}

static void server_close(struct server *s)
{
  (void)shutdown(s->fd, SHUT_RDWR);
  (void)pthread_join(s->thread, NULL);
  (void)close(s->fd);
  SSL_CTX_free(s->ctx);
}

/* ---- the comparison ---- */

static enum visit_rc own_fails(struct conn *c, struct outcome *out)
{
  const uint64_t until_ns = clock_now_ns() + 20 * NS_PER_S;
  struct visit v = { .sql = "SELECT 1", .len = 8, .until_ns = until_ns };
  const enum visit_rc rc = pgsql_visit(c->session, &v, out);

  MUST(rc != VISIT_DONE);
  return rc;
}

static void library_fails(struct conn *c, struct outcome *out)
{
  c->session->may_be_raw = false;
  *out = (struct outcome){ 0 };
  MUST(c->driver->connect(c->session, clock_now_ns() + 20 * NS_PER_S, out) < 0);
}

static bool own_trusts(struct conn *c)
{
  struct outcome out = { 0 };

  MUST(own_fails(c, &out) == VISIT_FAILED);
  if (strstr(out.msg, "accepted"))
    return true;
  OK(strstr(out.msg, "certificate") && out.permanent, "it says why not");
  return false;
}

static bool library_trusts(struct conn *c)
{
  struct outcome out = { 0 };

  library_fails(c, &out);
  return strstr(out.msg, "accepted") != NULL;
}

/* A session that is not open, and that `f` leads to `port`. */
static struct conn *client_open(struct fixture *f, const char *mode,
                                const char *host, const char *port)
{
  struct conn *c;

  fixture_init(f);
  fixture_open(f);
  c = fixture_conn(f);
  c->driver->disconnect(c->session);
  f->host[0] = host;
  f->port[0] = port;
  for (f->cfg.sslmode = 0; strcmp(pgsql_sslmodes[f->cfg.sslmode], mode) != 0;)
    f->cfg.sslmode++;
  return c;
}

static void compare(const struct one *o)
{
  struct server s = { 0 };
  struct fixture f;
  struct conn *c;
  bool own, library;

  server_open(&s, o);
  c = client_open(&f, o->mode, o->host, s.port);
  f.cfg.sslrootcert = made.ca_file;
  f.cfg.sslcrl = o->flaw == REVOKED ? made.crl_file : NULL;
  own = own_trusts(c);
  library = library_trusts(c);
  OK(own == library && own == o->good, o->what);
  if (own != library || own != o->good)
    printf("# own %d, library %d, expected %d\n", own, library, o->good);
  fixture_done(&f);
  server_close(&s);
}

static const struct one usual = { .cn = HOST };

/* ---- second attempts, and bytes in front of the handshake ---- */

static const struct {
  const char *what, *mode, *answer;
  bool is_broken;
  const char *seen;
  const char *text; /* of our own login */
} turns[] = {
  { "disable", "disable", "S", false, "p", "accepted" },
  { "allow: with TLS in the end", "allow", "S", false, "pT", "accepted" },
  { "prefer: without TLS in the end", "prefer", "S", false, "Tp", "accepted" },
  { "prefer: after no handshake", "prefer", "S", true, "-p", "accepted" },
  { "prefer: the server has no TLS", "prefer", "N", false, "p", "accepted" },
  { "require", "require", "S", false, "T", "accepted" },
  { "require: no handshake", "require", "S", true, "-", "closed" },
  { "require: no TLS", "require", "N", false, "-", "not support SSL" },
  { "bytes in front of the handshake", "require", "SE", false, "-",
    "unencrypted data after SSL response" },
  { "an answer in front of it", "require",
    "SE\1\1\1\1SFATAL\1C28000\1Maccepted\1", false, "-",
    "unencrypted data after SSL response" },
};

static void take_turns(size_t i, bool own)
{
  struct server s = { .answer = turns[i].answer,
                      .is_broken = turns[i].is_broken };
  struct outcome out = { 0 };
  struct fixture f;
  struct conn *c;

  server_open(&s, &usual);
  c = client_open(&f, turns[i].mode, HOST, s.port);
  if (!own)
    library_fails(c, &out);
  else
    MUST(own_fails(c, &out) == VISIT_FAILED);
  server_close(&s);
  /* If nobody is asked, the library has other words. */
  OK((own && strstr(out.msg, turns[i].text)) ||
       (!own &&
        !strstr(out.msg, "accepted") == (strcmp(turns[i].seen, "-") == 0)),
     turns[i].what);
  OK_STR(s.seen, turns[i].seen, own ? "as expected" : "as the library");
  fixture_done(&f);
}

/* ---- permissions of the client's key ---- */

static void key_with(mode_t permissions)
{
  char cert[96], key[96], what[64];
  struct server s = { 0 };
  struct outcome out = { 0 };
  enum visit_rc own;
  struct fixture f;
  struct conn *c;
  FILE *file;

  (void)snprintf(cert, sizeof(cert), "%s/client", made.folder);
  (void)snprintf(key, sizeof(key), "%s/key", made.folder);
  write_pem(cert, made.ca.cert, NULL);
  file = fopen(key, "w");
  MUST(file &&
       PEM_write_PrivateKey(file, made.ca.key, NULL, NULL, 0, NULL, NULL) ==
         1 &&
       fclose(file) == 0 && chmod(key, permissions) == 0);
  server_open(&s, &usual);
  c = client_open(&f, "require", HOST, s.port);
  f.cfg.sslcert = cert;
  f.cfg.sslkey = key;
  own = own_fails(c, &out);
  library_fails(c, &out);
  (void)snprintf(what, sizeof(what), "a key with the permissions %03o",
                 (unsigned)permissions);
  OK((own == VISIT_FAILED) == (strstr(out.msg, "accepted") != NULL), what);
  if (permissions == 0600 || permissions == 0644)
    OK((own == VISIT_FAILED) == (permissions == 0600), "as expected");
  fixture_done(&f);
  server_close(&s);
  MUST(unlink(cert) == 0 && unlink(key) == 0);
}

/* ---- somebody in between ---- */

static bool relay_ask(int fd)
{
  static const char question[] = { 0, 0, 0, 8, 4, (char)210, 22, 47 };
  char letter;

  return send(fd, question, 8, 0) == 8 && recv(fd, &letter, 1, 0) == 1 &&
         letter == 'S';
}

/* One of two ways has ended: false. */
static bool relay_pass(SSL *from, SSL *to, bool strips)
{
  static const char plus[] = "SCRAM-SHA-256-PLUS";
  char bytes[16 * 1024], *at;
  int n;

  do {
    n = SSL_read(from, bytes, sizeof(bytes));
    if (n <= 0)
      return false;
    at = strips ? memmem(bytes, (size_t)n, plus, sizeof(plus)) : NULL;
    if (at) { /* the first of the mechanisms in a short message */
      n -= (int)sizeof(plus);
      memmove(at, at + sizeof(plus), (size_t)(bytes + n - at));
      bytes[4] = (char)(bytes[4] - (char)sizeof(plus));
    }
    if (SSL_write(to, bytes, n) != n)
      return false;
  } while (SSL_pending(from) > 0);
  return true;
}

static void relay_session(const struct server *s, int near, int far)
{
  SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
  SSL *client = SSL_new(s->ctx), *server = SSL_new(ctx);
  struct pollfd fds[] = { { .fd = near, .events = POLLIN },
                          { .fd = far, .events = POLLIN } };
  char question[8];
  bool open;

  (void)SSL_set_fd(client, near);
  (void)SSL_set_fd(server, far);
  open = recv(near, question, 8, MSG_WAITALL) == 8 &&
         send(near, "S", 1, 0) == 1 && SSL_accept(client) == 1 &&
         relay_ask(far) && SSL_connect(server) == 1;
  while (open && poll(fds, 2, -1) > 0)
    open = (!fds[0].revents || relay_pass(client, server, false)) &&
           (!fds[1].revents || relay_pass(server, client, s->strips));
  SSL_free(client);
  SSL_free(server);
  SSL_CTX_free(ctx);
}

static void *relay(void *arg)
{
  const struct server *s = arg;
  struct sockaddr_in at = { .sin_family = AF_INET,
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                            .sin_port = htons((uint16_t)atoi(s->real_port)) };
  int near, far;

  while ((near = accept(s->fd, NULL, NULL)) >= 0) {
    far = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(far, (const struct sockaddr *)&at, sizeof(at)) == 0)
      relay_session(s, near, far);
    (void)close(near);
    (void)close(far);
  }
  return NULL;
}

/* Only the binding to the channel gives away that the certificate is another
 * one. */
static void bind_to_channel(bool own, bool strips)
{
  struct server s = { .serve = relay,
                      .real_port = fixture_env("PG_PORT", "5432"),
                      .strips = strips };
  struct outcome out = { 0 };
  struct fixture f;
  struct conn *c;

  server_open(&s, &usual);
  c = client_open(&f, "require", HOST, s.port);
  f.cfg.user = "sbpass";
  f.cfg.password = "secret";
  if (strips)
    MUST(setenv("PGCHANNELBINDING", "require", 1) == 0);
  if (own)
    OK(own_fails(c, &out) == (strips ? VISIT_CANNOT : VISIT_FAILED),
       "another certificate in between");
  if (!own || strips)
    library_fails(c, &out);
  MUST(unsetenv("PGCHANNELBINDING") == 0);
  OK(strstr(out.msg, strips ? "channel binding is required"
                            : "channel binding check failed") != NULL,
     strips ? "is refused if the mechanism is taken away" : "is noticed");
  server_close(&s);
  fixture_done(&f);
}

int main(void)
{
  (void)signal(SIGPIPE, SIG_IGN); /* of the server */
  make_all();
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    compare(&cases[i]);
  for (size_t i = 0; i < 2 * sizeof(turns) / sizeof(turns[0]); i++)
    take_turns(i / 2, i % 2 == 0);
  for (size_t i = 0; i < 5; i++)
    key_with((const mode_t[]){ 0600, 0640, 0644, 0660, 0604 }[i]);
  bind_to_channel(true, false);
  bind_to_channel(false, false);
  bind_to_channel(true, true);
  unmake_all();
  return TAP_EXIT();
}
