#include "db/figures/db_figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/facts.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "db/env.h"
#include "db/errtab.h"
#include "db/outage.h"
#include "report/life.h"
#include "report/warnings.h"
#include "run/plan.h"
#include "stats/tally.h"

#define EMPTY_BUNDLED 0.05
#define EMPTY_OTHER 0.5
#define LATE_NS NS_PER_S
#define WHOLE_STATEMENT 120 /* names of classes are cut */

static void db_figures_fill_error(struct error_count *to,
                                  const struct errtab_entry *from)
{
  (void)snprintf(to->source, sizeof(to->source), "%s", from->driver);
  if (from->code != 0)
    (void)snprintf(to->code, sizeof(to->code), "%d", from->code);
  else /* without error numbers */
    (void)snprintf(to->code, sizeof(to->code), "%s", from->state);
  (void)snprintf(to->state, sizeof(to->state), "%s", from->state);
  (void)snprintf(to->text, sizeof(to->text), "%s", from->text);
  to->count = atomic_load_explicit(&from->count, memory_order_relaxed);
}

static void db_figures_add_outages(struct outage *o, struct facts *to)
{
  const struct outage_times times = outage_times(o, clock_now_ns());

  facts_int(to, "reconnects", (int64_t)times.reconnects);
  facts_real(to, "longest_outage_s",
             (double)times.longest_ns / (double)NS_PER_S);
  facts_real(to, "without_connection_s",
             (double)times.total_ns / (double)NS_PER_S);
}

void db_figures_details(struct db_process *db, struct test_details *ret)
{
  size_t order[ERRTAB_MAX];
  size_t n;

  if (!atomic_load_explicit(&db->used, memory_order_relaxed))
    return;
  ret->has_database = true;
  process_describe(db, &ret->database);
  db_figures_add_outages(&db->outage, &ret->test);
  n = errtab_order(&db->errors, order);
  ret->error = calloc(n + 1, sizeof(*ret->error));
  if (!ret->error)
    return;
  ret->n_errors = n;
  for (size_t i = 0; i < n; i++)
    db_figures_fill_error(&ret->error[i], &db->errors.entry[order[i]]);
}

void db_figures_whole(struct db_process *db, const struct test_details *whole)
{
  if (whole->has_database)
    process_take_whole(db, &whole->database);
}

/* Only bundled scripts should not read missing rows. */
static void doubt_rows(struct db_process *db, const struct report *total,
                       struct warnings *to)
{
  const double reads = (double)total->counter[COUNTER_READ];
  const double empty = (double)total->counter[COUNTER_READ_EMPTY];
  const bool bundled = db->facts.bundled;

  if (db->facts.may_miss || !process_keeps_rows(db) || reads == 0.0 ||
      empty / reads < (bundled ? EMPTY_BUNDLED : EMPTY_OTHER))
    return;
  if (bundled && db->facts.rows > 0)
    warnings_add(to, !atomic_load(&db->keys_missing), "missing_rows",
                 "%.1f%% of the reads found no row, so the load is not the one "
                 "that you asked for; did prepare use %s=%llu?",
                 100.0 * empty / reads, db->facts.rows_option,
                 (unsigned long long)db->facts.rows);
  else
    warnings_add(to, bundled, "missing_rows",
                 "%.1f%% of the reads found no row", 100.0 * empty / reads);
}

static void doubt_durability(struct db_process *db, const struct report *total,
                             struct warnings *to)
{
  struct strbuf gaps = { 0 };
  bool usual;

  if (total->counter[COUNTER_WRITE] > 0 &&
      process_durable_gaps(db, &gaps, &usual) > 0)
    warnings_add(to, !usual, "not_durable",
                 "writes were faster than durable ones, because %s",
                 strbuf_str(&gaps));
  strbuf_done(&gaps);
}

/* PostgreSQL adds a unit, SQLite writes KiB as a negative number. */
static double db_figures_cache_bytes(const char *key, const char *text)
{
  static const struct {
    const char *name;
    double bytes;
  } units[] = { { "", 1 },
                { "kB", 1024.0 },
                { "MB", 1048576.0 },
                { "GB", 1073741824.0 },
                { "TB", 1099511627776.0 } };
  char *end;
  const double number = strtod(text, &end);

  if (strcmp(key, "cache_size") == 0)
    return number < 0 ? -1024 * number : 0; /* pages of unknown size */
  for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
    if (end > text && strcmp(end, units[i].name) == 0)
      return number * units[i].bytes;
  }
  return 0;
}

/* True if unknown. */
static bool db_figures_uses_tables(const struct report *total)
{
  const struct class_list *list = &total->classes;

  if (list->n == 0 || total->counter[COUNTER_WRITE] > 0)
    return true;
  for (unsigned i = 0; i < list->n; i++) {
    const struct class_report *c = &list->of[i];

    if (c->rows > 0 &&
        (strncasecmp(c->name, "SELECT ", 7) != 0 ||
         strcasestr(c->name, " FROM ") || strlen(c->name) > WHOLE_STATEMENT))
      return true;
  }
  return false;
}

static void doubt_cache(struct db_process *db, struct warnings *to)
{
  static const char *const keys[] = { "shared_buffers",
                                      "innodb_buffer_pool_size", "cache_size" };
  const struct fact *data = facts_find(&db->server, "data_bytes");
  const bool rows = db->facts.rows_option != NULL;

  for (size_t i = 0; data && i < ARRAY_SIZE(keys); i++) {
    const struct fact *cache = facts_find(&db->server, keys[i]);

    if (cache && cache->type == FACT_TEXT && data->integer > 0 &&
        (double)data->integer <= db_figures_cache_bytes(keys[i], cache->text))
      warnings_add(to, true, "cached_data",
                   "the data (%.1f MiB) fit into the cache (%s = "
                   "%s), so reads do not measure the disk; use more rows%s%s "
                   "if your data are larger",
                   (double)data->integer / 1048576, keys[i], cache->text,
                   rows ? " with " : "", rows ? db->facts.rows_option : "");
  }
}

static void doubt_keys(struct db_process *db, const struct plan *plan,
                       struct warnings *to)
{
  unsigned rows;
  const double keys = plan_hot_keys(plan, &rows);

  if (db->facts.bundled && db->facts.rows > 0 && keys > 0)
    warnings_add(to, true, "hot_rows",
                 "%.0f%% of the keys are from %u%% of the rows, because "
                 "--rand-type is special by default; use --rand-type=uniform "
                 "for an even load",
                 100 * keys, rows);
}

static void doubt_end(struct db_process *db, const struct plan *plan,
                      const struct report *total, struct warnings *to)
{
  const uint64_t limit_ns = plan->time_ns;

  for (size_t i = 0; i < to->n; i++) {
    if (strcmp(to->of[i].code, "late_end") == 0)
      return; /* the run layer knows why */
  }
  if (limit_ns == PLAN_NO_LIMIT || total->elapsed_ns < limit_ns + LATE_NS ||
      !process_uses_server(db))
    return;
  warnings_add(
    to, true, "late_end",
    "the run ended %.1f s late, since workers waited for the server; "
    "rates count that time, --forced-shutdown limits it",
    (double)(total->elapsed_ns - limit_ns) / (double)NS_PER_S);
}

void db_figures_doubts(struct db_process *db, const struct plan *plan,
                       const struct report *total, struct warnings *to)
{
  const bool quiet = db->facts.as_sysbench && log_get_level() < LOG_INFO;
  const size_t before = to->n;

  if (!atomic_load_explicit(&db->used, memory_order_relaxed))
    return;
  doubt_rows(db, total, to);
  doubt_durability(db, total, to);
  doubt_end(db, plan, total, to);
  if (total->elapsed_ns >= NS_PER_S) {
    if (db_figures_uses_tables(total))
      doubt_cache(db, to);
    doubt_keys(db, plan, to);
  }
  for (size_t i = before; i < to->n; i++)
    to->of[i].shown = to->of[i].shown && !quiet;
}

void db_figures_tally(struct db_process *db, struct tally *to)
{
  const struct errtab *errors = &db->errors;
  const size_t n = atomic_load_explicit(&errors->n, memory_order_acquire);

  for (size_t i = 0; i < n; i++) {
    struct error_count e = { 0 };

    db_figures_fill_error(&e, &errors->entry[i]);
    tally_error(to, &e);
  }
}

void db_figures_statement_times(struct db_process *db, struct report *r)
{
  r->execution = db_times_take(&db->execution);
  r->fetching = db_times_take(&db->fetching);
}
