/*
 * tls.h - the TLS settings for the client library.
 */
#ifndef BENCH_DRIVERS_MYSQL_TLS_H
#define BENCH_DRIVERS_MYSQL_TLS_H

struct opt_list;

enum tls_mode {
  TLS_DISABLED,
  TLS_PREFERRED,
  TLS_REQUIRED,
  TLS_VERIFY_CA,
  TLS_VERIFY_IDENTITY,
};

/* The settings; texts are borrowed from the options. */
struct tls_settings {
  enum tls_mode mode;
  const char *key, *cert, *ca, *cipher;
  const struct opt_list *versions;
};

#endif
