/*
 * database_part.c - the parts of `bench database`, and their time.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "run/runner.h"
#include "tools/database.h"
#include "tools/tool.h"

/* ---- parts and their time ---- */

/* Start and end of a process. */
#define PROCESS_S 0.4
/* Share of the time for loading; expected rows per second. */
#define LOAD_SHARE 0.12
#define LOAD_PER_S 30000.0
#define ROW_BYTES 250.0

enum {
  THREADS = 16,       /* of reads and writes */
  CURVE_MAX = 64,     /* connections */
  SEARCH_STEPS = 12,  /* a step takes this part of the search */
  ROWS_MIN = 2000,    /* of each table */
  ROWS_MAX = 8000000, /* 8 GB in four tables */
};

struct row {
  const char *test; /* NULL: a file of SQL */
  double weight;    /* share of the time above the least */
  double least_s;
  unsigned processes;
  unsigned cut; /* lowest first */
};

static const struct row rows[DATABASE_PARTS] = {
  [DATABASE_FLOOR] = { NULL, 3, 0.5, 1, 10 },
  [DATABASE_CONNECT] = { "connect", 4, 0.5, 1, 4 },
  [DATABASE_CONNECT_TLS] = { "connect", 4, 0.5, 1, 1 },
  [DATABASE_POINT] = { "oltp_point_select", 5, 0.5, 1, 5 },
  [DATABASE_READS] = { "oltp_read_only", 9, 1, 1, 3 },
  [DATABASE_WRITES] = { "oltp_write_only", 9, 1, 1, 2 },
  [DATABASE_ISOLATION] = { "append", 8, 1, 3, 9 },
  [DATABASE_CURVE] = { "oltp_read_write", 22, 3, 5, 8 },
  [DATABASE_SEARCH] = { "oltp_read_write", 26, 7, 6, 7 },
  [DATABASE_STEADY] = { "oltp_read_write", 30, 2, 1, 6 },
};

static double database_left_s(const struct database *d)
{
  return d->total_s - database_measured_s(d) - d->load_s;
}

static void database_sum(const struct database *d, enum database_part from,
                         double *ret_least_s, double *ret_weight)
{
  *ret_least_s = *ret_weight = 0;
  for (unsigned i = from; i < DATABASE_PARTS; i++) {
    if (d->cut[i] || d->alien[i])
      continue;
    *ret_least_s += rows[i].least_s + rows[i].processes * PROCESS_S;
    *ret_weight += rows[i].weight;
  }
}

void database_cut(struct database *d, enum database_part from)
{
  double least_s, weight;

  for (unsigned cut = 1; cut <= DATABASE_PARTS; cut++) {
    database_sum(d, from, &least_s, &weight);
    if (least_s <= database_left_s(d))
      return;
    for (unsigned i = from; i < DATABASE_PARTS; i++)
      d->cut[i] = d->cut[i] || (rows[i].cut == cut && !d->alien[i]);
  }
}

/* Seconds for the next part: what earlier parts left is shared again. */
static double database_share_s(const struct database *d,
                               enum database_part part)
{
  double least_s, weight, spare_s;

  database_sum(d, part, &least_s, &weight);
  spare_s = fmax(database_left_s(d) - least_s, 0);
  return rows[part].least_s + spare_s * rows[part].weight / weight;
}

/* ---- parts ---- */

static unsigned database_threads(const struct database *d, unsigned wanted)
{
  return d->allowed > 0 && wanted > d->allowed ? (unsigned)fmax(d->allowed, 1)
                                               : wanted;
}

static int database_plain(struct database *d, enum database_part part,
                          struct err *err)
{
  const bool wide = part == DATABASE_READS || part == DATABASE_WRITES;
  struct strbuf path = { 0 };
  struct database_how h = { .part = part,
                            .test = rows[part].test,
                            .time_s = database_share_s(d, part),
                            .threads = wide ? database_threads(d, THREADS)
                                            : 1 };
  int rc = 0;

  if (!h.test) {
    rc = database_put_sql(d, "select_1", "SELECT 1;\n", &path, err);
    h.test = strbuf_str(&path);
  }
  if (rc == 0)
    rc = database_step(d, &h, err);
  strbuf_done(&path);
  return rc;
}

const char *database_other_tls(const struct database *d, const char **ret_name)
{
  const char *with = database_tls(d);
  const bool tls = with && strcmp(with, "none") != 0;

  *ret_name = tls ? "connections without TLS" : "connections with TLS";
  if (!with)
    return NULL;
  if (database_is(d, "pgsql") && database_on_socket(d))
    return NULL;
  if (database_is(d, "pgsql"))
    return tls ? "--pgsql-sslmode=disable" : "--pgsql-sslmode=require";
  return tls ? "--mysql-ssl=off" : "--mysql-ssl=REQUIRED";
}

static int database_connect_tls(struct database *d, struct err *err)
{
  struct database_how h = { .part = DATABASE_CONNECT_TLS,
                            .test = "connect",
                            .time_s = database_share_s(d, DATABASE_CONNECT_TLS),
                            .threads = 1,
                            .may_fail = true };
  int rc;

  h.option[0] = database_other_tls(d, &h.name);
  rc = database_step(d, &h, err);
  if (d->failure.len > 0)
    strbuf_addf(&d->tls_failure, "%s%s: %s", h.name,
                database_lacks_tls(d) ? ", not offered by the server" : "",
                strbuf_str(&d->failure));
  return rc;
}

static int database_prepare(struct database *d, const char *test,
                            unsigned threads, struct err *err)
{
  struct child_words more = { 0 };
  int status = 0, rc;

  child_words_addf(&more, "--threads=%u", database_threads(d, threads));
  rc = database_run(d, test, "prepare", &more, &status, err);
  if (rc < 0 || d->children.signal != 0)
    return rc < 0 ? rc : -EINTR;
  return status == EXIT_OK
           ? 0
           : err_set(err, -EIO, "the tables could not be loaded: %s",
                     strbuf_str(&d->failure));
}

static int database_verify(struct database *d, const char *history,
                           struct err *err)
{
  struct child_words words = { 0 };
  int status = 0, rc;

  child_words_addf(&words, "%s", d->args->argv[0]);
  child_words_addf(&words, "verify");
  child_words_addf(&words, "%s", history);
  rc = database_child(d, &words, CHILD_OUT_ERR_FD, &d->verdict, &status, err);
  d->is_violated = rc == 0 && status == TOOL_FAILED;
  return rc;
}

static int database_isolation(struct database *d, struct err *err)
{
  struct strbuf history = { 0 };
  struct database_how h = { .part = DATABASE_ISOLATION,
                            .test = rows[DATABASE_ISOLATION].test,
                            .time_s = database_share_s(d, DATABASE_ISOLATION),
                            .threads = database_threads(d, THREADS),
                            .option = { "--isolation=serializable" } };
  int rc = database_prepare(d, h.test, 1, err);

  strbuf_addf(&history, "--history-file=%s/history.log", d->folder);
  h.option[1] = strbuf_str(&history);
  if (rc == 0)
    rc = database_step(d, &h, err);
  if (rc == 0)
    rc = database_verify(d, strchr(h.option[1], '=') + 1, err);
  strbuf_done(&history);
  return rc;
}

static int database_curve(struct database *d, struct err *err)
{
  const double time_s = database_share_s(d, DATABASE_CURVE);
  const unsigned top = database_threads(d, CURVE_MAX);
  const unsigned factor = time_s < 10 ? 4 : 2;
  unsigned points = 1;
  int rc = 0;

  for (unsigned n = 1; n < top; n *= factor)
    points++;
  for (unsigned i = 0, n = 1; i < points && rc == 0;
       i++, n = n * factor < top ? n * factor : top) {
    char name[32];
    const struct database_how h = { .part = DATABASE_CURVE,
                                    .name = name,
                                    .test = "oltp_read_write",
                                    .time_s = time_s / points,
                                    .threads = n,
                                    .judged = n == 1 };

    (void)snprintf(name, sizeof(name), "mix, %u connection%s", n,
                   n == 1 ? "" : "s");
    rc = database_step(d, &h, err);
  }
  return rc;
}

/* ---- the objective ---- */

/* For a given rate, connections must not be what limits it. */
static unsigned database_threads_at_rate(const struct database *d)
{
  const struct database_step *peak = database_peak(d);

  return database_threads(
    d, peak && 2 * peak->threads > THREADS ? 2 * peak->threads : THREADS);
}

static int database_search_step(struct database *d, struct database_how *h,
                                struct err *err)
{
  struct find *f = &d->find;
  const struct database_step *s = &d->steps[d->n_steps];
  struct strbuf name = { 0 };
  int rc;

  strbuf_addf(&name, "search %zu: ", f->n + 1);
  if (f->search.value > 0)
    find_value(f, f->search.value, &name);
  else
    strbuf_adds(&name, "closed loop");
  h->name = strbuf_str(&name);
  h->rate = f->search.value;
  h->judged = h->rate > 0;
  h->option[0] = h->judged ? "--slo-until-decided=on" : NULL;
  rc = database_step(d, h, err);
  if (rc == 0 && !database_broke(s))
    find_judge(f, f->search.phase, f->search.value, &s->result.run);
  else if (rc == 0)
    find_judge_failed(f, f->search.phase, f->search.value, NULL);
  strbuf_done(&name);
  return rc;
}

static int database_search(struct database *d, struct err *err)
{
  const double share_s = database_share_s(d, DATABASE_SEARCH);
  const double end_s = database_left_s(d) - share_s;
  struct database_how h = { .part = DATABASE_SEARCH,
                            .test = "oltp_read_write",
                            .time_s = fmax(share_s / SEARCH_STEPS, 1.0),
                            .threads = database_threads_at_rate(d),
                            .may_fail = true };
  struct find *f = &d->find;
  int rc = 0;

  f->rules = (struct search_rules){ .what = SEARCH_RATE,
                                    .precision = share_s < 60 ? 0.1 : 0.05,
                                    .confirm = share_s < 60 ? 1 : 2,
                                    .again = SEARCH_AGAIN };
  find_set_objective(f, d->objective);
  for (find_choose(f); rc == 0 && f->search.end == SEARCH_GOES_ON &&
                       d->n_steps + 2 <= DATABASE_STEPS_MAX &&
                       database_left_s(d) - h.time_s - PROCESS_S >= end_s;
       find_choose(f))
    rc = database_search_step(d, &h, err);
  for (size_t i = 0; i < f->n; i++) {
    if (f->step[i].verdict == SEARCH_HELD && f->step[i].value > d->rate)
      d->rate = f->step[i].value;
  }
  if (f->search.end == SEARCH_FOUND)
    d->rate = f->search.low;
  if (rc == 0 && f->search.end == SEARCH_STEP_END)
    rc = err_set(err, -EIO, "%s failed: %s", d->steps[d->n_steps - 1].name,
                 strbuf_str(&d->failure));
  return rc;
}

static int database_steady(struct database *d, struct err *err)
{
  char name[64];
  const struct database_how h = { .part = DATABASE_STEADY,
                                  .name = name,
                                  .test = "oltp_read_write",
                                  .time_s = database_share_s(d,
                                                             DATABASE_STEADY),
                                  .rate = 0.8 * d->rate,
                                  .threads = database_threads_at_rate(d),
                                  .judged = true };

  d->alien[DATABASE_STEADY] = !(h.rate > 0);
  if (d->alien[DATABASE_STEADY])
    return 0;
  (void)snprintf(name, sizeof(name), "steady, 80 %% of %.4g/s", d->rate);
  return database_step(d, &h, err);
}

int database_load(struct database *d, struct err *err)
{
  const uint64_t begun_ns = clock_now_ns();
  const double most = d->total_s * LOAD_SHARE * LOAD_PER_S;
  const double wanted = 1.5 * (double)database_cache(d) / ROW_BYTES;
  const char *full;
  int rc;

  d->rows = (uint64_t)fmin(fmax(fmin(wanted, most) / DATABASE_TABLES, ROWS_MIN),
                           ROWS_MAX);
  rc = database_prepare(d, "oltp_read_write", DATABASE_TABLES, err);
  d->load_s = (double)(clock_now_ns() - begun_ns) / (double)NS_PER_S;
  full = rc == -EIO ? strstr(strbuf_str(&d->failure), "about ") : NULL;
  if (!full || !strstr(full, " needed in '"))
    return rc;
  return err_set(err, -ENOSPC,
                 "no room for the tables: %.*s; make room, or use fewer "
                 "--minutes",
                 (int)strcspn(full, ";"), full);
}

int database_ask_doctor(struct database *d, struct err *err)
{
  struct child_words more = { 0 };
  struct strbuf file = { 0 };
  const json_t *findings, *one;
  int status = 0;
  size_t i;
  int rc;

  strbuf_addf(&file, "%s/doctor.json", d->folder);
  child_words_addf(&more, "--json=%s", strbuf_str(&file));
  child_words_addf(&more, "--threads=%d", (int)CURVE_MAX);
  rc = database_run(d, "doctor", "oltp_read_write", &more, &status, err);
  if (rc == 0)
    d->doctor = json_load_file(strbuf_str(&file), 0, NULL);
  strbuf_done(&file);
  findings = json_object_get(d->doctor, "findings");
  json_array_foreach(findings, i, one)
  {
    const char *subject = result_text_at(one, "subject");
    const char *text = result_text_at(one, "text");
    const char *is = text ? strstr(text, " is ") : NULL;
    unsigned long long allowed, used, reserved = 0;

    if (subject && is && strcmp(subject, "connections") == 0 &&
        (sscanf(is, " is %llu, %llu in use", &allowed, &used) == 2 ||
         sscanf(is, " is %llu, of which %llu %*s reserved and %llu in use",
                &allowed, &reserved, &used) == 3)) {
      used += reserved;
      d->allowed = allowed > used + 4 ? (double)(allowed - used - 3) : 1;
    }
  }
  return rc < 0 || d->children.signal == 0 ? rc : -EINTR;
}

int database_perform(struct database *d, enum database_part part,
                     struct err *err)
{
  switch (part) {
  case DATABASE_CONNECT_TLS:
    return database_connect_tls(d, err);
  case DATABASE_ISOLATION:
    return database_isolation(d, err);
  case DATABASE_CURVE:
    return database_curve(d, err);
  case DATABASE_SEARCH:
    return database_search(d, err);
  case DATABASE_STEADY:
    return database_steady(d, err);
  default:
    return database_plain(d, part, err);
  }
}
