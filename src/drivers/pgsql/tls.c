/*
 * tls.c - TLS as libpq decides.
 */
#include "drivers/pgsql/tls.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "db/env.h"
#include "drivers/pgsql/session.h"
#include "drivers/wire/tls.h"

enum {
  RULES_SINCE = 150000, /* libpq compared addresses otherwise before */
  FILES = 4,
  PATH_ROOM = 1024
};

enum file {
  FILE_CA,
  FILE_CRL,
  FILE_CERT,
  FILE_KEY
};

/* The option, or the file in the user's folder.  False: too long. */
static bool file_path(const char *option, const char *name, const char *home,
                      char to[PATH_ROOM])
{
  const int n = option && *option
                  ? snprintf(to, PATH_ROOM, "%s", option)
                  : snprintf(to, PATH_ROOM, "%s/.postgresql/%s", home, name);

  return n > 0 && n < PATH_ROOM;
}

static bool tls_is_there(const char *path)
{
  struct stat about;

  return stat(path, &about) == 0;
}

/* Only the user reads the key; root's group can, too. */
static bool tls_is_private(const char *path)
{
  struct stat about;

  if (stat(path, &about) < 0 || !S_ISREG(about.st_mode))
    return false;
  return (about.st_mode & (about.st_uid == 0 ? S_IWGRP | S_IXGRP | S_IRWXO
                                             : S_IRWXG | S_IRWXO)) == 0;
}

/* A missing file that was named is for libpq to report. */
static void *tls_make_context(const void *driver_cfg)
{
  const struct pgsql_cfg *cfg = driver_cfg;
  const char *home = getenv("HOME"), *mode = pgsql_sslmodes[cfg->sslmode];
  char path[FILES][PATH_ROOM];
  struct tls_wishes w = { 0 };

  if (PQlibVersion() < RULES_SINCE || !home || !*home ||
      (cfg->sslrootcert && strcmp(cfg->sslrootcert, "system") == 0) ||
      (cfg->sslkey && strchr(cfg->sslkey, ':')) /* a key of an engine */
      || !file_path(cfg->sslrootcert, "root.crt", home, path[FILE_CA]) ||
      !file_path(cfg->sslcrl, "root.crl", home, path[FILE_CRL]) ||
      !file_path(cfg->sslcert, "postgresql.crt", home, path[FILE_CERT]) ||
      !file_path(cfg->sslkey, "postgresql.key", home, path[FILE_KEY]))
    return NULL;
  if (tls_is_there(path[FILE_CA])) {
    w.ca = path[FILE_CA];
    w.crl = path[FILE_CRL];
  } else if (strncmp(mode, "verify-", 7) == 0) {
    return NULL;
  }
  if (tls_is_there(path[FILE_CERT])) {
    if (!tls_is_private(path[FILE_KEY]))
      return NULL;
    w.cert = path[FILE_CERT];
    w.key = path[FILE_KEY];
  }
  if (cfg->sslnegotiation == PGSQL_DIRECT)
    w.alpn = PGSQL_ALPN;
  return tls_context_new(&w);
}

struct tls_context *pgsql_tls_context(const struct session *s)
{
  return s->env ? process_shared(s->env->process, s->cfg, tls_make_context,
                                 tls_context_free)
                : NULL;
}

struct wanted {
  const char *host;
  bool is_address;
  bool no_other; /* a name of the host's kind was there */
};

enum {
  NAME_IS_OTHER = 0,
  NAME_FITS = 1,
  NAME_IS_WRONG = -1
};

/* `*` stands for one label, in front. */
static bool tls_fits_wildcard(const char *pattern, size_t n, const char *host)
{
  const size_t tail = n - 1, len = strlen(host);

  if (n < 2 || pattern[0] != '*' || pattern[1] != '.' || len < n)
    return false;
  return strcasecmp(pattern + 1, host + len - tail) == 0 &&
         !memchr(host, '.', len - tail);
}

static int tls_name_fits(const struct wanted *w, const uint8_t *bytes, size_t n)
{
  char name[512];

  if (memchr(bytes, '\0', n))
    return NAME_IS_WRONG;
  if (n >= sizeof(name))
    return NAME_IS_OTHER;
  memcpy(name, bytes, n);
  name[n] = '\0';
  return strcasecmp(name, w->host) == 0 || tls_fits_wildcard(name, n, w->host)
           ? NAME_FITS
           : NAME_IS_OTHER;
}

static int address_fits(const struct wanted *w, const uint8_t *bytes, size_t n)
{
  struct in6_addr six;
  struct in_addr four;

  if (n == sizeof(four))
    return inet_aton(w->host, &four) == 1 && memcmp(&four, bytes, n) == 0;
  if (n == sizeof(six))
    return inet_pton(AF_INET6, w->host, &six) == 1 &&
           memcmp(&six, bytes, n) == 0;
  return NAME_IS_WRONG;
}

static int tls_take_name(void *ctx, enum tls_name kind, const uint8_t *bytes,
                         size_t n)
{
  struct wanted *w = ctx;

  if (kind == TLS_NAME_OTHER)
    return w->no_other ? NAME_IS_OTHER : tls_name_fits(w, bytes, n);
  w->no_other |= (kind == TLS_NAME_IP) == w->is_address;
  return kind == TLS_NAME_IP ? address_fits(w, bytes, n)
                             : tls_name_fits(w, bytes, n);
}

bool pgsql_tls_is_for(const struct wire_tls *t, const char *host)
{
  struct in6_addr six;
  struct in_addr four;
  struct wanted w = { .host = host };

  w.is_address = inet_aton(host, &four) == 1 ||
                 inet_pton(AF_INET6, host, &six) == 1;
  return wire_tls_names(t, tls_take_name, &w) == NAME_FITS;
}
