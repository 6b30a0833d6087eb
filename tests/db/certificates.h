/*
 * certificates.h - servers with good and bad certificates: our own login trusts
 * those that the client library trusts, and no others.
 *
 * All names of hosts lead to this machine.
 */
#ifndef BENCH_TESTS_DB_CERTIFICATES_H
#define BENCH_TESTS_DB_CERTIFICATES_H

#include <openssl/ssl.h>

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

enum check {
  CHECK_NAME,
  CHECK_CA,
  CHECK_IF_CA /* only because there is one */
};

/* Who accepts a certificate; bits. */
enum library {
  NOBODY = 0,
  LIBPQ = 1,
  CONNECTOR = 2, /* of MariaDB */
  BOTH = 3
};

struct certificate {
  const char *what;
  enum check check;
  const char *host;
  const char *cn;   /* NULL: no name */
  const char *alts; /* [opt] `!` becomes a zero byte */
  enum signer by;
  enum flaw flaw;
  enum library good;
};

/* Ends with a NULL as `what`. */
extern const struct certificate certificates[];

/* Files; revocations are only for REVOKED. */
struct certificate_files {
  char folder[64], ca[96], crl[96];
};

/* Makes the files, and again removes them. */
const struct certificate_files *certificates_make(void);
void certificates_unmake(void);

/* A server with this certificate. */
SSL_CTX *certificates_server(const struct certificate *c);

/* The authority's, as files of a client. */
void certificates_write(const char *cert, const char *key);

#endif
