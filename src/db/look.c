#include "db/look.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "base/minmax.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "db/call.h"

/* share of deleted rows */
#define FEW 0.01
/* rows that runs add to one of several tables, or remove */
#define ALIKE 0.1

bool look_at_number(struct conn *c, const char *sql, uint64_t *ret)
{
  sql_value v = { 0 };
  char text[32];
  int64_t n = 0;
  bool told;

  c->out = (struct outcome){ 0 };
  (void)call_start(c); /* the table can be locked */
  told = call_query(c, sql, strlen(sql)) == 0 && c->out.nfields == 1 &&
         c->driver->fetch(c->session, &v) == 1;
  if (told && v.ptr) {
    (void)snprintf(text, sizeof(text), "%.*s", (int)v.len, v.ptr);
    told = parse_int(text, &n) == 0;
  }
  if (!c->out.lost && (told || !(c->out.code || c->out.state[0])))
    (void)call_end_results(c);
  call_stop(c);
  if (told)
    *ret = n > 0 ? (uint64_t)n : 0;
  return told;
}

bool look_executes(struct conn *c, const char *sql)
{
  return call_own(c, sql) == 0;
}

bool look_at_data(struct conn *c, uint64_t *ret)
{
  const bool told = c->driver->data_query &&
                    look_at_number(c, c->driver->data_query, ret);

  c->out = (struct outcome){ 0 };
  return told;
}

bool look_at_backend(struct conn *c, uint64_t *ret)
{
  return look_at_number(c, c->driver->backend_query, ret);
}

static bool look_differs(uint64_t a, uint64_t b)
{
  return (double)min_u64(a, b) < (1 - ALIKE) * (double)max_u64(a, b);
}

void look_at_size(struct conn *c, uint64_t most, bool alike,
                  struct size_look *ret)
{
  uint64_t first = 0, rows;
  char sql[64];

  *ret = (struct size_look){ 0 };
  while (ret->tables < most) {
    (void)snprintf(sql, sizeof(sql), "SELECT MAX(id) FROM sbtest%" PRIu64,
                   ret->tables + 1);
    if (!look_at_number(c, sql, &rows))
      return;
    if (ret->tables == 0)
      first = rows;
    else if (alike && look_differs(rows, first))
      ret->other = true;
    if (ret->other)
      return;
    if (ret->tables < LOOK_TABLES)
      ret->each.of[ret->each.n++] = (struct table_look){ .known = true,
                                                         .rows = rows };
    ret->tables++;
    if (rows > ret->rows)
      ret->rows = rows;
  }
}

void look_at_tables(struct conn *c, const struct run_facts *facts,
                    struct tables_look *ret)
{
  *ret = (struct tables_look){
    .n = facts->tables < LOOK_TABLES ? (unsigned)facts->tables : LOOK_TABLES,
  };
  for (unsigned i = 0; i < ret->n; i++) {
    struct table_look *t = &ret->of[i];
    char sql[64];

    (void)snprintf(sql, sizeof(sql), "SELECT MAX(id) FROM sbtest%u", i + 1);
    t->known = look_at_number(c, sql, &t->rows);
    if (c->out.lost)
      return;
  }
}

void look_at_indexes(struct conn *c, struct tables_look *look)
{
  for (unsigned i = 0; i < look->n && c->driver->index_query; i++) {
    struct table_look *t = &look->of[i];
    char sql[256];
    uint64_t indexes;

    if (!t->known || c->out.lost)
      continue;
    (void)snprintf(sql, sizeof(sql), "%s'sbtest%u'", c->driver->index_query,
                   i + 1);
    t->unindexed = look_at_number(c, sql, &indexes) && indexes == 0;
  }
}

static double look_missing(const struct table_look *t, uint64_t wanted)
{
  if (!t->known || t->rows >= wanted)
    return 0;
  return (double)(wanted - t->rows) / (double)wanted;
}

struct lack {
  unsigned first, last;
  uint64_t min, max;
};

static void warn(struct strbuf *lines, const struct lack *l,
                 const struct run_facts *facts)
{
  const bool several = l->last > l->first;
  const double wanted = (double)facts->rows;
  struct strbuf names = { 0 };

  strbuf_addf(&names, "sbtest%u", l->first);
  if (several)
    strbuf_addf(&names, " to sbtest%u", l->last);
  if (l->max == 0)
    strbuf_addf(lines, "%s %s no rows", strbuf_str(&names),
                several ? "have" : "has");
  else
    strbuf_addf(lines, "the highest id of %s is %" PRIu64, strbuf_str(&names),
                l->min);
  if (l->max > l->min)
    strbuf_addf(lines, " to %" PRIu64, l->max);
  strbuf_addf(lines, " but %s is %" PRIu64 ", so at least ", facts->rows_option,
              facts->rows);
  if (l->max > l->min)
    strbuf_addf(lines, "%.4g to ", 100 * (wanted - (double)l->max) / wanted);
  strbuf_addf(lines, "%.4g %% of the keys do not exist\n",
              100 * (wanted - (double)l->min) / wanted);
  strbuf_done(&names);
}

void look_warn_missing(const struct tables_look *look, struct strbuf *lines)
{
  unsigned there = 0, first = 0;

  for (unsigned i = look->n; i-- > 0;) {
    there += look->of[i].known;
    if (!look->of[i].known)
      first = i + 1;
  }
  if (there > 0 && first > 0)
    strbuf_addf(
      lines,
      "the table 'sbtest%u' cannot be read, and %u of %u tables are "
      "there: prepare with the same options and --table-exists=resume "
      "loads the rest\n",
      first, there, look->n);
}

void look_unindexed(const struct tables_look *look, struct strbuf *text)
{
  unsigned n = 0, first = 0;

  for (unsigned i = look->n; i-- > 0;) {
    n += look->of[i].unindexed;
    if (look->of[i].unindexed)
      first = i + 1;
  }
  if (n == 0)
    return;
  strbuf_addf(text, "sbtest%u", first);
  if (n > 1)
    strbuf_addf(text, " and %u other table%s", n - 1, fmt_plural(n - 1));
  strbuf_addf(text,
              " ha%s no index on column k, so this is not the usual workload",
              n > 1 ? "ve" : "s");
}

void look_warn(const struct tables_look *look, const struct run_facts *facts,
               struct strbuf *lines)
{
  struct lack l = { 0 };

  for (unsigned i = 0; i <= look->n; i++) {
    const struct table_look *t = i < look->n ? &look->of[i] : NULL;

    if (!t || look_missing(t, facts->rows) <= FEW) {
      if (l.first > 0)
        warn(lines, &l, facts);
      l.first = 0;
      continue;
    }
    if (l.first == 0)
      l = (struct lack){ .first = i + 1, .min = t->rows, .max = t->rows };
    l.last = i + 1;
    l.min = t->rows < l.min ? t->rows : l.min;
    l.max = t->rows > l.max ? t->rows : l.max;
  }
}
