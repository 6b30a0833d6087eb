/*
 * tls.c - TLS as MariaDB's client library decides.
 */
#include "drivers/mysql/tls.h"

#include <string.h>

#include "db/env.h"
#include "drivers/mysql/options.h"
#include "drivers/wire/tls.h"

/* False: old versions, or words that the library would search. */
static bool tls_take_versions(const struct opt_list *versions,
                              struct tls_wishes *to)
{
  to->no_12 = to->no_13 = versions->n > 0;
  for (size_t i = 0; i < versions->n; i++) {
    if (strcmp(versions->items[i], "TLSv1.2") == 0)
      to->no_12 = false;
    else if (strcmp(versions->items[i], "TLSv1.3") == 0)
      to->no_13 = false;
    else
      return false;
  }
  return true;
}

/* One file may have both, certificate and key. */
static void *tls_make_context(const void *cfg)
{
  const struct tls_settings tls = mysqld_tls_settings(cfg);
  struct tls_wishes w = {
    .ca = opt_or_null(tls.ca),
    .usual_ca = tls.mode >= TLS_VERIFY_CA,
    .cert = opt_or_null(tls.cert),
    .key = opt_or_null(tls.key),
    .ciphers = opt_or_null(tls.cipher),
    .resume = ((const struct mysql_cfg *)cfg)->tls_resume
  };

  w.cert = w.cert ? w.cert : w.key;
  w.key = w.key ? w.key : w.cert;
  return mysqld_shim_decides_as_openssl(&tls) &&
             tls_take_versions(tls.versions, &w)
           ? tls_context_new(&w)
           : NULL;
}

struct tls_context *mysqld_tls_context(const struct session *s)
{
  return s->env ? process_shared(s->env->process, s->cfg, tls_make_context,
                                 tls_context_free)
                : NULL;
}
