/*
 * reading.c - asks a server for its figures.
 */
#include "monitor/reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "monitor/link.h"
#include "monitor/source.h"

enum {
  NUMBER_SIZE = 64
};

bool reading_number(const sql_value *v, double *ret)
{
  char text[NUMBER_SIZE];

  if (!v->ptr || v->len >= sizeof(text))
    return false;
  memcpy(text, v->ptr, v->len);
  text[v->len] = '\0';
  return parse_double(text, ret) == 0;
}

void server_gaps_add(struct server_gaps *gaps, const char *what,
                     const char *why)
{
  for (unsigned i = 0; i < gaps->n; i++) {
    if (strncmp(gaps->of[i].what, what, sizeof(gaps->of[0].what) - 1) == 0)
      return;
  }
  if (gaps->n == SERVER_GAPS)
    return;
  (void)snprintf(gaps->of[gaps->n].what, sizeof(gaps->of[0].what), "%s", what);
  (void)snprintf(gaps->of[gaps->n].why, sizeof(gaps->of[0].why), "%s", why);
  gaps->n++;
}

void server_gaps_remove(struct server_gaps *gaps, const char *what)
{
  unsigned k = 0;

  for (unsigned i = 0; i < gaps->n; i++) {
    if (strcmp(gaps->of[i].what, what) != 0)
      gaps->of[k++] = gaps->of[i];
  }
  gaps->n = k;
}

/* ---- what the server knows ---- */

static void take_number(void *ctx, const sql_value *v, unsigned n)
{
  if (n == 1)
    (void)reading_number(&v[0], ctx);
}

static void take_truth(void *ctx, const sql_value *v, unsigned n)
{
  *(bool *)ctx = n == 1 && v[0].len > 0 &&
                 (*v[0].ptr == 't' || *v[0].ptr == '1');
}

static bool is_for(unsigned min, unsigned max, double version)
{
  return version >= min && (max == 0 || version < max);
}

double reading_version(struct link *l, const struct monitor_source *s)
{
  double version = 0;

  if (s->version_sql)
    (void)link_query(l, s->version_sql, take_number, &version);
  return version;
}

static void ignore_row(void *ctx, const sql_value *v, unsigned n)
{
  (void)ctx, (void)v, (void)n;
}

/* The bits of what there is, and may be read; otherwise there is a gap.  False:
 * the connection is lost. */
static bool probe(struct link *l, const struct monitor_source *s, unsigned *ret,
                  struct server_gaps *gaps)
{
  *ret = 0;
  for (size_t i = 0; i < s->n_probes; i++) {
    const struct monitor_probe *p = &s->probes[i];
    bool has = !p->has_sql;

    if (p->has_sql && !link_query(l, p->has_sql, take_truth, &has) && l->lost)
      return false;
    if (!has)
      continue;
    if (link_query(l, p->may_sql, ignore_row, NULL))
      *ret |= 1u << i;
    else if (l->lost)
      return false;
    else
      server_gaps_add(gaps, p->subject, l->why);
  }
  return true;
}

bool reading_prepare(struct link *l, const struct monitor_source *s,
                     struct server_access *ret, struct server_gaps *gaps)
{
  const double version = reading_version(l, s);
  unsigned can;

  if (!probe(l, s, &can, gaps))
    return false;
  *ret = (struct server_access){ .sees_all = true };
  for (size_t i = 0; i < s->n_queries; i++) {
    if (is_for(s->queries[i].min, s->queries[i].max, version) &&
        (s->queries[i].with & ~can) == 0)
      ret->queries |= 1u << i;
  }
  for (size_t i = 0; i < s->n_fast; i++) {
    if (is_for(s->fast[i].min, s->fast[i].max, version) &&
        (s->fast[i].with & ~can) == 0 && (s->fast[i].without & can) == 0)
      ret->fast |= 1u << i;
  }
  if (s->started_sql)
    (void)link_query(l, s->started_sql, take_number, &ret->started);
  if (!s->sees_all_sql)
    return true;
  if (!link_query(l, s->sees_all_sql, take_truth, &ret->sees_all))
    return !l->lost;
  if (!ret->sees_all && gaps->n == 0)
    server_gaps_add(gaps, figures_info[SERVER_CHECKPOINT_RUNNING].name,
                    s->sees_all_hint);
  return true;
}

/* ---- figures ---- */

struct target {
  const struct monitor_query *query;
  struct server_reading *to;
  unsigned rank[SERVER_VALUES]; /* of the item whose value is there, and 1 */
};

static void put(struct target *t, unsigned item, double value)
{
  const struct monitor_item *i = &t->query->items[item];
  struct server_reading *r = t->to;
  const unsigned rank = t->rank[i->figure];

  if (rank > 0 && rank <= item + 1 &&
      !(i->add && t->query->items[rank - 1].add))
    return; /* an item above this one */
  if (i->less)
    value = -value;
  if (i->add && r->has[i->figure])
    value += r->value[i->figure];
  r->has[i->figure] = true;
  r->value[i->figure] = value;
  t->rank[i->figure] = item + 1;
}

static void take_columns(void *ctx, const sql_value *v, unsigned n)
{
  struct target *t = ctx;
  double value;

  for (unsigned i = 0; i < n && t->query->items[i].key; i++) {
    if (reading_number(&v[i], &value))
      put(t, i, value);
  }
}

static void take_named(void *ctx, const sql_value *v, unsigned n)
{
  struct target *t = ctx;
  double value;

  if (n < 2 || !v[0].ptr || !reading_number(&v[1], &value))
    return;
  for (unsigned i = 0; t->query->items[i].key; i++) {
    const char *key = t->query->items[i].key;

    if (strlen(key) == v[0].len && strncasecmp(key, v[0].ptr, v[0].len) == 0)
      put(t, i, value);
  }
}

static void status_query(const struct monitor_query *q, struct strbuf *sql)
{
  strbuf_adds(sql, "SHOW GLOBAL STATUS WHERE Variable_name IN (");
  for (unsigned i = 0; q->items[i].key; i++)
    strbuf_addf(sql, "%s'%s'", i > 0 ? "," : "", q->items[i].key);
  strbuf_adds(sql, ")");
}

static void name_figures(const struct monitor_query *q, struct strbuf *names)
{
  const char *last = NULL;

  for (unsigned i = 0; q->items[i].key; i++) {
    const enum server_figure f = q->items[i].figure;
    /* All parts are those of the commits. */
    const char *name =
      figures_info[f < SERVER_FIGURES ? f : SERVER_COMMITS].name;

    if (name != last)
      strbuf_addf(names, "%s%s", last ? ", " : "", name);
    last = name;
  }
}

/* Does it only serve for figures that follow from other counts without it? */
static bool is_extra(const struct monitor_query *q)
{
  for (unsigned i = 0; q->items[i].key; i++) {
    if (q->items[i].figure < SERVER_FIGURES)
      return false;
  }
  return true;
}

static void give_up_query(struct link *l, const struct monitor_query *q,
                          struct server_gaps *gaps)
{
  struct strbuf names = { 0 };

  if (is_extra(q))
    return;
  name_figures(q, &names);
  server_gaps_add(gaps, strbuf_str(&names), l->why);
  strbuf_done(&names);
}

static bool ask(struct link *l, const struct monitor_query *q,
                struct server_reading *ret)
{
  struct target t = { .query = q, .to = ret };
  struct strbuf sql = { 0 };
  bool ok;

  if (q->sql)
    return link_query(l, q->sql, take_columns, &t);
  status_query(q, &sql);
  ok = link_query(l, strbuf_str(&sql), take_named, &t);
  strbuf_done(&sql);
  return ok;
}

/* All queries with a text as one, so that they take one round trip; its columns
 * are theirs, one after the other.  Returns how many they are. */
static unsigned join_queries(const struct monitor_source *s, unsigned which,
                             struct strbuf *sql)
{
  unsigned n = 0;

  for (size_t i = 0; i < s->n_queries; i++) {
    if (!(which & 1u << i))
      continue;
    strbuf_addf(sql, "%s(%s) q%u", n == 0 ? "SELECT * FROM " : ", ",
                s->queries[i].sql, n);
    n++;
  }
  return n;
}

/* The columns of all queries that are joined. */
struct columns {
  const struct monitor_source *source;
  unsigned which;
  struct server_reading *to;
};

static void take_joined(void *ctx, const sql_value *v, unsigned n)
{
  const struct columns *c = ctx;

  for (size_t i = 0; i < c->source->n_queries; i++) {
    const struct monitor_query *q = &c->source->queries[i];
    struct target t = { .query = q, .to = c->to };
    unsigned k = 0;

    if (!(c->which & 1u << i))
      continue;
    while (q->items[k].key)
      k++;
    if (k > n)
      return;
    take_columns(&t, v, k);
    v += k;
    n -= k;
  }
}

/* The bits of the queries that were read together; 0: the server refuses one
 * of them, and so all, or there are not several. */
static unsigned take_at_once(struct link *l, const struct monitor_source *s,
                             const struct server_access *access,
                             struct server_reading *ret)
{
  struct columns c = { s, 0, ret };
  struct strbuf sql = { 0 };
  unsigned done = 0;

  for (size_t i = 0; i < s->n_queries; i++)
    c.which |= s->queries[i].sql ? access->queries & 1u << i : 0;
  if (!access->apart && join_queries(s, c.which, &sql) > 1 &&
      link_query_often(l, strbuf_str(&sql), take_joined, &c))
    done = c.which;
  strbuf_done(&sql);
  return done;
}

bool reading_take(struct link *l, const struct monitor_source *s,
                  struct server_access *access, struct server_gaps *gaps,
                  struct server_reading *ret)
{
  unsigned done, refused = 0, one_by_one = 0;

  *ret = (struct server_reading){ .at_ns = clock_now_ns() };
  l->lost = false;
  done = take_at_once(l, s, access, ret);
  for (size_t i = 0; i < s->n_queries && !l->lost; i++) {
    if (!(access->queries & ~done & 1u << i))
      continue;
    one_by_one += s->queries[i].sql != NULL;
    if (ask(l, &s->queries[i], ret) || l->lost)
      continue;
    refused++;
    access->queries &= ~(1u << i);
    give_up_query(l, &s->queries[i], gaps);
  }
  /* Together they do not work, although each of them does. */
  access->apart |= one_by_one > 1 && refused == 0;
  ret->took_ns = clock_now_ns() - ret->at_ns;
  return !l->lost;
}
