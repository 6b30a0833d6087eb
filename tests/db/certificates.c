/*
 * certificates.c - see certificates.h.
 */
#include "certificates.h"

#include <dlfcn.h>
#include <netdb.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#define MUST(what)                                     \
  do {                                                 \
    if (!(what)) {                                     \
      printf("Bail out! no certificate: %s\n", #what); \
      exit(1);                                         \
    }                                                  \
  } while (0)

#define HOST "db.example.org"

const struct certificate certificates[] = {
  { "common name", CHECK_NAME, HOST, HOST, NULL, 0, 0, BOTH },
  { "in capitals", CHECK_NAME, HOST, "DB.Example.ORG", NULL, 0, 0, BOTH },
  { "another common name", CHECK_NAME, HOST, "x.example.org", NULL, 0, 0,
    NOBODY },
  { "a part of the name", CHECK_NAME, HOST, "example.org", NULL, 0, 0, NOBODY },
  { "a longer name", CHECK_NAME, HOST, "a." HOST, NULL, 0, 0, NOBODY },
  { "no name", CHECK_NAME, HOST, NULL, NULL, 0, 0, NOBODY },
  { "alternative name", CHECK_NAME, HOST, "x", "DNS:" HOST, 0, 0, BOTH },
  { "second alternative", CHECK_NAME, HOST, "x", "DNS:a,DNS:" HOST, 0, 0,
    BOTH },
  { "only alternative", CHECK_NAME, HOST, NULL, "DNS:" HOST, 0, 0, BOTH },
  { "alternatives hide the subject", CHECK_NAME, HOST, HOST, "DNS:a", 0, 0,
    NOBODY },
  { "an e-mail hides nothing", CHECK_NAME, HOST, HOST, "email:a@b.org", 0, 0,
    BOTH },
  { "an address hides no name", CHECK_NAME, HOST, HOST, "IP:10.0.0.1", 0, 0,
    BOTH },
  { "wildcard", CHECK_NAME, HOST, "*.example.org", NULL, 0, 0, BOTH },
  { "wildcard, alternative", CHECK_NAME, HOST, "x", "DNS:*.example.org", 0, 0,
    BOTH },
  { "wildcard for two", CHECK_NAME, "a." HOST, "*.example.org", NULL, 0, 0,
    NOBODY },
  { "wildcard for none", CHECK_NAME, "example.org", "*.example.org", NULL, 0, 0,
    NOBODY },
  { "wildcard in the middle", CHECK_NAME, HOST, "db.*.org", NULL, 0, 0,
    NOBODY },
  { "part of a label", CHECK_NAME, HOST, "d*.example.org", NULL, 0, 0,
    CONNECTOR },
  { "a star alone", CHECK_NAME, HOST, "*", NULL, 0, 0, NOBODY },
  { "wildcard of all", CHECK_NAME, "localhost", "*.", NULL, 0, 0, NOBODY },
  { "zero byte", CHECK_NAME, HOST, "x", "DNS:" HOST "!.evil.org", 0, 0,
    NOBODY },
  { "zero byte first", CHECK_NAME, HOST, "x", "DNS:a!b,DNS:" HOST, 0, 0,
    CONNECTOR },
  { "zero byte last", CHECK_NAME, HOST, "x", "DNS:" HOST ",DNS:a!b", 0, 0,
    BOTH },
  { "address", CHECK_NAME, "127.0.0.1", "x", "IP:127.0.0.1", 0, 0, BOTH },
  { "another address", CHECK_NAME, "127.0.0.1", "x", "IP:127.0.0.2", 0, 0,
    NOBODY },
  { "address as subject", CHECK_NAME, "127.0.0.1", "127.0.0.1", NULL, 0, 0,
    BOTH },
  { "address as a name", CHECK_NAME, "127.0.0.1", "x", "DNS:127.0.0.1", 0, 0,
    BOTH },
  { "names hide no address", CHECK_NAME, "127.0.0.1", "127.0.0.1", "DNS:a", 0,
    0, LIBPQ },
  { "address hides the subject", CHECK_NAME, "127.0.0.1", "127.0.0.1",
    "IP:127.0.0.2", 0, 0, CONNECTOR },
  { "wildcard for an address", CHECK_NAME, "127.0.0.1", "*.0.0.1", NULL, 0, 0,
    BOTH },
  { "another authority", CHECK_NAME, HOST, HOST, NULL, BY_OTHER, 0, NOBODY },
  { "signed by itself", CHECK_NAME, HOST, HOST, NULL, BY_ITSELF, 0, NOBODY },
  { "an authority between", CHECK_NAME, HOST, HOST, NULL, BY_MIDDLE, 0, BOTH },
  { "it is missing", CHECK_NAME, HOST, HOST, NULL, BY_ABSENT_MIDDLE, 0,
    NOBODY },
  { "expired", CHECK_NAME, HOST, HOST, NULL, 0, EXPIRED, NOBODY },
  { "not yet valid", CHECK_NAME, HOST, HOST, NULL, 0, TOO_EARLY, NOBODY },
  { "a weak key", CHECK_NAME, HOST, HOST, NULL, 0, WEAK, NOBODY },
  { "revoked", CHECK_NAME, HOST, HOST, NULL, 0, REVOKED, CONNECTOR },
  { "for clients only", CHECK_NAME, HOST, HOST, NULL, 0, FOR_CLIENTS, NOBODY },
  { "a forged signature", CHECK_NAME, HOST, HOST, NULL, 0, FORGED, NOBODY },
  { "verify-ca: any name", CHECK_CA, HOST, "x", NULL, 0, 0, LIBPQ },
  { "verify-ca: trust", CHECK_CA, HOST, HOST, NULL, BY_OTHER, 0, NOBODY },
  { "require, with a CA: any name", CHECK_IF_CA, HOST, "x", NULL, 0, 0, BOTH },
  { "require, with a CA: trust", CHECK_IF_CA, HOST, HOST, NULL, BY_OTHER, 0,
    NOBODY },
  { 0 },
};

/* In place of the C library's, for client libraries, too. */
typedef int getaddrinfo_fn(const char *host, const char *port,
                           const struct addrinfo *hints, struct addrinfo **ret);
__attribute__((visibility("default"))) int
getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
            struct addrinfo **ret)
{
  getaddrinfo_fn *fn;
  void *real = dlsym(RTLD_NEXT, "getaddrinfo");

  (void)host;
  MUST(real != NULL);
  memcpy(&fn, &real, sizeof(fn));
  return fn("127.0.0.1", port, hints, ret);
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
  struct certificate_files files;
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

const struct certificate_files *certificates_make(void)
{
  X509_CRL *crl;

  made.ca = make_authority("ca", 1, NULL);
  made.other = make_authority("ca", 2, NULL);
  made.middle = make_authority("middle", 3, &made.ca);
  made.key = make_key(EVP_PKEY_EC);
  made.weak = make_key(EVP_PKEY_RSA);
  (void)snprintf(made.files.folder, sizeof(made.files.folder),
                 "/tmp/bench-tls.XXXXXX");
  MUST(mkdtemp(made.files.folder) != NULL);
  (void)snprintf(made.files.ca, sizeof(made.files.ca), "%s/ca",
                 made.files.folder);
  (void)snprintf(made.files.crl, sizeof(made.files.crl), "%s/crl",
                 made.files.folder);
  crl = make_crl(&made.ca);
  write_pem(made.files.ca, made.ca.cert, NULL);
  write_pem(made.files.crl, NULL, crl);
  X509_CRL_free(crl);
  return &made.files;
}

void certificates_unmake(void)
{
  struct signatory *all[] = { &made.ca, &made.other, &made.middle };

  for (int i = 0; i < 3; i++) {
    EVP_PKEY_free(all[i]->key);
    X509_free(all[i]->cert);
  }
  EVP_PKEY_free(made.key);
  EVP_PKEY_free(made.weak);
  (void)unlink(made.files.ca);
  (void)unlink(made.files.crl);
  (void)rmdir(made.files.folder);
}

SSL_CTX *certificates_server(const struct certificate *o)
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

void certificates_write(const char *cert, const char *key)
{
  FILE *f = fopen(key, "w");

  write_pem(cert, made.ca.cert, NULL);
  MUST(f && PEM_write_PrivateKey(f, made.ca.key, NULL, NULL, 0, NULL, NULL));
  MUST(fclose(f) == 0);
}
