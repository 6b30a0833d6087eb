/*
 * database_tool.c - the parts of `bench database`: their time, their processes,
 * and the schema around their tables.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "opt/optset.h"
#include "results/outname.h"
#include "run/runner.h"
#include "tools/database.h"
#include "tools/output.h"
#include "tools/report_page.h"
#include "tools/sweep_internal.h"
#include "tools/tool.h"

/* ---- parts and their time ---- */

/* Start and end of a process. */
#define PROCESS_S 0.4
/* Share of the time for loading, and the rows per second to expect. */
#define LOAD_SHARE 0.12
#define LOAD_PER_S 30000.0
#define ROW_BYTES 250.0

enum {
  THREADS = 16,       /* of reads and writes */
  CURVE_MAX = 64,     /* connections */
  SEARCH_STEPS = 12,  /* the time of a step is this part of the search */
  ROWS_MIN = 2000,    /* of each table */
  ROWS_MAX = 8000000, /* 8 GB in four tables */
};

struct row {
  const char *test; /* NULL: a file of SQL */
  double weight;    /* share of the time above the least */
  double least_s;
  unsigned processes;
  unsigned cut; /* the lowest is cut first */
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
  return d->total_s - (double)(clock_now_ns() - d->begun_ns) / (double)NS_PER_S;
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

/* Cuts whole parts until the least time of the others is there. */
static void database_cut(struct database *d, enum database_part from)
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

/* ---- the schema ---- */

static bool database_is(const struct database *d, const char *driver)
{
  return strcmp(database_driver(d), driver) == 0;
}

static void database_option_of(const struct database *d, struct strbuf *out)
{
  const struct opt_entry *e = optset_find(d->args->set, "pgsql-options");
  const char *given = e && e->given ? opt_get_string(e) : "";

  if (database_is(d, "mysql"))
    strbuf_addf(out, "--mysql-db=%s", d->schema);
  else if (d->is_whole_database)
    strbuf_addf(out, "--pgsql-db=%s", d->schema);
  else
    strbuf_addf(out, "--pgsql-options=%s%s-c search_path=%s", given,
                *given ? " " : "", d->schema);
}

static bool database_is_schema(const struct database *d)
{
  return database_is(d, "pgsql") && !d->is_whole_database;
}

static bool database_create(struct database *d)
{
  struct strbuf sql = { 0 };
  bool done;

  strbuf_addf(&sql, "CREATE %s %s;\n",
              database_is_schema(d) ? "SCHEMA" : "DATABASE", d->schema);
  done = database_execute(d, strbuf_str(&sql), NULL);
  strbuf_done(&sql);
  return done;
}

/* FORCE: a pooler keeps sessions. */
static void database_say_drop(const struct database *d, struct strbuf *out)
{
  strbuf_addf(out, "DROP %s IF EXISTS %s%s;",
              database_is_schema(d) ? "SCHEMA" : "DATABASE", d->schema,
              database_is_schema(d)     ? " CASCADE"
              : database_is(d, "pgsql") ? " WITH (FORCE)"
                                        : "");
}

static bool database_drop(struct database *d)
{
  struct strbuf sql = { 0 };
  bool done;

  database_say_drop(d, &sql);
  strbuf_adds(&sql, "\n");
  done = database_execute(d, strbuf_str(&sql), NULL);
  strbuf_done(&sql);
  return done;
}

/* A pooler can ignore options of sessions: tables must not be made in another
 * schema. */
static bool database_make(struct database *d)
{
  struct strbuf sql = { 0 }, option = { 0 };
  bool made = database_create(d);

  database_option_of(d, &option);
  if (made && database_is_schema(d)) {
    strbuf_addf(&sql, "SELECT 1 / (current_schema() = '%s')::int;\n",
                d->schema);
    made = database_execute(d, strbuf_str(&sql), strbuf_str(&option));
    if (!made)
      (void)database_drop(d);
  }
  if (made)
    child_words_take(&d->own, &option);
  strbuf_done(&option);
  strbuf_done(&sql);
  return made;
}

#define SQLITE_FILE "--sqlite-db="

static int database_make_file(struct database *d, const char *beside,
                              struct err *err)
{
  struct strbuf option = { 0 };
  const char *path;
  int rc = 0, fd;

  if (strncmp(beside, "file:", 5) == 0) {
    d->schema[0] = '\0';
    return err_set(err, -EINVAL,
                   "--sqlite-db=%.200s is not possible here (expected the name "
                   "of a file)",
                   beside);
  }
  strbuf_addf(&option, SQLITE_FILE "%s-%s", beside, d->schema);
  path = strbuf_str(&option) + strlen(SQLITE_FILE);
  fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (fd < 0)
    rc = err_sys(err, "cannot make the file '%.300s' for the tables,", path);
  else
    (void)close(fd);
  if (rc == 0)
    child_words_take(&d->own, &option);
  else
    d->schema[0] = '\0';
  strbuf_done(&option);
  return rc;
}

static void database_remove_file(const struct database *d)
{
  static const char *const ends[] = { "", "-wal", "-shm", "-journal" };

  for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
    struct strbuf path = { 0 };

    strbuf_addf(&path, "%s%s", d->own.of[0] + strlen(SQLITE_FILE), ends[i]);
    if (!path.failed)
      (void)unlink(strbuf_str(&path));
    strbuf_done(&path);
  }
}

static const char *database_advice(const struct database *d,
                                   const char *failure)
{
  if (strstr(failure, "read-only"))
    return "name a server and a user that can write";
  return database_is(d, "pgsql")
           ? "GRANT CREATE ON DATABASE to the user, or name a database of the "
             "user with --pgsql-db"
           : "GRANT ALL ON `bench\\_%`.* to the user";
}

/* `file` [opt]: of SQLite. */
static int database_make_schema(struct database *d, const char *file,
                                struct err *err)
{
  uint64_t number = 0;
  bool made;

  if (d->tries || d->schema[0])
    return 0;
  if (getrandom(&number, sizeof(number), 0) < 0)
    return err_sys(err, "no random number for the name of a schema");
  (void)snprintf(d->schema, sizeof(d->schema), "bench_%08llx",
                 (unsigned long long)(number & 0xffffffff));
  if (file)
    return database_make_file(d, file, err);
  made = database_make(d);
  if (!made && database_is(d, "pgsql") && d->children.signal == 0) {
    d->is_whole_database = true;
    made = database_make(d);
  }
  if (d->children.signal != 0) /* perhaps it was made */
    return -EINTR;
  if (made)
    return 0;
  d->schema[0] = '\0';
  return err_set(
    err, -EPERM, "cannot make a schema for the tables (%.200s): %s",
    strbuf_str(&d->failure), database_advice(d, strbuf_str(&d->failure)));
}

/* Also after Ctrl-C, which must not end the process that cleans up. */
static void database_clean(struct database *d)
{
  const int number = d->children.signal;
  struct strbuf sql = { 0 };

  if (d->schema[0] && database_is(d, "sqlite")) {
    database_remove_file(d);
  } else if (d->schema[0]) {
    d->children.signal = 0;
    child_words_done(&d->own);
    if (!database_drop(d)) {
      database_say_drop(d, &sql);
      (void)snprintf(d->left, sizeof(d->left), "%s", strbuf_str(&sql));
      log_msg(LOG_WARNING, "'%s' could not be removed (%s); use: %s", d->schema,
              strbuf_str(&d->failure), d->left);
    }
    if (number != 0)
      d->children.signal = number;
  }
  d->schema[0] = '\0';
  strbuf_done(&sql);
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

/* Or NULL. */
static const char *database_other_tls(const struct database *d,
                                      const char **ret_name)
{
  const char *with = result_text_at(database_result(d, DATABASE_FLOOR)->json,
                                    "database.tls_protocol");
  const bool tls = with && strcmp(with, "none") != 0;

  *ret_name = tls ? "connections without TLS" : "connections with TLS";
  if (!with)
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
  if (!h.option[0]) {
    d->alien[DATABASE_CONNECT_TLS] = true;
    return 0;
  }
  rc = database_step(d, &h, err);
  strbuf_adds(&d->tls_failure, strbuf_str(&d->failure));
  return rc;
}

static int database_prepare(struct database *d, const char *test,
                            unsigned threads, struct err *err)
{
  struct child_words more = { 0 };
  int status = 0, rc;

  child_words_addf(&more, "--threads=%u", threads);
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

  strbuf_addf(&history, "--history=%s/history.log", d->folder);
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
  const struct result_file *r = &d->steps[d->n_steps].result;
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
  if (rc == 0 && r->json)
    find_judge(f, f->search.phase, f->search.value, &r->run);
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
                                  .judged = true,
                                  .may_fail = true };

  d->alien[DATABASE_STEADY] = !(h.rate > 0);
  if (d->alien[DATABASE_STEADY])
    return 0;
  (void)snprintf(name, sizeof(name), "steady, 80 %% of %.4g/s", d->rate);
  return database_step(d, &h, err);
}

/* ---- the protocol ---- */

/* Steps would make a missing file of SQLite, and leave it.  The finding cuts
 * longer paths. */
static int database_spare_file(struct database *d, const char *text,
                               struct err *err)
{
  char path[201];

  if (sscanf(text, "the file '%200[^\n]", path) != 1 ||
      !text_ends_with(path, "' does not exist"))
    return 0;
  path[strlen(path) - strlen("' does not exist")] = '\0';
  return database_make_schema(d, path, err);
}

/* Findings of `bench doctor` with the most connections of the curve. */
static int database_ask_doctor(struct database *d, struct err *err)
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
    unsigned long long allowed, used;

    if (rc == 0 && subject && text && strcmp(subject, "server") == 0)
      rc = database_spare_file(d, text, err);
    if (subject && is && strcmp(subject, "connections") == 0 &&
        sscanf(is, " is %llu, %llu in use", &allowed, &used) == 2)
      d->allowed = allowed > used + 4 ? (double)(allowed - used - 3) : 1;
  }
  return rc < 0 || d->children.signal == 0 ? rc : -EINTR;
}

static int database_load(struct database *d, struct err *err)
{
  const double most = d->total_s * LOAD_SHARE * LOAD_PER_S;
  const double wanted = 1.5 * (double)database_cache(d) / ROW_BYTES;
  const char *full;
  int rc;

  d->rows = (uint64_t)fmin(fmax(fmin(wanted, most) / DATABASE_TABLES, ROWS_MIN),
                           ROWS_MAX);
  rc = database_prepare(d, "oltp_read_write", DATABASE_TABLES, err);
  full = rc == -EIO ? strstr(strbuf_str(&d->failure), "about ") : NULL;
  if (!full || !strstr(full, " needed in '"))
    return rc;
  return err_set(err, -ENOSPC,
                 "no room for the tables: %.*s; make room, or use fewer "
                 "--minutes",
                 (int)strcspn(full, ";"), full);
}

static int database_perform(struct database *d, enum database_part part,
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

static int database_protocol(struct database *d, struct err *err)
{
  int rc = database_ask_doctor(d, err);

  d->alien[DATABASE_ISOLATION] = !d->cfg->isolation;
  for (unsigned part = 0; part < DATABASE_PARTS && rc == 0; part++) {
    if (part == DATABASE_POINT) {
      const struct result *floor = database_result(d, DATABASE_FLOOR);

      rc = floor ? database_make_schema(
                     d, result_text_at(floor->json, "database.file"), err)
                 : err_set(err, -ETIME,
                           "--minutes=%g is too short here: the server "
                           "answers slowly",
                           d->cfg->minutes);
      if (rc == 0)
        rc = database_load(d, err);
    }
    if (database_is(d, "sqlite"))
      d->alien[DATABASE_CONNECT] = d->alien[DATABASE_CONNECT_TLS] = true;
    if (part == DATABASE_SEARCH && database_misses_alone(d))
      d->alien[DATABASE_SEARCH] = d->alien[DATABASE_STEADY] = true;
    if (rc == 0)
      database_cut(d, part);
    if (rc == 0 && !d->cut[part] && !d->alien[part])
      rc = database_perform(d, part, err);
  }
  return rc;
}

static int database_conclude(struct database *d, struct err *err)
{
  const char *file = d->args->results->json;
  const bool on_stdout = outname_is_stdout(file);
  json_t *json = database_document(d);
  struct strbuf out = { 0 };
  int rc = 0;

  report_sentences(json, &out);
  if (output_keep(json))
    strbuf_addf(&out, "\nTo see the page: bench report\n");
  else
    strbuf_addf(&out, "\nTo see the page: %sbench report %s -o page.html\n",
                *file ? "" : "run with --json=FILE, then ",
                *file && !on_stdout ? file : "FILE");
  (void)fputs(strbuf_str(&out), on_stdout ? stderr : stdout);
  (void)fflush(NULL);
  strbuf_done(&out);
  if (!json)
    rc = err_set(err, -ENOMEM, "not enough memory for the document");
  else if (*file)
    rc = output_put_json(on_stdout ? "-" : file, json, err);
  json_decref(json);
  return rc;
}

static void database_done(struct database *d)
{
  children_end(&d->children);
  for (size_t i = 0; i < d->n_steps; i++)
    result_file_done(&d->steps[i].result);
  json_decref(d->doctor);
  child_words_done(&d->own);
  strbuf_done(&d->failure);
  strbuf_done(&d->tls_failure);
  strbuf_done(&d->verdict);
  child_scratch_remove(d->folder);
}

static int database_check_options(const struct tool_args *args, bool tries,
                                  struct err *err)
{
  for (size_t i = 0; i < args->set->n; i++) {
    const struct opt_entry *e = args->set->entries[i];

    if (e->given && e->source == OPT_SOURCE_CMDLINE &&
        e->section != OPT_SECTION_TEST && (tries || !database_passes(e)) &&
        strcmp(e->row->name, "slo") != 0 && strcmp(e->row->name, "json") != 0)
      return err_set(err, -EINVAL,
                     "--%.60s has no effect on %s, which takes --minutes, "
                     "--slo, --json%s",
                     e->row->name, args->tool_name,
                     tries ? "" : " and the options of databases and drivers");
  }
  if (args->n_files > 0)
    return err_set(err, -EINVAL,
                   "%s takes no argument '%.100s' (expected options)",
                   args->tool_name, args->files[0]);
  return 0;
}

static int database_begin(struct database *d, struct err *err)
{
  const char *file = d->args->results->json;
  int rc = database_check_options(d->args, d->tries, err);

  if (rc < 0)
    return rc;
  if (*file)
    rc = sweep_check_file(file, err);
  if (rc == 0)
    rc = children_begin(&d->children,
                        "this ends after the present step, and removes its "
                        "tables",
                        err);
  if (rc == 0)
    rc = child_scratch(file, &d->folder, err);
  if (rc == 0 && d->tries) {
    child_words_addf(&d->own, "--db-driver=sqlite");
    child_words_addf(&d->own, SQLITE_FILE "%s/try.db", d->folder);
  }
  return rc;
}

static int database_tool(const struct tool_args *args, struct err *err)
{
  const struct database_cfg *cfg = args->cfg;
  struct database d = {
    .args = args,
    .cfg = cfg,
    .objective = *args->objective ? args->objective : "p99<=20ms",
    .total_s = 60 * cfg->minutes,
    .tries = strcmp(args->tool_name, tool_try.name) == 0,
    .begun_ns = clock_now_ns(),
  };
  struct err last = { "" };
  int rc, status;

  if (database_begin(&d, err) < 0) {
    database_done(&d);
    return TOOL_BAD_INPUT;
  }
  rc = database_protocol(&d, err);
  database_clean(&d);
  if (database_result(&d, DATABASE_FLOOR) && database_conclude(&d, &last) < 0 &&
      rc == 0) {
    *err = last;
    rc = -EIO;
  }
  status = d.children.signal != 0 ? EXIT_SIGNAL + d.children.signal
           : rc < 0 || d.left[0]  ? TOOL_FAILED
                                  : TOOL_OK;
  database_done(&d);
  return status;
}

/* ---- the tools ---- */

static const struct opt database_opts[] = {
  {
    OPT_DOUBLE(struct database_cfg, minutes),
    .name = "minutes",
    .def = "15",
    .fmin = 0.1,
    .fmax = 1440,
    .help = "time of everything; parts that do not fit are cut, in a fixed "
            "order, and named",
  },
  {
    OPT_DOUBLE(struct database_cfg, price),
    .name = "price",
    .def = "0",
    .fmin = 0,
    .fmax = 1000000000,
    .help = "price of the server per hour, for the price of a million queries",
  },
  {
    OPT_BOOL(struct database_cfg, isolation),
    .name = "isolation-check",
    .def = "off",
    .help = "also look for anomalies at --isolation=serializable",
  },
  {
    OPT_TIME(struct database_cfg, old_s),
    .name = "old-transaction",
    .def = "60",
    .min = 1,
    .max = 1000000,
    .help = "name transactions of other sessions from this age on",
  },
  OPT_END,
};

const struct tool tool_database = {
  .name = "database",
  .summary = "measure a database server in a quarter of an hour",
  .usage = "--dsn=URL [--minutes=N] [--slo=OBJECTIVE] [--json=FILE]",
  .opts = database_opts,
  .cfg_size = sizeof(struct database_cfg),
  .run = database_tool,
};

static const struct opt try_opts[] = {
  {
    OPT_DOUBLE(struct database_cfg, minutes),
    .name = "minutes",
    .def = "2",
    .fmin = 0.1,
    .fmax = 1440,
    .help = "time of everything",
  },
  OPT_END,
};

const struct tool tool_try = {
  .name = "try",
  .summary = "the same with SQLite in two minutes: no server, no options",
  .usage = "[--minutes=N] [--slo=OBJECTIVE] [--json=FILE]",
  .opts = try_opts,
  .cfg_size = sizeof(struct database_cfg),
  .run = database_tool,
};
