/*
 * database.c - is the server ready for this run?
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/facts.h"
#include "base/strbuf.h"
#include "db/conn.h"
#include "db/durable.h"
#include "db/env.h"
#include "db/env_conns.h"
#include "db/look.h"
#include "doctor/doctor.h"
#include "doctor/findings.h"

static void put_fact(void *ctx, const char *key, const char *value)
{
  facts_text(ctx, key, value);
}

static const char *text_of(const struct facts *f, const char *key,
                           const char *otherwise)
{
  const struct fact *one = facts_find(f, key);

  return one && one->type == FACT_TEXT ? one->text : otherwise;
}

static void look_at_server(struct findings *to, struct conn *c)
{
  const struct driver *d = c->driver;
  struct strbuf target = { 0 };
  struct facts f = { 0 };
  const char *version, *comment, *snapshot;

  if (d->about)
    d->about(c->session, put_fact, &f);
  if (d->server_settings)
    d->server_settings(c->session, put_fact, &f);
  d->target(c->session, &target);
  version = text_of(&f, "server_version", "");
  comment = text_of(&f, "version_comment", "");
  findings_add(to, FINDING_OK, "server", NULL, "%s%s%s%s%s%s, %s", d->name,
               *version ? " " : "", version, *comment ? " (" : "", comment,
               *comment ? ")" : "", strbuf_str(&target));
  snapshot = text_of(&f, "innodb_snapshot_isolation", "");
  if (strcmp(snapshot, "ON") == 0)
    findings_add(
      to, FINDING_OK, "isolation", NULL,
      "innodb_snapshot_isolation = ON: transactions that change the "
      "same rows at repeatable-read fail and restart; see --isolation");
  strbuf_done(&target);
  facts_done(&f);
}

static void look_at_durability(struct findings *to, struct conn *c)
{
  struct strbuf gaps = { 0 };
  struct facts f = { 0 };
  bool usual;

  if (!c->driver->server_settings || !c->driver->durable)
    return;
  c->driver->server_settings(c->session, put_fact, &f);
  if (f.n == 0)
    return;
  if (durable_gaps(c->driver->durable, &f, &gaps, &usual) > 0)
    findings_add(to, usual ? FINDING_OK : FINDING_WARN, "durability",
                 usual ? NULL
                       : "writes are faster here than where they are durable",
                 "%s", strbuf_str(&gaps));
  else
    findings_add(to, FINDING_OK, "durability", NULL,
                 "a COMMIT waits for the disk");
  strbuf_done(&gaps);
  facts_done(&f);
}

static void look_at_limits(struct findings *to, struct conn *c,
                           const struct run_facts *facts)
{
  struct driver_limit limit[DRIVER_LIMITS] = { { 0 } };
  const size_t n = c->driver->limits
                     ? c->driver->limits(c->session, facts, limit)
                     : 0;

  for (size_t i = 0; i < n; i++) {
    const struct driver_limit *l = &limit[i];
    const uint64_t left = l->allowed > l->used ? l->allowed - l->used : 0;
    const bool enough = left >= l->needed;

    findings_add(to,
                 enough    ? FINDING_OK
                 : l->hard ? FINDING_FAIL
                           : FINDING_WARN,
                 l->subject, enough ? NULL : l->advice,
                 "%s is %" PRIu64 ", %" PRIu64 " in use, the run needs up to "
                 "%" PRIu64,
                 l->setting, l->allowed, l->used, l->needed);
  }
}

/* In a row; missing or not reported. */
static unsigned count_unknown(const struct tables_look *look)
{
  unsigned n = 0;

  for (unsigned i = 0; i < look->n; i++)
    n += !look->of[i].known;
  return n;
}

enum {
  NAMES_SIZE = 48
};

/* "sbtest1", or "sbtest1 to sbtest8". */
static const char *tables_name(const struct tables_look *look,
                               char text[NAMES_SIZE])
{
  if (look->n == 1)
    return "sbtest1";
  (void)snprintf(text, NAMES_SIZE, "sbtest1 to sbtest%u", look->n);
  return text;
}

static void look_at_rows(struct findings *to, const struct tables_look *look,
                         const struct run_facts *facts)
{
  struct strbuf lines = { 0 };
  char names[NAMES_SIZE];
  const char *line;

  look_warn(look, facts, &lines);
  look_warn_unused(look, facts, &lines);
  line = strbuf_str(&lines);
  if (*line == '\0')
    findings_add(to, FINDING_OK, "tables", NULL,
                 "%s: the ids reach the %" PRIu64 " of %s, or nearly",
                 tables_name(look, names), facts->rows, facts->rows_option);
  while (*line) {
    const size_t len = strcspn(line, "\n");

    findings_add(to, FINDING_WARN, "tables", "use the --table-size of prepare",
                 "%.*s", (int)len, line);
    line += len + (line[len] == '\n');
  }
  strbuf_done(&lines);
}

static void look_at_the_tables(struct findings *to, struct conn *c,
                               const struct run_facts *facts)
{
  struct tables_look look;
  char names[NAMES_SIZE];
  unsigned unknown;

  if (!facts->bundled || facts->rows == 0 ||
      !(c->driver->caps & DRIVER_KEEPS_ROWS))
    return;
  look_at_tables(c, facts, &look);
  unknown = count_unknown(&look);
  if (unknown > 0)
    findings_add(to, FINDING_FAIL, "tables",
                 "run the prepare command with the same options",
                 "%u of %u (%s) cannot be read", unknown, look.n,
                 tables_name(&look, names));
  else
    look_at_rows(to, &look, facts);
}

/* A pooler may give two connections different sessions for some time. */
static bool has_own_session(struct conn *c, struct conn *other)
{
  enum {
    TURNS = 5
  };
  static const bool is_other[TURNS] = { false, true, false, false, true };
  uint64_t first[2] = { 0 }, id;

  for (unsigned i = 0; i < TURNS; i++) {
    if (!look_at_backend(is_other[i] ? other : c, &id))
      return true; /* not known */
    if (i < 2)
      first[i] = id;
    else if (id != first[is_other[i]])
      return false;
  }
  return first[0] != first[1];
}

static void look_at_pooler(struct findings *to, struct driver_handle *h,
                           struct conn *c)
{
  struct conn *other = c->driver->backend_query ? conn_open(h, NULL) : NULL;
  static const char begin[] = "BEGIN";

  if (!other)
    return;
  if (has_own_session(c, other))
    findings_add(to, FINDING_OK, "sessions", NULL,
                 "each connection has a session of the server to itself");
  else
    findings_add(to, FINDING_WARN, "sessions",
                 "use --db-ps-mode=disable if prepared statements fail",
                 "a pooler in between shares the sessions of the server");
  (void)conn_query(other, begin, sizeof(begin) - 1);
  if (other->pub.error != DB_ERROR_NONE)
    findings_add(to, FINDING_FAIL, "transactions",
                 "let the pooler share sessions by transaction (pool_mode)",
                 "BEGIN is refused: %s", conn_failure(other)->text);
  conn_free(other);
}

static void look_at(struct findings *to, struct driver_handle *h,
                    struct conn *c, const struct run_facts *facts)
{
  const uint64_t until_ns = conn_ask(c);

  look_at_server(to, c);
  look_at_durability(to, c);
  look_at_limits(to, c, facts);
  if (clock_now_ns() < until_ns)
    look_at_the_tables(to, c, facts);
  if (clock_now_ns() < until_ns)
    look_at_pooler(to, h, c);
  if (!conn_asked(c, until_ns))
    findings_add(to, FINDING_FAIL, "answers",
                 "see --db-query-timeout and --db-connect-timeout",
                 "the server lets clients in, and does not answer in time");
}

void doctor_database(struct findings *to, struct db_process *db)
{
  struct db_env env = { .process = db, .rng = 1 };
  struct driver_handle *h;
  struct conn *c = NULL;

  h = env_driver(&env, NULL);
  if (h)
    c = conn_open(h, NULL);
  if (c) {
    look_at(to, h, c, &db->facts);
    conn_free(c);
  } else {
    findings_add(to, FINDING_FAIL, "server",
                 "the error message says why; see the options of the driver",
                 "no connection");
  }
  env_done(&env);
}
