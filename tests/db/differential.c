/*
 * differential.c - the same statements through the client library and through
 * the protocol of our own: all that scripts see has to be equal.
 *
 * Arguments are options of the driver.  The statements are made from a fixed
 * seed; each connection has a temporary table of its own for those that write.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "differential.h"

enum {
  STATEMENTS = 2000,
  SLOTS = 8, /* statements that stay prepared */
};

/* ---- one side ---- */

struct side {
  struct rig rig;
  struct stmt *slot[SLOTS];
};

/* What a call has shown, as text: easy to compare and to print. */
static void note_value(struct strbuf *to, const sql_value *v)
{
  if (!v->ptr) {
    strbuf_adds(to, " NULL");
    return;
  }
  strbuf_addf(to, " %u'", v->len);
  strbuf_add(to, v->ptr, v->len);
  strbuf_adds(to, "'");
}

static void note_rows(struct strbuf *to, sql_result *rs)
{
  sql_row *row;
  uint64_t n = 0;

  strbuf_addf(to, "result %u columns, %u rows, counter %d;", rs->nfields,
              rs->nrows, (int)rs->counter);
  for (; n < rs->nrows && (row = conn_fetch_row(rs)) != NULL; n++) {
    strbuf_adds(to, " row");
    for (uint32_t i = 0; i < rs->nfields; i++)
      note_value(to, &row->values[i]);
  }
  strbuf_addf(to, " (%" PRIu64 ")\n", n);
}

static void note_error(struct strbuf *to, struct conn *c)
{
  struct conn_message m;

  if (c->pub.error == DB_ERROR_NONE)
    return;
  strbuf_addf(to, "error class %d, code %d, state %s: %s\n", (int)c->pub.error,
              c->pub.sql_errno, c->pub.sql_state ? c->pub.sql_state : "-",
              c->pub.sql_errmsg ? c->pub.sql_errmsg : "-");
  m = conn_take_message(c);
  strbuf_addf(to, "message %s\n", strbuf_str(&m.lines));
  conn_drop_message(&m);
}

/* The classification of all statements so far. */
static void note_counters(struct strbuf *to, const struct side *s)
{
  strbuf_addf(to, "read %" PRIu64 " write %" PRIu64 " other %" PRIu64,
              counted(&s->rig, COUNTER_READ), counted(&s->rig, COUNTER_WRITE),
              counted(&s->rig, COUNTER_OTHER));
  strbuf_addf(to, " errors %" PRIu64 " transaction %d\n",
              counted(&s->rig, COUNTER_ERROR), (int)s->rig.con->session->trx);
}

static void run_direct(struct side *s, const struct made *m, struct strbuf *to)
{
  struct conn *c = s->rig.con;
  sql_result *rs = conn_query(c, m->sql.text, m->sql.len);

  for (;;) {
    note_error(to, c);
    if (rs && m->fetch)
      note_rows(to, rs);
    else if (rs)
      strbuf_addf(to, "result %u columns, %u rows\n", rs->nfields, rs->nrows);
    if (m->leave || !conn_more_results(c))
      break;
    rs = conn_next_result(c);
  }
  if (rs)
    (void)conn_free_results(rs);
}

static void run_prepared(struct side *s, const struct made *m,
                         struct strbuf *to)
{
  struct conn *c = s->rig.con;
  struct stmt **st = &s->slot[m->slot];
  sql_result *rs;

  if (*st && m->fresh) {
    (void)stmt_close(*st);
    stmt_free(*st);
    *st = NULL;
  }
  if (!*st)
    *st = stmt_prepare(c, m->sql.text, m->sql.len);
  note_error(to, c);
  if (!*st)
    return;
  if (m->n_binds > 0 && stmt_bind(*st, m->binds, m->n_binds) != 0) {
    note_error(to, c);
    return;
  }
  rs = stmt_execute(*st);
  for (;;) {
    note_error(to, c);
    if (rs && m->fetch)
      note_rows(to, rs);
    else if (rs)
      strbuf_addf(to, "result %u columns, %u rows\n", rs->nfields, rs->nrows);
    if (!conn_more_results(c))
      break;
    rs = stmt_next_result(*st);
  }
  if (rs)
    (void)conn_free_results(rs);
}

static void run_made(struct side *s, const struct made *m, struct strbuf *to)
{
  strbuf_clear(to);
  if (m->prepared)
    run_prepared(s, m, to);
  else
    run_direct(s, m, to);
  note_counters(to, s);
}

/* ---- both ---- */

static bool side_open(struct side *s, const struct rig_settings *set,
                      const char *protocol, const char *const *setup)
{
  const char *const more[] = { protocol, NULL };
  struct rig_settings mine = *set;
  bool good;

  mine.more = more;
  good = rig_open(&s->rig, &mine);
  while (good && *setup)
    good = run_sql(s->rig.con, *setup++);
  return good;
}

static void side_close(struct side *s)
{
  for (size_t i = 0; i < SLOTS; i++)
    stmt_free(s->slot[i]);
  rig_close(&s->rig);
}

/* Long texts are cut where they begin to differ. */
static void show(const char *name, const struct strbuf *text, size_t from)
{
  printf("# %s:%s %.300s\n", name, from ? " ..." : "", text->text + from);
}

static bool same(const struct strbuf *a, const struct strbuf *b)
{
  size_t at = 0;

  if (a->len == b->len && memcmp(a->text, b->text, a->len) == 0)
    return true;
  while (at < a->len && at < b->len && a->text[at] == b->text[at])
    at++;
  at = at > 60 ? at - 60 : 0;
  show("wire", a, at);
  show("library", b, at);
  return false;
}

/* How much of what was meant to be covered was there. */
struct covered {
  unsigned prepared, direct, errors, nulls, several, rows;
};

static void cover(struct covered *c, const struct made *m,
                  const struct strbuf *seen)
{
  const char *first = strstr(seen->text, "result ");

  c->prepared += m->prepared;
  c->direct += !m->prepared;
  c->errors += strstr(seen->text, "error class") != NULL;
  c->nulls += strstr(seen->text, " NULL") != NULL;
  c->rows += first && strstr(first, " row ");
  c->several += first && strstr(first + 1, "result ");
}

/* All statements through both; `ps_mode`: prepared, or with values put in. */
static void compare(int argc, char **argv, const struct dialect *d, int ps_mode)
{
  const struct rig_settings set = { .argc = argc,
                                    .argv = argv,
                                    .ps_mode = ps_mode };
  struct side *wire = calloc(1, sizeof(*wire));
  struct side *library = calloc(1, sizeof(*library));
  struct strbuf a = { 0 }, b = { 0 };
  struct made m = { .random = 20240229 };
  struct covered c = { 0 };
  unsigned bad = 0;

  if (!side_open(wire, &set, d->wire, d->setup) ||
      !side_open(library, &set, d->library, d->setup)) {
    printf("Bail out! cannot connect\n");
    exit(1);
  }
  for (unsigned i = 0; i < STATEMENTS && bad < 10; i++) {
    make_statement(&m, d, wire->rig.con->session->trx == TRX_ABORTED, SLOTS);
    run_made(wire, &m, &a);
    run_made(library, &m, &b);
    cover(&c, &m, &a);
    if (same(&a, &b))
      continue;
    bad++;
    printf("# statement %u (%s, slot %u): %.300s\n", i,
           m.prepared ? "prepared" : "direct", m.slot, m.sql.text);
  }
  ok(bad == 0, "%d statements are the same through both, %s", STATEMENTS,
     ps_mode == PS_AUTO      ? "prepared"
     : ps_mode == PS_UNNAMED ? "unnamed"
                             : "emulated");
  ok(c.prepared > 500 && c.direct > 500 && c.errors > 100 && c.nulls > 100 &&
       c.several > 50 && c.rows > 500,
     "%u prepared, %u direct, %u with errors, %u with NULLs, %u with several "
     "results, %u with rows",
     c.prepared, c.direct, c.errors, c.nulls, c.several, c.rows);
  made_done(&m);
  side_close(wire);
  side_close(library);
  free(wire);
  free(library);
  strbuf_done(&a);
  strbuf_done(&b);
}

int main(int argc, char **argv)
{
  const struct dialect *d = dialect_of(argc, argv);

  if (!d) {
    printf("Bail out! which driver?\n");
    return 1;
  }
  compare(argc, argv, d, PS_AUTO);
  if (strcmp(argv[1], "--driver=pgsql") == 0)
    compare(argc, argv, d, PS_UNNAMED);
  compare(argc, argv, d, PS_DISABLE);
  return tap_end();
}
