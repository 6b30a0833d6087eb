/*
 * database_text.c - sentences, remarks and the document of `bench database`.
 */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/facts.h"
#include "base/fmt.h"
#include "base/machine/cgroup.h"
#include "base/parse.h"
#include "results/jobj.h"
#include "run/runner.h"
#include "stats/slo.h"
#include "tools/database.h"
#include "tools/result.h"
#include "tools/units.h"

#define CACHE_SMALL (64.0 * 1024 * 1024)
/* A statement without work takes less in one data centre. */
#define ROUND_TRIP_LONG_NS 1e6

static const char *const database_names[DATABASE_PARTS] = {
  [DATABASE_FLOOR] = "SELECT 1",
  [DATABASE_CONNECT] = "connections",
  [DATABASE_CONNECT_TLS] = "connections with the other TLS setting",
  [DATABASE_POINT] = "point selects",
  [DATABASE_READS] = "reads",
  [DATABASE_WRITES] = "writes",
  [DATABASE_ISOLATION] = "isolation",
  [DATABASE_CURVE] = "curve",
  [DATABASE_SEARCH] = "search",
  [DATABASE_STEADY] = "steady",
};

const char *database_part_name(enum database_part part)
{
  return database_names[part];
}

bool database_broke(const struct database_step *s)
{
  return !s->result.json ||
         (s->status != EXIT_OK && s->status != SLO_EXIT_STATUS &&
          s->status != EXIT_FORCED);
}

static bool database_counts(const struct database_step *s)
{
  return !database_broke(s) && s->result.run.events > 0;
}

const struct result *database_result(const struct database *d,
                                     enum database_part part)
{
  for (size_t i = 0; i < d->n_steps; i++) {
    const struct database_step *s = &d->steps[i];

    if (s->part == part && database_counts(s))
      return &s->result.run;
  }
  return NULL;
}

const struct database_step *database_peak(const struct database *d)
{
  const struct database_step *best = NULL;

  for (size_t i = 0; i < d->n_steps; i++) {
    const struct database_step *s = &d->steps[i];

    if (s->part == DATABASE_CURVE && database_counts(s) &&
        (!best || s->result.run.events_per_s > best->result.run.events_per_s))
      best = s;
  }
  return best;
}

bool database_misses_alone(const struct database *d)
{
  const struct result *r = database_result(d, DATABASE_CURVE);
  const char *verdict = r ? result_text_at(r->json, "slo.verdict") : NULL;

  return verdict && strcmp(verdict, "failed") == 0;
}

const char *database_driver(const struct database *d)
{
  const struct result *r = database_result(d, DATABASE_FLOOR);
  const char *name = r ? result_text_at(r->json, "database.driver") : NULL;

  return name ? name : d->file ? "sqlite" : "";
}

double database_measured_s(const struct database *d)
{
  const uint64_t ns = clock_now_ns() - d->begun_ns;

  return d->earlier_s + (double)ns / (double)NS_PER_S - d->load_s;
}

bool database_is(const struct database *d, const char *driver)
{
  return strcmp(database_driver(d), driver) == 0;
}

static double database_p(const struct result *r, const char *key)
{
  return r ? result_percentile(r, key) : NAN;
}

static double database_queries(const struct result *r)
{
  return isfinite(r->queries_per_s) ? r->queries_per_s : r->events_per_s;
}

static const char *database_fact(const struct database *d, const char *key)
{
  const struct result *r = database_result(d, DATABASE_FLOOR);

  return r ? result_text_at(json_object_get(r->json, "database"), key) : NULL;
}

const char *database_tls(const struct database *d)
{
  const char *tls = database_fact(d, "tls_protocol");

  if (!tls)
    tls = database_fact(d, "tls");
  return tls && strcmp(tls, "off") == 0 ? "none" : tls;
}

bool database_on_socket(const struct database *d)
{
  const char *transport = database_fact(d, "transport");

  return transport && strcmp(transport, "unix") == 0;
}

uint64_t database_cache(const struct database *d)
{
  const char *text = database_fact(d, "shared_buffers");
  uint64_t bytes = 0;

  if (!text)
    text = database_fact(d, "innodb_buffer_pool_size");
  return text && parse_size(text, &bytes) == 0 ? bytes : 0;
}

static double database_data(const struct database *d)
{
  double bytes = NAN;

  for (size_t i = 0; i < d->n_steps; i++) {
    const struct database_step *s = &d->steps[i];

    if (s->part >= DATABASE_POINT && s->result.json)
      bytes = result_number_at(s->result.json, "database.data_bytes");
  }
  return bytes;
}

bool database_lacks_tls(const struct database *d)
{
  return strstr(strbuf_str(&d->failure), "server does not support") != NULL;
}

void database_say_step(const struct database *d, const struct database_step *s,
                       struct strbuf *out)
{
  const struct result *r = &s->result.run;
  char p50[UNIT_SIZE], p99[UNIT_SIZE];

  if (!database_counts(s)) {
    strbuf_addf(out, "%-28s %s", s->name,
                s->part == DATABASE_CONNECT_TLS && database_lacks_tls(d)
                  ? "not offered by the server"
                  : "failed");
    return;
  }
  strbuf_addf(out, "%-28s %10.1f events/s", s->name, r->events_per_s);
  if (database_queries(r) > 1.01 * r->events_per_s)
    strbuf_addf(out, "  %10.1f queries/s", r->queries_per_s);
  else
    strbuf_addf(out, "  %10s          ", "");
  strbuf_addf(out, "  p50 %9s  p99 %9s", unit_time(p50, database_p(r, "50")),
              unit_time(p99, database_p(r, "99")));
}

/* ---- sentences ---- */

static void database_say_where(const struct database *d, struct strbuf *out)
{
  const char *version = database_fact(d, "server_version");
  const char *address = database_fact(d, "address");
  const char *tls = database_tls(d);
  const double bytes = database_data(d);
  const uint64_t cache = database_cache(d);
  const struct result *floor = database_result(d, DATABASE_FLOOR);
  const double rtt_s = floor
                         ? result_number_at(floor->json, "options.rtt.value")
                         : 0;
  char data[FMT_SIZE_SIZE], has[FMT_SIZE_SIZE];

  strbuf_adds(out, "This is ");
  facts_server_name(database_driver(d), version ? version : "", out);
  strbuf_addf(out, "%s%s", address ? " at " : "", address ? address : "");
  if (tls && strcmp(tls, "none") != 0)
    strbuf_addf(out, ", %.*s", (int)strcspn(tls, " "), tls);
  else if (!database_is(d, "sqlite"))
    strbuf_adds(out, ", without TLS");
  if (rtt_s > 0)
    strbuf_addf(out, ", with --rtt=%gms", 1e3 * rtt_s);
  strbuf_adds(out, ".");
  if (!isfinite(bytes))
    return;
  strbuf_addf(out, " The test data are %s", fmt_size(data, (uint64_t)bytes));
  if (cache == 0)
    strbuf_adds(out, ".");
  else if (bytes > (double)cache)
    strbuf_addf(out, ", more than the server's cache of %s.",
                fmt_size(has, cache));
  else
    strbuf_addf(out,
                ", which fits in the cache of %s: reads from disk were not "
                "measured.",
                fmt_size(has, cache));
}

static void database_say_floor(const struct database *d, struct strbuf *out)
{
  const struct result *floor = database_result(d, DATABASE_FLOOR);
  const struct result *connect = database_result(d, DATABASE_CONNECT);
  const struct result *point = database_result(d, DATABASE_POINT);
  char time[UNIT_SIZE];

  strbuf_addf(out, "Median times with one connection: SELECT 1 %s",
              unit_time(time, database_p(floor, "50")));
  if (point)
    strbuf_addf(out, ", a row %s", unit_time(time, database_p(point, "50")));
  if (connect)
    strbuf_addf(out, ", a new connection %s",
                unit_time(time, database_p(connect, "50")));
  strbuf_adds(out, ".");
}

static void database_say_peak(const struct database *d, struct strbuf *out)
{
  const struct database_step *peak = database_peak(d);

  if (!peak) {
    strbuf_adds(out, "The mix of reads and writes was not measured.");
    return;
  }
  strbuf_addf(out,
              "The mix of reads and writes reaches %.0f queries/s (%.1f "
              "transactions/s) with %u connection%s.",
              database_queries(&peak->result.run),
              peak->result.run.events_per_s, peak->threads,
              peak->threads == 1 ? "" : "s");
  if (d->cfg->price > 0)
    strbuf_addf(
      out, " At %g per hour, a million queries cost %.3g.", d->cfg->price,
      d->cfg->price * 1e6 / 3600 / database_queries(&peak->result.run));
}

static bool database_has(const struct database *d, enum database_part part)
{
  for (size_t i = 0; i < d->n_steps; i++) {
    if (d->steps[i].part == part)
      return true;
  }
  return false;
}

static double database_per_event(const struct database *d)
{
  const struct database_step *peak = database_peak(d);

  return peak && peak->result.run.events_per_s > 0
           ? database_queries(&peak->result.run) / peak->result.run.events_per_s
           : NAN;
}

static const char *database_disturbance(const struct database *d)
{
  const json_t *one;
  size_t i;

  json_array_foreach(json_object_get(d->doctor, "findings"), i, one)
  {
    const char *subject = result_text_at(one, "subject");
    const char *level = result_text_at(one, "level");

    if (subject && level && strcmp(subject, "noise") == 0 &&
        strcmp(level, "ok") != 0)
      return result_text_at(one, "text");
  }
  for (size_t k = 0; k < d->n_steps; k++) {
    json_array_foreach(json_object_get(d->steps[k].result.json, "warnings"), i,
                       one)
    {
      const char *code = result_text_at(one, "code");

      if (code &&
          (strcmp(code, "other_programs") == 0 || strcmp(code, "steal") == 0))
        return result_text_at(one, "text");
    }
  }
  return NULL;
}

static void database_say_no_rate(const struct database *d, struct strbuf *out)
{
  static const char *const reasons[] = {
    [SEARCH_GOES_ON] = "the time was too short to decide (see --minutes)",
    [SEARCH_NOWHERE] = "even the lowest rate that was tried failed",
    [SEARCH_UNDECIDED] = "the time was too short to decide (see --minutes)",
    [SEARCH_UNSTEADY] = "the highest throughput changed during the search",
    [SEARCH_CLIENT_END] = "this machine could not offer the load in time",
    [SEARCH_FROZEN_END] = "events did not end",
    [SEARCH_EMPTY_END] = "no event ended within a step",
    [SEARCH_STEP_END] = "a step failed",
  };
  const unsigned end = d->find.search.end;

  strbuf_addf(out, "No rate was found that holds %s: %s", d->objective,
              end < ARRAY_SIZE(reasons) && reasons[end]
                ? reasons[end]
                : "the steps contradict each other");
}

static void database_say_rate(const struct database *d, struct strbuf *out)
{
  const bool tested = database_misses_alone(d) ||
                      database_has(d, DATABASE_SEARCH);
  const char *disturbance = d->rate > 0 || !tested ? NULL
                                                   : database_disturbance(d);
  const struct result *steady = database_result(d, DATABASE_STEADY);
  char time[UNIT_SIZE];

  if (d->rate > 0)
    strbuf_addf(
      out, "The server holds %s up to %s%.0f queries/s (%.1f transactions/s)",
      d->objective, d->find.search.end == SEARCH_FOUND ? "" : "at least ",
      d->rate * database_per_event(d), d->rate);
  else if (database_misses_alone(d))
    strbuf_addf(out, "The server misses %s even with one connection",
                d->objective);
  else if (!tested)
    strbuf_addf(out, "The objective %s was not tested", d->objective);
  else
    database_say_no_rate(d, out);
  if (disturbance)
    strbuf_addf(
      out, "; %s%s", disturbance,
      strstr(disturbance, "; stop") ? "" : ": repeat this on a quiet machine");
  if (steady) {
    const double stalls = result_number_at(steady->json, "outages.stall_count");
    const double longest = result_number_at(steady->json,
                                            "outages.longest_stall_s");

    strbuf_addf(out, "; at 80 %% of this rate for %.0f s, p99 was %s",
                steady->period_s, unit_time(time, database_p(steady, "99")));
    if (stalls > 0)
      strbuf_addf(out, ", with %.0f stall%s, the longest %.2f s", stalls,
                  stalls == 1 ? "" : "s", longest);
    else
      strbuf_adds(out, ", without a stall");
  }
  strbuf_adds(out, ".");
}

static void database_remark(json_t *list, const char *code, const char *text,
                            const char *advice)
{
  const json_t *one;
  size_t i;

  json_array_foreach(list, i, one)
  {
    if (strcmp(result_text_at(one, "code"), code) == 0)
      return;
  }
  (void)json_array_append_new(list, json_pack("{s:s,s:s,s:s?}", "code", code,
                                              "text", text, "advice", advice));
}

/* Findings of bench doctor have a subject, warnings of a run do not. */
static void database_remark_those(const json_t *from, const char *key,
                                  json_t *list)
{
  static const struct {
    const char *key, *value, *code, *advice;
  } known[] = {
    /* worst first */
    { "subject", "durability", "not_durable", NULL },
    { "subject", "connections", "few_connections",
      "raise the limit, or put a pooler in front" },
    { "subject", "sessions", "pooler", NULL },
    { "subject", "transactions", "pooler_transactions", NULL },
    { "subject", "noise", "noise", NULL },
    { "code", "other_programs", "noise", NULL },
    { "code", "steal", "steal", NULL },
    { "code", "client_quota", "client_quota", NULL },
    { "code", "paused", "paused", NULL },
  };
  const json_t *one;
  size_t i;

  for (size_t k = 0; k < ARRAY_SIZE(known); k++)
    json_array_foreach(from, i, one)
    {
      const char *value = result_text_at(one, known[k].key);
      const char *level = result_text_at(one, "level");
      const char *text = result_text_at(one, "text");

      if (value && text && strcmp(known[k].key, key) == 0 &&
          strcmp(known[k].value, value) == 0 &&
          !(level && strcmp(level, "ok") == 0))
        database_remark(list, known[k].code, text,
                        known[k].advice ? known[k].advice
                                        : result_text_at(one, "advice"));
    }
}

/* 0: all, or not known. */
static double database_server_cpus(const struct result *r)
{
  const double pid = r ? result_number_at(r->json, "servers.0.pid") : NAN;
  const double all = r ? result_number_at(r->json, "environment.cpu.online")
                       : NAN;
  double can, quota;
  char number[24];
  cpu_set_t cpus;

  if (!(pid > 0) || sched_getaffinity((pid_t)pid, sizeof(cpus), &cpus) < 0)
    return 0;
  (void)snprintf(number, sizeof(number), "%.0f", pid);
  can = CPU_COUNT(&cpus);
  quota = cgroup_read_of("", number).cpus;
  if (quota > 0)
    can = fmin(can, quota);
  return can < all ? can : 0;
}

static void database_remark_figures(const struct database *d, json_t *list)
{
  const struct result *floor = database_result(d, DATABASE_FLOOR);
  const double trip_ns = database_p(floor, "50");
  const uint64_t cache = database_cache(d);
  double oldest_s = 0;
  char text[256], size[FMT_SIZE_SIZE], time[UNIT_SIZE];

  if (trip_ns > ROUND_TRIP_LONG_NS) {
    (void)snprintf(text, sizeof(text),
                   "SELECT 1 takes %s, most of it on the network",
                   unit_time(time, trip_ns));
    database_remark(list, "round_trip", text,
                    "run bench close to the server, as the application does");
  }
  if (cache > 0 && (double)cache < CACHE_SMALL) {
    (void)snprintf(text, sizeof(text), "the server's cache is only %s",
                   fmt_size(size, cache));
    database_remark(list, "small_cache", text,
                    database_fact(d, "shared_buffers")
                      ? "raise shared_buffers"
                      : "raise innodb_buffer_pool_size");
  }
  if (d->is_violated)
    database_remark(list, "isolation",
                    "transactions at --isolation=serializable had results that "
                    "this level forbids",
                    "see --isolation-check");
  for (size_t i = 0; i < d->n_steps; i++)
    oldest_s = fmax(oldest_s,
                    result_number_at(d->steps[i].result.json,
                                     "servers.0.most.oldest_transaction_s"));
  if (oldest_s >= d->cfg->old_s && d->cfg->old_s > 0) {
    (void)snprintf(text, sizeof(text),
                   "a transaction of another session is open for %.0f s: the "
                   "server cannot remove old rows",
                   oldest_s);
    database_remark(list, "old_transaction", text,
                    "end that session, or its transaction");
  }
}

static void database_remark_cpus(const struct database *d, json_t *list)
{
  const double cpus = database_server_cpus(database_result(d, DATABASE_FLOOR));
  char text[64];

  if (!(cpus > 0 && cpus <= 1))
    return;
  (void)snprintf(text, sizeof(text), "the server can use only %.2g CPU", cpus);
  database_remark(list, "one_cpu",
                  cpus < 1 ? text : "the server can use only one CPU",
                  "see the CPU limits of its service or container");
}

static json_t *database_remarks(const struct database *d)
{
  json_t *list = json_array();

  database_remark_those(json_object_get(d->doctor, "findings"), "subject",
                        list);
  database_remark_figures(d, list);
  database_remark_cpus(d, list);
  for (size_t i = 0; i < d->n_steps; i++)
    database_remark_those(json_object_get(d->steps[i].result.json, "warnings"),
                          "code", list);
  return list;
}

static void database_say_remarks(const json_t *remarks, struct strbuf *out)
{
  const size_t n = json_array_size(remarks);
  const char *first = result_text_at(json_array_get(remarks, 0), "text");

  if (n == 0)
    strbuf_adds(out, "Neither the server nor the machine needs a remark.");
  else if (n == 1)
    strbuf_addf(out, "There is one remark: %s.", first);
  else
    strbuf_addf(out, "The first of %zu remarks: %s.", n, first);
}

static void database_sentence(const struct database *d, unsigned which,
                              const json_t *remarks, struct strbuf *out)
{
  static void (*const say[])(const struct database *, struct strbuf *) = {
    database_say_where, database_say_floor, database_say_peak, database_say_rate
  };

  if (which < ARRAY_SIZE(say))
    say[which](d, out);
  else
    database_say_remarks(remarks, out);
}

/* ---- the document ---- */

static json_t *database_steps_json(const struct database *d)
{
  struct jobj list = jobj_list();

  for (size_t i = 0; i < d->n_steps; i++) {
    const struct database_step *s = &d->steps[i];

    jobj_push(&list,
              json_pack("{s:i,s:i,s:{s:s},s:i,s:s?,s:O?}", "step", (int)i + 1,
                        "repeat", 1, "values", "part", s->name, "exit_status",
                        s->status, "failed", database_broke(s) ? "run" : NULL,
                        "result", s->result.json));
  }
  return jobj_take(&list);
}

static json_t *database_sweep_json(const struct database *d)
{
  struct jobj names = jobj_list();

  for (size_t i = 0; i < d->n_steps; i++)
    jobj_push(&names, jobj_string(d->steps[i].name));
  return json_pack("{s:[{s:s,s:o}],s:b,s:i,s:f,s:b,s:i,s:b,s:n,s:n,s:f}",
                   "options", "name", "part", "values", jobj_take(&names),
                   "parts", 1, "repeat", 1, "pause_s", 0.0,
                   "prepared_each_step", 0, "steps_planned", (int)d->n_steps,
                   "interrupted", d->next < DATABASE_PARTS, "best", "knee",
                   "knee_share", 0.95);
}

static json_t *database_json(const struct database *d)
{
  struct jobj o = jobj_new(), sentences = jobj_list(), cut = jobj_list();
  const struct database_step *peak = database_peak(d);
  json_t *remarks = database_remarks(d);

  for (unsigned k = 0; k < DATABASE_SENTENCES; k++) {
    struct strbuf text = { 0 };

    database_sentence(d, k, remarks, &text);
    jobj_push(&sentences, jobj_string(strbuf_str(&text)));
    strbuf_done(&text);
  }
  for (unsigned k = 0; k < DATABASE_PARTS; k++) {
    if (d->cut[k] && !d->alien[k])
      jobj_push(&cut, jobj_string(database_part_name(k)));
  }
  jobj_int(&o, "protocol", DATABASE_PROTOCOL);
  jobj_real(&o, "minutes", d->total_s / 60);
  jobj_text(&o, "objective", d->objective);
  jobj_int(&o, "cache_bytes", database_cache(d));
  jobj_add(&o, "sentences", jobj_take(&sentences));
  jobj_add(&o, "remarks", remarks);
  jobj_add(&o, "cut", jobj_take(&cut));
  jobj_int(&o, "peak_connections", peak ? peak->threads : 0);
  jobj_positive(&o, "rate", d->rate);
  jobj_bool(&o, "rate_confirmed", d->find.search.end == SEARCH_FOUND);
  jobj_positive(&o, "queries_per_event", database_per_event(d));
  if (d->tls_failure.len > 0)
    jobj_text(&o, "tls_failure", strbuf_str(&d->tls_failure));
  if (d->verdict.len > 0)
    jobj_text(&o, "isolation", strbuf_str(&d->verdict));
  if (d->left.len > 0)
    jobj_text(&o, "left_behind", strbuf_str(&d->left));
  else
    jobj_null(&o, "left_behind");
  jobj_real(&o, "measured_s", database_measured_s(d));
  jobj_add(&o, "next",
           d->next < DATABASE_PARTS ? jobj_string(database_part_name(d->next))
                                    : json_null());
  return jobj_take(&o);
}

json_t *database_document(const struct database *d)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "schema", RESULT_SCHEMA_SWEEP);
  jobj_add(&o, "sweep", database_sweep_json(d));
  jobj_add(&o, "database", database_json(d));
  jobj_add(&o, "steps", database_steps_json(d));
  return jobj_take(&o);
}
