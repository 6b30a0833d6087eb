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

/* ---- abilities of the server ---- */

static void reading_take_number(void *ctx, const sql_value *v, unsigned n)
{
  if (n == 1)
    (void)reading_number(&v[0], ctx);
}

static void reading_take_truth(void *ctx, const sql_value *v, unsigned n)
{
  *(bool *)ctx = n == 1 && v[0].len > 0 &&
                 (*v[0].ptr == 't' || *v[0].ptr == '1');
}

static bool reading_is_for(unsigned min, unsigned max, double version)
{
  return version >= min && (max == 0 || version < max);
}

double reading_version(struct link *l, const struct monitor_source *s)
{
  double version = 0;

  if (s->version_sql)
    (void)link_query(l, s->version_sql, reading_take_number, &version);
  return version;
}

static void reading_ignore_row(void *ctx, const sql_value *v, unsigned n)
{
  (void)ctx, (void)v, (void)n;
}

/* Sets the bits of what this user can read; adds gaps for the rest. False: the
 * connection is lost. */
static bool reading_probe(struct link *l, const struct monitor_source *s,
                          unsigned *ret, struct server_gaps *gaps)
{
  *ret = 0;
  for (size_t i = 0; i < s->n_probes; i++) {
    const struct monitor_probe *p = &s->probes[i];
    bool has = !p->has_sql;

    if (p->has_sql && !link_query(l, p->has_sql, reading_take_truth, &has) &&
        l->lost)
      return false;
    if (!has)
      continue;
    if (link_query(l, p->may_sql, reading_ignore_row, NULL))
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

  if (!reading_probe(l, s, &can, gaps))
    return false;
  *ret = (struct server_access){ .sees_all = true };
  for (size_t i = 0; i < s->n_queries; i++) {
    if (reading_is_for(s->queries[i].min, s->queries[i].max, version) &&
        (s->queries[i].with & ~can) == 0)
      ret->queries |= 1u << i;
  }
  for (size_t i = 0; i < s->n_fast; i++) {
    if (reading_is_for(s->fast[i].min, s->fast[i].max, version) &&
        (s->fast[i].with & ~can) == 0 && (s->fast[i].without & can) == 0)
      ret->fast |= 1u << i;
  }
  if (s->started_sql)
    (void)link_query(l, s->started_sql, reading_take_number, &ret->started);
  if (!s->sees_all_sql)
    return true;
  if (!link_query(l, s->sees_all_sql, reading_take_truth, &ret->sees_all))
    return !l->lost;
  if (!ret->sees_all && gaps->n == 0)
    server_gaps_add(gaps, server_metrics_info[SERVER_CHECKPOINT_RUNNING].name,
                    s->sees_all_hint);
  return true;
}

/* ---- figures ---- */

struct reading_target {
  const struct monitor_query *query;
  struct server_reading *to;
  unsigned rank[SERVER_VALUES]; /* the item whose value is there, plus 1 */
};

static void reading_put(struct reading_target *t, unsigned item, double value)
{
  const struct monitor_item *i = &t->query->items[item];
  struct server_reading *r = t->to;
  const unsigned rank = t->rank[i->metric];

  if (rank > 0 && rank <= item + 1 &&
      !(i->add && t->query->items[rank - 1].add))
    return;
  if (i->less)
    value = -value;
  if (i->add && r->has[i->metric])
    value += r->value[i->metric];
  r->has[i->metric] = true;
  r->value[i->metric] = value;
  t->rank[i->metric] = item + 1;
}

static void reading_take_columns(void *ctx, const sql_value *v, unsigned n)
{
  struct reading_target *t = ctx;
  double value;

  for (unsigned i = 0; i < n && t->query->items[i].key; i++) {
    if (reading_number(&v[i], &value))
      reading_put(t, i, value);
  }
}

static void reading_take_named(void *ctx, const sql_value *v, unsigned n)
{
  struct reading_target *t = ctx;
  double value;

  if (n < 2 || !v[0].ptr || !reading_number(&v[1], &value))
    return;
  for (unsigned i = 0; t->query->items[i].key; i++) {
    const char *key = t->query->items[i].key;

    if (strlen(key) == v[0].len && strncasecmp(key, v[0].ptr, v[0].len) == 0)
      reading_put(t, i, value);
  }
}

static void reading_status_query(const struct monitor_query *q,
                                 struct strbuf *sql)
{
  strbuf_adds(sql, "SHOW GLOBAL STATUS WHERE Variable_name IN (");
  for (unsigned i = 0; q->items[i].key; i++)
    strbuf_addf(sql, "%s'%s'", i > 0 ? "," : "", q->items[i].key);
  strbuf_adds(sql, ")");
}

static void reading_name_figures(const struct monitor_query *q,
                                 struct strbuf *names)
{
  const char *last = NULL;

  for (unsigned i = 0; q->items[i].key; i++) {
    const enum server_metric f = q->items[i].metric;
    /* parts are those of the commits */
    const char *name =
      server_metrics_info[f < SERVER_METRICS ? f : SERVER_COMMITS].name;

    if (name != last)
      strbuf_addf(names, "%s%s", last ? ", " : "", name);
    last = name;
  }
}

/* Only for figures that follow from other counts without it. */
static bool reading_is_extra(const struct monitor_query *q)
{
  for (unsigned i = 0; q->items[i].key; i++) {
    if (q->items[i].metric < SERVER_METRICS)
      return false;
  }
  return true;
}

static void reading_give_up_query(struct link *l, const struct monitor_query *q,
                                  struct server_gaps *gaps)
{
  struct strbuf names = { 0 };

  if (reading_is_extra(q))
    return;
  reading_name_figures(q, &names);
  server_gaps_add(gaps, strbuf_str(&names), l->why);
  strbuf_done(&names);
}

static bool reading_ask(struct link *l, const struct monitor_query *q,
                        struct server_reading *ret)
{
  struct reading_target t = { .query = q, .to = ret };
  struct strbuf sql = { 0 };
  bool ok;

  if (q->sql)
    return link_query(l, q->sql, reading_take_columns, &t);
  reading_status_query(q, &sql);
  ok = link_query(l, strbuf_str(&sql), reading_take_named, &t);
  strbuf_done(&sql);
  return ok;
}

/* One round trip for all queries with a text; returns how many. */
static unsigned reading_join_queries(const struct monitor_source *s,
                                     unsigned which, struct strbuf *sql)
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

struct reading_columns {
  const struct monitor_source *source;
  unsigned which;
  struct server_reading *to;
};

static void reading_take_joined(void *ctx, const sql_value *v, unsigned n)
{
  const struct reading_columns *c = ctx;

  for (size_t i = 0; i < c->source->n_queries; i++) {
    const struct monitor_query *q = &c->source->queries[i];
    struct reading_target t = { .query = q, .to = c->to };
    unsigned k = 0;

    if (!(c->which & 1u << i))
      continue;
    while (q->items[k].key)
      k++;
    if (k > n)
      return;
    reading_take_columns(&t, v, k);
    v += k;
    n -= k;
  }
}

/* The bits of the queries read together; 0: refused, or not several. */
static unsigned reading_take_at_once(struct link *l,
                                     const struct monitor_source *s,
                                     const struct server_access *access,
                                     struct server_reading *ret)
{
  struct reading_columns c = { s, 0, ret };
  struct strbuf sql = { 0 };
  unsigned done = 0;

  for (size_t i = 0; i < s->n_queries; i++)
    c.which |= s->queries[i].sql ? access->queries & 1u << i : 0;
  if (!access->apart && reading_join_queries(s, c.which, &sql) > 1 &&
      link_query_often(l, strbuf_str(&sql), reading_take_joined, &c))
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
  done = reading_take_at_once(l, s, access, ret);
  for (size_t i = 0; i < s->n_queries && !l->lost; i++) {
    if (!(access->queries & ~done & 1u << i))
      continue;
    one_by_one += s->queries[i].sql != NULL;
    if (reading_ask(l, &s->queries[i], ret) || l->lost)
      continue;
    refused++;
    access->queries &= ~(1u << i);
    reading_give_up_query(l, &s->queries[i], gaps);
  }
  /* together they fail, although each works */
  access->apart |= one_by_one > 1 && refused == 0;
  ret->took_ns = clock_now_ns() - ret->at_ns;
  return !l->lost;
}

/* ---- what sessions do ---- */

static void reading_looks_count_wait(struct server_waits *w, const char *name,
                                     size_t len, uint64_t sessions)
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

static void reading_looks_take_session(void *ctx, const sql_value *v,
                                       unsigned n)
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
      reading_looks_count_wait(w, v[1].ptr, v[1].len, (uint64_t)sessions);
  }
}

/* One by one is less work for the server. */
bool server_waits_take(struct link *l, const struct monitor_source *s,
                       struct server_access *access, struct server_gaps *gaps,
                       struct server_waits *to)
{
  const uint64_t begun = clock_now_ns();

  for (size_t i = 0; i < s->n_fast; i++) {
    if (!(access->fast & 1u << i) ||
        link_query_often(l, s->fast[i].sql, reading_looks_take_session, to))
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

static void reading_looks_level(struct server_reading *r, enum server_metric f,
                                uint64_t sum, uint64_t looks)
{
  r->has[f] = true;
  r->value[f] = (double)sum / (double)looks;
}

void server_waits_levels(const struct monitor_source *s,
                         const struct server_access *access,
                         const struct server_waits *w,
                         struct server_reading *ret)
{
  for (size_t i = 0; i < s->n_fast && w->looks > 0; i++) {
    const char *kinds = s->fast[i].kinds;

    if (!(access->fast & 1u << i))
      continue;
    if (strchr(kinds, 'w'))
      reading_looks_level(ret, SERVER_LOCK_WAITING, w->waiting, w->looks);
    if (strchr(kinds, 'v') && access->sees_all)
      reading_looks_level(ret, SERVER_VACUUM_RUNNING, w->vacuums, w->looks);
    if (strchr(kinds, 'c') && access->sees_all)
      reading_looks_level(ret, SERVER_CHECKPOINT_RUNNING, w->checkpoints,
                          w->looks);
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
    reading_looks_count_wait(to, more->of[i].name, strlen(more->of[i].name),
                             more->of[i].sessions);
}

/* ---- raw counters ---- */

enum {
  NAME_SIZE = 128
};

struct raw_taking {
  struct raw_counters *to;
  bool first;
};

static int reading_raw_by_name(const void *a, const void *b)
{
  return strcmp(((const struct raw_counter *)a)->name,
                ((const struct raw_counter *)b)->name);
}

/* Left out without memory. */
static void reading_raw_append(struct raw_counters *c, const char *name,
                               double value)
{
  struct raw_counter *more = c->of;
  char *copy;

  if (c->n == c->room) {
    more = realloc(c->of, (c->room + 256) * sizeof(*more));
    if (!more)
      return;
    c->of = more;
    c->room += 256;
  }
  copy = strdup(name);
  if (copy)
    c->of[c->n++] = (struct raw_counter){ copy, value, value, false };
}

static void reading_raw_take_row(void *ctx, const sql_value *v, unsigned n)
{
  struct raw_taking *t = ctx;
  char name[NAME_SIZE];
  struct raw_counter key = { .name = name };
  struct raw_counter *known;
  double value;

  if (n < 2 || !v[0].ptr || v[0].len >= sizeof(name) ||
      !reading_number(&v[1], &value))
    return;
  memcpy(name, v[0].ptr, v[0].len);
  name[v[0].len] = '\0';
  if (t->first) {
    reading_raw_append(t->to, name, value);
    return;
  }
  known = t->to->n > 0 ? bsearch(&key, t->to->of, t->to->n, sizeof(key),
                                 reading_raw_by_name)
                       : NULL;
  if (known) {
    known->last = value;
    known->ended = true;
  }
}

bool raw_counters_take(struct raw_counters *c, struct link *l,
                       const struct monitor_source *s)
{
  const double version = reading_version(l, s);
  struct raw_taking t = { c, c->n == 0 };
  bool ok = true;

  for (size_t i = 0; i < s->n_raw; i++) {
    if (version < s->raw[i].min ||
        link_query(l, s->raw[i].sql, reading_raw_take_row, &t))
      continue;
    ok = false;
    if (l->lost)
      break;
  }
  if (t.first && c->n > 0)
    qsort(c->of, c->n, sizeof(c->of[0]), reading_raw_by_name);
  return ok;
}

void raw_counters_done(struct raw_counters *c)
{
  for (size_t i = 0; i < c->n; i++)
    free(c->of[i].name);
  free(c->of);
  *c = (struct raw_counters){ 0 };
}
