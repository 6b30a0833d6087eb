/*
 * server.c - whether and how a run reads its servers, and prints their figures.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "db/dialect.h"
#include "db/process.h"
#include "monitor/digests.h"
#include "monitor/monitor.h"
#include "nodes/nodes.h"
#include "program/internal.h"
#include "program/source.h"
#include "results/results.h"
#include "run/runner.h"

enum {
  STATEMENT_SHOWN = 100 /* bytes */
};

static bool server_is_wanted(const struct program *p)
{
  const struct program_options *o = &p->opts;

  if (o->monitor.stats == SERVER_STATS_AUTO)
    return o->results.json[0] != '\0' || o->results.stream[0] != '\0' ||
           o->results.live[0] != '\0' || o->monitor.statements > 0;
  return o->monitor.stats == SERVER_STATS_ON;
}

/* Items in a driver's option; 0: no value. */
static unsigned server_count_items(const struct program *p, const char *what)
{
  char name[64];
  const char *text;
  unsigned n;

  (void)snprintf(name, sizeof(name), "%.32s-%s", p->opts.db.driver, what);
  text = program_value(&p->set, name);
  for (n = *text != '\0'; (text = strchr(text, ',')); text++)
    n++;
  return n;
}

static unsigned server_count_servers(const struct program *p)
{
  const unsigned hosts = server_count_items(p, "host");
  const unsigned ports = server_count_items(p, "port");
  const unsigned sockets = server_count_items(p, "socket");

  return sockets > 0 ? sockets : (hosts ? hosts : 1) * (ports ? ports : 1);
}

/* A file that this process can examine, or NULL. */
static const char *server_data_file(const struct program *p)
{
  const char *name = program_value(&p->set, "sqlite-db");

  return *name && *name != ':' && strncmp(name, "file:", 5) != 0 ? name : NULL;
}

/* An option that only describes how to read, or NULL. */
static const char *server_way_to_read(const struct program *p)
{
  static const char *const names[] = { "server-user", "server-password",
                                       "server-host" };

  for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
    if (optset_find(&p->set, names[i])->given)
      return names[i];
  }
  return NULL;
}

int program_check_server(struct program *p)
{
  const struct monitor_cfg *cfg = &p->opts.monitor;
  const char *way = server_way_to_read(p);

  if (cfg->stats == SERVER_STATS_OFF && cfg->statements > 0)
    return program_refuse("--server-statements cannot be used with "
                          "--server-stats=off");
  if (way && cfg->stats == SERVER_STATS_OFF)
    return program_refuse("--%s cannot be used with --server-stats=off", way);
  /* Steps of a sweep have their own result files. */
  if (way && program_is_run(p) && !server_is_wanted(p) &&
      !sweep_wanted(&p->opts.sweep))
    return program_refuse("--%s has no effect without --server-stats=on, "
                          "--json, --stream or --live",
                          way);
  return EXIT_OK;
}

int program_watch_server(const struct job *job, struct err *err)
{
  struct program *p = job->p;
  struct db_process *db = job->db;
  struct monitor_input in = {
    .cfg = &p->opts.monitor,
    .db = db,
    .driver = p->opts.db.driver,
    .leave = &p->leave,
  };
  int rc;

  if (db && process_dialect(db) && !process_dialect(db)->server_stats &&
      p->opts.monitor.stats == SERVER_STATS_AUTO)
    return 0;
  if (!db || !server_is_wanted(p) || (p->ranks && p->ranks->rank > 0))
    return 0;
  if (strcmp(in.driver, "sqlite") == 0)
    in.file = server_data_file(p);
  if (!in.file && !monitor_knows(in.driver))
    return 0;
  in.servers = server_count_servers(p);
  rc = monitor_new(&p->monitor, &in, err);
  results_set_monitor(p->results, p->monitor);
  return rc;
}

void program_free_server(struct program *p)
{
  results_set_monitor(p->results, NULL);
  monitor_free(p->monitor);
  p->monitor = NULL;
}

static void server_add_costs(struct strbuf *line, const struct server_total *t)
{
  double cost;

  for (size_t i = 0; i < SERVER_COSTS; i++) {
    const struct server_cost *c = &server_cost_table[i];

    if (server_cost_per_event(c, &t->did, t->events, &cost))
      strbuf_addf(line, "%s%s %.4g", line->len > 0 ? ", " : "", c->what, cost);
  }
}

static void server_print_total(const struct server_total *t)
{
  struct strbuf line = { 0 };

  if (t->failure[0] != '\0' && t->period_ns == 0) {
    log_msg(LOG_NOTICE, "    %s%snot read: %s\n", t->target,
            t->target[0] != '\0' ? ": " : "", t->failure);
    return;
  }
  if (t->target[0] == '\0') /* never connected */
    return;
  log_msg(LOG_NOTICE,
          "    %s: %" PRIu64 " readings of %.2f ms, %" PRIu64
          " missed, %" PRIu64 " looks of %.2f ms\n",
          t->target, t->readings, (double)t->took_mean_ns / 1e6, t->missed,
          t->waits.looks,
          t->waits.looks > 0
            ? (double)t->waits.took_ns / (double)t->waits.looks / 1e6
            : 0.0);
  if (t->lost > 0)
    log_msg(LOG_NOTICE,
            "    lost connections: %" PRIu64
            ", restarts of the server: %" PRIu64
            "; its work meanwhile is not counted%s%s\n",
            t->lost, t->restarts, t->failure[0] != '\0' ? "; at last: " : "",
            t->failure);
  server_add_costs(&line, t);
  if (line.len > 0)
    log_msg(LOG_NOTICE, "    per event: %s\n", strbuf_str(&line));
  strbuf_done(&line);
}

/* Missing statement counters matter to those who want statements. */
static void server_print_gaps(const struct server_gaps *gaps, bool statements)
{
  for (unsigned i = 0; i < gaps->n; i++) {
    if (statements || strncmp(gaps->of[i].what, "statements", 10) != 0)
      log_msg(LOG_NOTICE, "    not read: %s (%s)\n", gaps->of[i].what,
              gaps->of[i].why);
  }
}

static void server_add_statement(struct strbuf *out, const struct digest *d)
{
  const char *text = d->text ? d->text : d->id;

  strbuf_addf(out, "    %10.3f %10.0f %10.3f %10.1f  ", d->time_ns / 1e9,
              d->calls, d->time_ns / d->calls / 1e6, d->rows / d->calls);
  utf8_add_shown(out, text, utf8_cut(text, STATEMENT_SHOWN), "");
  strbuf_adds(out, "\n");
}

static void server_print_statements(const struct digests *d, size_t max)
{
  struct strbuf lines = { 0 };

  if (!d || max == 0 || d->n == 0)
    return;
  strbuf_addf(&lines,
              "    statements that cost the server most time, in %.1f s:\n"
              "    %10s %10s %10s %10s\n",
              (double)d->period_ns / 1e9, "seconds", "calls", "ms/call",
              "rows/call");
  for (size_t i = 0; i < d->n && i < max; i++)
    server_add_statement(&lines, &d->of[i]);
  log_msg(LOG_NOTICE, "%s", strbuf_str(&lines));
  strbuf_done(&lines);
}

void program_print_server(const struct program *p)
{
  const struct monitor_cfg *cfg = &p->opts.monitor;
  struct strbuf text = { 0 };

  if ((cfg->stats != SERVER_STATS_ON && cfg->statements == 0) ||
      monitor_servers(p->monitor) == 0)
    return;
  log_msg(LOG_NOTICE, "Server:\n");
  for (unsigned i = 0; i < monitor_servers(p->monitor); i++) {
    struct server_total t;

    monitor_total(p->monitor, i, &t);
    server_print_total(&t);
    server_print_gaps(&t.gaps, cfg->statements > 0);
    server_print_statements(monitor_statements(p->monitor, i),
                            (size_t)cfg->statements);
  }
  for (unsigned i = 0; results_coincidence(p->results, i, &text); i++) {
    log_msg(LOG_NOTICE, "    %s\n", strbuf_str(&text));
    strbuf_done(&text);
  }
  log_msg(LOG_NOTICE, "\n");
}
