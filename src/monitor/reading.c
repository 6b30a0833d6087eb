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
    if (is_for(s->queries[i].min, s->queries[i].max, version))
      ret->queries |= 1u << i;
  }
  for (size_t i = 0; i < s->n_fast; i++) {
    if (is_for(s->fast[i].min, s->fast[i].max, version) &&
        (s->fast[i].with & ~can) == 0 && (s->fast[i].without & can) == 0)
      ret->fast |= 1u << i;
  }
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
  unsigned rank[SERVER_FIGURES]; /* of the item whose value is there, and 1 */
};

static void put(struct target *t, unsigned item, double value)
{
  const struct monitor_item *i = &t->query->items[item];
  struct server_reading *r = t->to;

  if (i->less)
    value = -value;
  if (i->add && r->has[i->figure])
    value += r->value[i->figure];
  else if (!i->add && t->rank[i->figure] > 0 && t->rank[i->figure] <= item + 1)
    return; /* an item above this one */
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
  for (unsigned i = 0; q->items[i].key; i++)
    strbuf_addf(names, "%s%s", i > 0 ? ", " : "",
                figures_info[q->items[i].figure].name);
}

static void give_up_query(struct link *l, const struct monitor_query *q,
                          struct server_gaps *gaps)
{
  struct strbuf names = { 0 };

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

bool reading_take(struct link *l, const struct monitor_source *s,
                  struct server_access *access, struct server_gaps *gaps,
                  struct server_reading *ret)
{
  *ret = (struct server_reading){ .at_ns = clock_now_ns() };
  for (size_t i = 0; i < s->n_queries; i++) {
    if (!(access->queries & 1u << i) || ask(l, &s->queries[i], ret))
      continue;
    if (l->lost)
      return false;
    access->queries &= ~(1u << i);
    give_up_query(l, &s->queries[i], gaps);
  }
  ret->took_ns = clock_now_ns() - ret->at_ns;
  return true;
}

/* ---- sessions ---- */

static void count_wait(struct server_waits *w, const char *name, size_t len,
                       uint64_t sessions)
{
  unsigned i = 0;

  if (len >= SERVER_WAIT_NAME)
    len = SERVER_WAIT_NAME - 1;
  while (i < w->n &&
         (strncmp(w->of[i].name, name, len) != 0 || w->of[i].name[len] != '\0'))
    i++;
  if (i == SERVER_WAITS)
    return;
  if (i == w->n) {
    memcpy(w->of[i].name, name, len);
    w->of[i].name[len] = '\0';
    w->of[i].sessions = 0;
    w->n++;
  }
  w->of[i].sessions += sessions;
}

static void take_session(void *ctx, const sql_value *v, unsigned n)
{
  struct server_waits *w = ctx;
  double sessions = 0, locked = 0;

  if (n < 4 || !v[0].ptr || v[0].len == 0 || !reading_number(&v[2], &sessions))
    return;
  (void)reading_number(&v[3], &locked);
  switch (*v[0].ptr) {
  case 'c':
    w->checkpoints++;
    break;
  case 'v':
    w->vacuums += (uint64_t)sessions;
    break;
  default:
    w->waiting += (uint64_t)locked;
    if (v[1].ptr)
      count_wait(w, v[1].ptr, v[1].len, (uint64_t)sessions);
  }
}

bool reading_look(struct link *l, const struct monitor_source *s,
                  struct server_access *access, struct server_gaps *gaps,
                  struct server_waits *to)
{
  const uint64_t begun = clock_now_ns();

  for (size_t i = 0; i < s->n_fast; i++) {
    if (!(access->fast & 1u << i) ||
        link_query(l, s->fast[i].sql, take_session, to))
      continue;
    if (l->lost)
      return false;
    access->fast &= ~(1u << i);
    server_gaps_add(gaps, s->fast[i].subject, l->why);
  }
  to->looks += access->fast != 0;
  to->took_ns += clock_now_ns() - begun;
  return true;
}

static void level(struct server_reading *r, enum server_figure f, uint64_t sum,
                  uint64_t looks)
{
  r->has[f] = true;
  r->value[f] = (double)sum / (double)looks;
}

void reading_levels(const struct monitor_source *s,
                    const struct server_access *access,
                    const struct server_waits *w, struct server_reading *ret)
{
  for (size_t i = 0; i < s->n_fast && w->looks > 0; i++) {
    const char *kinds = s->fast[i].kinds;

    if (!(access->fast & 1u << i))
      continue;
    if (strchr(kinds, 'w'))
      level(ret, SERVER_LOCK_WAITING, w->waiting, w->looks);
    if (strchr(kinds, 'v') && access->sees_all)
      level(ret, SERVER_VACUUM_RUNNING, w->vacuums, w->looks);
    if (strchr(kinds, 'c') && access->sees_all)
      level(ret, SERVER_CHECKPOINT_RUNNING, w->checkpoints, w->looks);
  }
}

void server_waits_add(struct server_waits *to, const struct server_waits *more)
{
  to->looks += more->looks;
  to->took_ns += more->took_ns;
  to->waiting += more->waiting;
  to->checkpoints += more->checkpoints;
  to->vacuums += more->vacuums;
  for (unsigned i = 0; i < more->n; i++)
    count_wait(to, more->of[i].name, strlen(more->of[i].name),
               more->of[i].sessions);
}
