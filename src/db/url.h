/*
 * url.h - a connection URL taken apart.
 *
 *   SCHEME://USER:PASSWORD@HOST:PORT,HOST:PORT/PATH?NAME=VALUE&...
 *   SCHEME:PATH?NAME=VALUE&...
 *
 * All parts are percent-decoded.  Messages never quote the URL or a part of it,
 * since a password may be anywhere in one that is malformed.
 */
#ifndef BENCH_DB_URL_H
#define BENCH_DB_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "db/names.h"

struct err;

enum {
  URL_HOSTS = 32,
  URL_PARAMETERS = 64,
};

struct url_host {
  const char *host; /* without brackets; may be "" */
  const char *port; /* "": none; else a number from 1 to 65535 */
};

struct url {
  const char *scheme;          /* in lower case */
  bool has_authority;          /* it has // after the scheme */
  const char *user, *password; /* NULL: none */
  size_t n_hosts;
  struct url_host hosts[URL_HOSTS];
  const char *path; /* with // and a path: without its first /; "": none */
  size_t n_parameters;
  struct target_pair parameters[URL_PARAMETERS];
  char *memory; /* owned: all texts, `size` bytes */
  size_t size;
};

/* 0, -EINVAL with a reason, or -ENOMEM.  After success the caller ends it with
 * url_done(). */
int url_parse(const char *text, struct url *ret, struct err *err);
void url_done(struct url *url);

/* The value of the last parameter with this name (- and _ are the same), or
 * NULL. */
const char *url_parameter(const struct url *url, const char *name);

#endif
