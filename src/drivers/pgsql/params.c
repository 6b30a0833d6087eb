/*
 * params.c - chooses the server of a session, from options, a connection string
 * and explicit parameters.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "db/target.h"
#include "drivers/pgsql/session.h"

static bool is_set(const char *text)
{
  return text && *text;
}

static bool is_uri(const char *db)
{
  return strncmp(db, "postgresql://", 13) == 0 ||
         strncmp(db, "postgres://", 11) == 0;
}

/* `name key=value ...`: the first word has no `=`. */
static bool begins_with_name(const char *db)
{
  return db[strcspn(db, " =")] == ' ';
}

/* Parses a connection string; a plain name is left alone. */
static int parse_db(struct pgsql_params *p, const char *db, struct err *err)
{
  char *text = NULL;

  p->db = is_set(db) ? db : NULL;
  if (!p->db || (!is_uri(db) && !strchr(db, '=')))
    return 0;
  if (!is_uri(db) && begins_with_name(db)) {
    const size_t size = sizeof("dbname=") + strlen(db);

    p->conninfo = malloc(size);
    if (!p->conninfo)
      return err_set(err, -ENOMEM, "not enough memory");
    memcpy(p->conninfo, "dbname=", 7);
    memcpy(p->conninfo + 7, db, size - 7);
    p->db = p->conninfo;
  }
  p->parsed = PQconninfoParse(p->db, &text);
  if (p->parsed)
    return 0;
  if (text) {
    text[strcspn(text, "\n")] = '\0';
    (void)err_set(err, -EINVAL, "'pgsql-db': %s", text);
    PQfreemem(text);
    return -EINVAL;
  }
  return err_set(err, -ENOMEM, "not enough memory");
}

/* Returns the value in the connection string, or NULL. */
static const char *in_string(const struct pgsql_params *p, const char *key)
{
  for (const PQconninfoOption *o = p->parsed; o && o->keyword; o++) {
    if (strcmp(o->keyword, key) == 0)
      return is_set(o->val) ? o->val : NULL;
  }
  return NULL;
}

/* Returns the first of three that is set, or NULL. */
static const char *first_set(const char *a, const char *b, const char *c)
{
  if (is_set(a))
    return a;
  if (is_set(b))
    return b;
  return is_set(c) ? c : NULL;
}

static const char *item(const struct opt_list *list, size_t i)
{
  return i < list->n ? list->items[i] : NULL;
}

int pgsql_params_make(struct pgsql_params *p, const struct session *s,
                      struct err *err)
{
  const struct pgsql_cfg *cfg = s->cfg;
  const struct conn_params *own = s->params;
  const struct target t = target_pick(0, cfg->hosts.n ? cfg->hosts.n : 1,
                                      cfg->ports.n ? cfg->ports.n : 1,
                                      s->number, s->attempt);
  const bool elsewhere = own->host || own->socket;
  int rc;

  *p = (struct pgsql_params){ .cfg = cfg };
  rc = parse_db(p, own->db ? own->db : cfg->db, err);
  if (rc < 0)
    return rc;
  p->host = first_set(own->socket, own->host, in_string(p, "host"));
  if (!p->host && !in_string(p, "hostaddr") && !in_string(p, "service"))
    p->host = item(&cfg->hosts, t.host);
  p->port = first_set(own->port, in_string(p, "port"), NULL);
  if (!p->port && !in_string(p, "service"))
    p->port = item(&cfg->ports, elsewhere ? 0 : t.port);
  p->user = first_set(own->user, in_string(p, "user"),
                      in_string(p, "service") ? NULL : cfg->user);
  p->password = first_set(own->password, in_string(p, "password"),
                          cfg->password);
  if (!p->password)
    p->password = first_set(getenv("BENCH_PGSQL_PASSWORD"), NULL, NULL);
  p->by_service = in_string(p, "service") || is_set(getenv("PGSERVICE"));
  p->by_libpq = !p->host || pgsql_is_socket(p->host) ||
                in_string(p, "hostaddr") || strchr(p->host, ',');
  return 0;
}

void pgsql_params_done(struct pgsql_params *p)
{
  PQconninfoFree(p->parsed);
  free(p->conninfo);
}

/* libpq would try to connect first, and might report another error. */
static int check_root(const struct pgsql_cfg *cfg, struct err *err)
{
  const char *mode = cfg->sslmode >= 0 ? pgsql_sslmodes[cfg->sslmode] : "";
  const char *path = cfg->sslrootcert;

  if (strncmp(mode, "verify-", 7) != 0 || !is_set(path) ||
      strcmp(path, "system") == 0 || access(path, R_OK) == 0)
    return 0;
  return err_sys(
    err, "cannot read the CA file '%.300s' of --pgsql-sslrootcert,", path);
}

int pgsql_params_check(const struct pgsql_cfg *cfg, struct err *err)
{
  struct pgsql_params p = { .cfg = cfg };
  int rc = parse_db(&p, cfg->db, err);

  pgsql_params_done(&p);
  if (rc == 0)
    rc = check_root(cfg, err);
  return rc;
}

bool pgsql_is_socket(const char *host)
{
  return *host == '/' || *host == '@';
}

int pgsql_resolve(const char *host, uint64_t until_ns,
                  struct wire_addresses *ret, struct err *err)
{
  const int rc = wire_resolve(host, until_ns, ret, err);

  if (rc < 0)
    err_prefix(err, "could not translate host name \"%s\" to address", host);
  return rc;
}

bool pgsql_is_permanent(const char *state)
{
  return strncmp(state, "28", 2) == 0 || strcmp(state, "3D000") == 0;
}

size_t pgsql_servers(const void *cfg)
{
  const struct pgsql_cfg *c = cfg;

  return (c->hosts.n ? c->hosts.n : 1) * (c->ports.n ? c->ports.n : 1);
}

void pgsql_target(const struct session *s, struct strbuf *line)
{
  struct pgsql_params p;
  struct err err;

  if (pgsql_params_make(&p, s, &err) < 0)
    strbuf_adds(line, "the server");
  else if (!p.host)
    strbuf_addf(line, "port %s", p.port ? p.port : "5432");
  else
    strbuf_addf(line, "%s '%s', port %s",
                pgsql_is_socket(p.host) ? "socket" : "host", p.host,
                p.port ? p.port : "5432");
  pgsql_params_done(&p);
}
