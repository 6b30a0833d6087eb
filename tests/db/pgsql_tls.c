/*
 * pgsql_tls.c - certificates and names of servers: our own login trusts those
 * that libpq trusts, and no others.
 */
#include <netdb.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
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
};

static void *serve(void *arg)
{
  static const char accepted[] =
    "E\0\0\0\x24SFATAL\0VFATAL\0C28000\0Maccepted\0";
  const struct server *s = arg;
  int fd;

  while ((fd = accept(s->fd, NULL, NULL)) >= 0) {
    SSL *ssl = SSL_new(s->ctx);
    char first[1024];

    (void)SSL_set_fd(ssl, fd);
    if (recv(fd, first, sizeof(first), 0) == 8 && send(fd, "S", 1, 0) == 1 &&
        SSL_accept(ssl) == 1 && SSL_read(ssl, first, sizeof(first)) > 0)
      (void)SSL_write(ssl, accepted, sizeof(accepted));
    SSL_free(ssl);
    (void)close(fd);
  }
  return NULL;
}

static void server_open(struct server *s, const struct one *o)
{
  const struct sockaddr_in at = loopback_listen(&s->fd);

  s->ctx = make_server(o);
  (void)snprintf(s->port, sizeof(s->port), "%u", ntohs(at.sin_port));
  MUST(pthread_create(&s->thread, NULL, serve, s) == 0);
}

static void server_close(struct server *s)
{
  (void)shutdown(s->fd, SHUT_RDWR);
  (void)pthread_join(s->thread, NULL);
  (void)close(s->fd);
  SSL_CTX_free(s->ctx);
}

/* ---- the comparison ---- */

static bool own_trusts(struct conn *c)
{
  const uint64_t until_ns = clock_now_ns() + 20 * NS_PER_S;
  struct visit v = { .sql = "SELECT 1", .len = 8, .until_ns = until_ns };
  struct outcome out = { 0 };

  MUST(pgsql_visit(c->session, &v, &out) == VISIT_FAILED);
  if (strstr(out.msg, "accepted"))
    return true;
  OK(strstr(out.msg, "certificate") && out.permanent, "it says why not");
  return false;
}

static bool library_trusts(struct conn *c)
{
  struct outcome out = { 0 };

  c->session->may_be_raw = false;
  MUST(c->driver->connect(c->session, clock_now_ns() + 20 * NS_PER_S, &out) <
       0);
  return strstr(out.msg, "accepted") != NULL;
}

static void compare(const struct one *o)
{
  struct server s = { 0 };
  struct fixture f;
  struct conn *c;
  bool own, library;

  server_open(&s, o);
  fixture_init(&f);
  fixture_open(&f);
  c = fixture_conn(&f);
  c->driver->disconnect(c->session);
  f.host[0] = o->host;
  f.port[0] = s.port;
  while (strcmp(pgsql_sslmodes[f.cfg.sslmode], o->mode) != 0)
    f.cfg.sslmode++;
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

int main(void)
{
  (void)signal(SIGPIPE, SIG_IGN); /* of the server */
  make_all();
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    compare(&cases[i]);
  unmake_all();
  return TAP_EXIT();
}
