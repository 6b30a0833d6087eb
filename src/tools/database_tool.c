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
#include "base/mem.h"
#include "base/os/os.h"
#include "opt/optset.h"
#include "opt/suggest.h"
#include "results/jobj.h"
#include "results/kept.h"
#include "results/outname.h"
#include "run/runner.h"
#include "tools/database.h"
#include "tools/output.h"
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

/* ---- processes ---- */

static const char *const own_options[] = {
  "minutes", "price", "slo", "json", "old-transaction", "isolation-check"
};

static bool database_is_own(const char *arg)
{
  char name[32];

  (void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(arg, "="), arg);
  for (size_t i = 0; i < ARRAY_SIZE(own_options); i++) {
    if (opt_name_equal(name, own_options[i]))
      return true;
  }
  return false;
}

/* Later options win. */
static void database_add_args(struct child_words *l, const struct database *d,
                              const char *test, const char *const *more)
{
  const struct tool_args *args = d->args;

  for (int i = 1; i < args->argc; i++) {
    if (strncmp(args->argv[i], "--", 2) == 0 &&
        !database_is_own(args->argv[i] + 2))
      child_words_add(l, mem_strdup(args->argv[i]));
  }
  for (size_t i = 0; i < d->own.n; i++)
    child_words_add(l, mem_strdup(d->own.of[i]));
  if (strncmp(test, "oltp_", 5) == 0) {
    char text[32];

    (void)snprintf(text, sizeof(text), "%d", (int)DATABASE_TABLES);
    child_words_add_option(l, "tables", text);
    (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)d->rows);
    child_words_add_option(l, "table-size", text);
    child_words_add_option(l, "rand-type", "uniform");
  }
  for (; *more; more++)
    child_words_add(l, mem_strdup(*more));
}

/* The first FATAL line, else the last. */
static void database_take_line(FILE *from, struct strbuf *ret)
{
  char *line = NULL;
  size_t size = 0;
  bool fatal = false;

  rewind(from);
  while (getline(&line, &size, from) > 0) {
    const bool is_fatal = strncmp(line, "FATAL: ", 7) == 0;

    line[strcspn(line, "\n")] = '\0';
    if (*line == '\0' || (fatal && !is_fatal))
      continue;
    if (is_fatal && fatal)
      continue; /* the first is the cause */
    fatal = is_fatal;
    strbuf_clear(ret);
    strbuf_adds(ret, is_fatal ? line + 7 : line);
  }
  free(line);
}

/* Runs `words`, which are freed.  `line` [opt]: the FATAL or last line, instead
 * of all on stderr. */
static int database_child(struct database *d, struct child_words *words,
                          enum child_out out, struct strbuf *line,
                          int *ret_status, struct err *err)
{
  FILE *quiet = scratch_file();
  struct child_command how = { .argv = words->of, .out = out };
  int rc = quiet ? 0 : err_sys(err, "cannot make a temporary file");

  if (rc == 0 && words->failed)
    rc = err_set(err, -ENOMEM, "not enough memory");
  if (rc == 0) {
    how.err_fd = fileno(quiet);
    rc = children_run(&d->children, &how, ret_status, err);
  }
  if (line)
    strbuf_clear(line);
  if (rc == 0 && line)
    database_take_line(quiet, line);
  child_words_done(words);
  if (quiet)
    (void)fclose(quiet);
  return rc;
}

static int database_run(struct database *d, const char *first, const char *test,
                        const char *command, const char *const *more,
                        struct strbuf *failure, int *ret_status,
                        struct err *err)
{
  struct child_words args = { 0 };
  int rc;

  child_words_add(&args, mem_strdup(d->args->argv[0]));
  if (first)
    child_words_add(&args, mem_strdup(first));
  child_words_add(&args, mem_strdup(test));
  if (command)
    child_words_add(&args, mem_strdup(command));
  database_add_args(&args, d, test, more);
  rc = database_child(d, &args, CHILD_OUT_NONE, failure, ret_status, err);
  if (rc == 0 && *ret_status == EXIT_OK && failure)
    strbuf_clear(failure);
  return rc;
}

/* ---- SQL ---- */

static bool database_execute(struct database *d, const char *sql,
                             const char *option, struct strbuf *failure)
{
  const char *const more[] = {
    "--events=1",           "--threads=1", "--time=30", "--server-stats=off",
    "--db-ps-mode=disable", option,        NULL
  };
  struct strbuf path = { 0 }, line = { 0 };
  struct err err = { "" };
  int status = EXIT_FAILED;
  bool done;
  int rc;

  strbuf_addf(&path, "%s/once.sql", d->folder);
  rc = path.failed ? -ENOMEM
                   : output_put(strbuf_str(&path), sql, strlen(sql), &err);
  if (rc == 0)
    rc = database_run(d, NULL, strbuf_str(&path), "run", more, &line, &status,
                      &err);
  strbuf_done(&path);
  done = rc == 0 && status == EXIT_OK;
  if (!done) {
    strbuf_clear(failure);
    strbuf_adds(failure, rc < 0 ? err.text : strbuf_str(&line));
  }
  strbuf_done(&line);
  return done;
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

static void database_statement(const struct database *d, bool drop,
                               struct strbuf *out)
{
  const bool schema = database_is(d, "pgsql") && !d->is_whole_database;

  strbuf_addf(out, "%s %s %s%s%s;\n", drop ? "DROP" : "CREATE",
              schema ? "SCHEMA" : "DATABASE", drop ? "IF EXISTS " : "",
              d->schema, schema && drop ? " CASCADE" : "");
}

/* A pooler can ignore options of sessions: tables must not be made in another
 * schema. */
static bool database_make(struct database *d, struct strbuf *failure)
{
  struct strbuf sql = { 0 }, option = { 0 };
  bool made;

  database_statement(d, false, &sql);
  made = database_execute(d, strbuf_str(&sql), NULL, failure);
  strbuf_clear(&sql);
  database_option_of(d, &option);
  if (made && database_is(d, "pgsql") && !d->is_whole_database) {
    strbuf_addf(&sql, "SELECT 1 / (current_schema() = '%s')::int;\n",
                d->schema);
    if (!database_execute(d, strbuf_str(&sql), strbuf_str(&option), failure)) {
      strbuf_clear(&sql);
      database_statement(d, true, &sql);
      (void)database_execute(d, strbuf_str(&sql), NULL, failure);
      made = false;
    }
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
  struct strbuf failure = { 0 };
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
  made = database_make(d, &failure);
  if (!made && database_is(d, "pgsql") && d->children.signal == 0) {
    d->is_whole_database = true;
    made = database_make(d, &failure);
  }
  /* A statement that a signal has stopped can have made the schema. */
  if (!made && d->children.signal == 0) {
    d->schema[0] = '\0';
    (void)err_set(
      err, -EPERM, "cannot make a schema for the tables (%.200s): %s",
      strbuf_str(&failure), database_advice(d, strbuf_str(&failure)));
  }
  strbuf_done(&failure);
  return made || d->schema[0] ? 0 : -EPERM;
}

/* Also after Ctrl-C, which must not end the process that cleans up. */
static void database_clean(struct database *d)
{
  struct strbuf sql = { 0 }, failure = { 0 };
  const int number = d->children.signal;

  if (d->schema[0] && database_is(d, "sqlite")) {
    database_remove_file(d);
  } else if (d->schema[0]) {
    const bool whole = d->is_whole_database;

    d->children.signal = 0;
    child_words_done(&d->own);
    database_statement(d, true, &sql);
    if (whole) { /* a pooler keeps sessions */
      strbuf_clear(&sql);
      strbuf_addf(&sql, "DROP DATABASE IF EXISTS %s WITH (FORCE);\n",
                  d->schema);
    }
    if (!database_execute(d, strbuf_str(&sql), NULL, &failure)) {
      (void)snprintf(d->left, sizeof(d->left), "%.*s",
                     (int)strcspn(strbuf_str(&sql), "\n"), strbuf_str(&sql));
      log_msg(LOG_WARNING, "'%s' could not be removed (%s); use: %s", d->schema,
              strbuf_str(&failure), d->left);
    }
    d->schema[0] = '\0';
    if (number != 0)
      d->children.signal = number;
  }
  strbuf_done(&sql);
  strbuf_done(&failure);
}

/* ---- steps ---- */

static bool database_is_over(const struct database *d)
{
  return d->over || d->children.signal != 0;
}

static void database_print_step(const struct database *d,
                                const struct database_step *s)
{
  FILE *to = outname_is_stdout(d->args->results->json) ? stderr : stdout;
  struct strbuf line = { 0 };

  database_say_step(s, &line);
  (void)fprintf(to, "%s\n", strbuf_str(&line));
  (void)fflush(to);
  strbuf_done(&line);
}

struct step_how {
  const char *test;
  double time_s, rate;
  unsigned threads;
  bool judged;
  const char *option[2]; /* [opt] */
};

static int database_step(struct database *d, struct database_step *s,
                         const struct step_how *h, struct err *err)
{
  const struct opt_entry *e = optset_find(d->args->set, "db-query-timeout");
  char time[40], warmup[40], threads[32], rate[48], json[512], slo[200],
    limit[40];
  const char *more[] = {
    time, warmup,       threads,      json, "--sweep-role=step", limit, slo,
    rate, h->option[0], h->option[1], NULL
  };
  struct err unread = { "" };
  int rc;

  s->threads = h->threads;
  (void)snprintf(limit, sizeof(limit), "--db-query-timeout=%.15s",
                 e && e->given ? opt_get_string(e) : "60");
  (void)snprintf(time, sizeof(time), "--time=%.3f", h->time_s * 0.9);
  (void)snprintf(warmup, sizeof(warmup), "--warmup-time=%.3f", h->time_s * 0.1);
  (void)snprintf(threads, sizeof(threads), "--threads=%u", h->threads);
  (void)snprintf(rate, sizeof(rate), "--rate=%.10g", h->rate);
  (void)snprintf(json, sizeof(json), "--json=%.480s/step.json", d->folder);
  (void)snprintf(slo, sizeof(slo), "--slo=%.180s",
                 h->judged ? d->objective : "");
  rc = database_run(d, NULL, h->test, "run", more, &d->failure, &s->status,
                    err);
  if (rc < 0)
    return rc;
  if (access(json + 7, F_OK) == 0) {
    if (result_load(&s->result, json + 7, &unread) < 0)
      log_msg(LOG_WARNING, "%s", unread.text);
    (void)unlink(json + 7);
    s->result.path = s->result.run.path = NULL;
  }
  d->n_steps++;
  database_print_step(d, s);
  return 0;
}

static int database_need(struct database *d, struct database_step *s,
                         const struct step_how *h, struct err *err)
{
  const int rc = database_step(d, s, h, err);
  const bool empty = s->part == DATABASE_FLOOR && !(s->result.run.events > 0);

  if (rc == 0 && (!s->result.json || empty) && !database_is_over(d))
    return err_set(err, -EIO, "%s failed: %s", s->name,
                   strbuf_str(&d->failure));
  return rc;
}

static struct database_step *database_next(struct database *d,
                                           enum database_part part)
{
  struct database_step *s = &d->steps[d->n_steps];

  *s = (struct database_step){ .part = part };
  (void)snprintf(s->name, sizeof(s->name), "%s", database_part_name(part));
  return s;
}

static unsigned database_threads(const struct database *d, unsigned wanted)
{
  return d->allowed > 0 && wanted > d->allowed ? (unsigned)fmax(d->allowed, 1)
                                               : wanted;
}

static int database_plain(struct database *d, enum database_part part,
                          struct err *err)
{
  struct database_step *s = database_next(d, part);
  struct strbuf path = { 0 };
  const bool wide = part == DATABASE_READS || part == DATABASE_WRITES;
  struct step_how h = { .test = rows[part].test,
                        .time_s = database_share_s(d, part),
                        .threads = wide ? database_threads(d, THREADS) : 1 };
  int rc = 0;

  if (!h.test) {
    static const char sql[] = "SELECT 1;\n";

    strbuf_addf(&path, "%s/select_1.sql", d->folder);
    rc = output_put(strbuf_str(&path), sql, sizeof(sql) - 1, err);
    h.test = strbuf_str(&path);
  }
  if (rc == 0)
    rc = database_need(d, s, &h, err);
  strbuf_done(&path);
  return rc;
}

static const char *database_other_tls(const struct database *d,
                                      const char **ret_name)
{
  const struct result *r = database_result(d, DATABASE_FLOOR);
  const char *with = r ? result_text_at(r->json, "database.tls_protocol")
                       : NULL;
  const bool tls = with && strcmp(with, "none") != 0;
  const bool pgsql = database_is(d, "pgsql");

  *ret_name = tls ? "connections without TLS" : "connections with TLS";
  if (!with || database_is(d, "sqlite"))
    return NULL;
  if (pgsql)
    return tls ? "--pgsql-sslmode=disable" : "--pgsql-sslmode=require";
  return tls ? "--mysql-ssl=off" : "--mysql-ssl=REQUIRED";
}

static int database_connect_tls(struct database *d, struct err *err)
{
  struct database_step *s = database_next(d, DATABASE_CONNECT_TLS);
  const char *name;
  const struct step_how h = { .test = "connect",
                              .time_s = database_share_s(d,
                                                         DATABASE_CONNECT_TLS),
                              .threads = 1,
                              .option = { database_other_tls(d, &name) } };
  int rc;

  if (!h.option[0]) {
    d->alien[DATABASE_CONNECT_TLS] = true;
    return 0;
  }
  (void)snprintf(s->name, sizeof(s->name), "%s", name);
  rc = database_step(d, s, &h, err);
  if (rc == 0 && !s->result.json)
    strbuf_adds(&d->tls_failure, strbuf_str(&d->failure));
  return rc;
}

static int database_verify(struct database *d, const char *history,
                           struct err *err)
{
  struct child_words words = { 0 };
  int status = 0, rc;

  child_words_add(&words, mem_strdup(d->args->argv[0]));
  child_words_add(&words, mem_strdup("verify"));
  child_words_add(&words, mem_strdup(history));
  rc = database_child(d, &words, CHILD_OUT_ERR_FD, &d->verdict, &status, err);
  d->is_violated = rc == 0 && status == TOOL_FAILED;
  return rc;
}

static int database_isolation(struct database *d, struct err *err)
{
  struct database_step *s = database_next(d, DATABASE_ISOLATION);
  const char *const none[] = { NULL };
  struct strbuf history = { 0 };
  struct step_how h = { .test = rows[DATABASE_ISOLATION].test,
                        .time_s = database_share_s(d, DATABASE_ISOLATION),
                        .threads = database_threads(d, THREADS),
                        .option = { "--isolation=serializable" } };
  int status = 0, rc;

  strbuf_addf(&history, "--history=%s/history.log", d->folder);
  h.option[1] = strbuf_str(&history);
  rc = database_run(d, NULL, h.test, "prepare", none, &d->failure, &status,
                    err);
  if (rc == 0 && status != EXIT_OK && !database_is_over(d))
    rc = err_set(err, -EIO, "the isolation check failed: %s",
                 strbuf_str(&d->failure));
  if (rc == 0 && !database_is_over(d))
    rc = database_need(d, s, &h, err);
  if (rc == 0 && !database_is_over(d))
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
  for (unsigned i = 0, n = 1; i < points && rc == 0 && !database_is_over(d);
       i++, n = n * factor < top ? n * factor : top) {
    struct database_step *s = database_next(d, DATABASE_CURVE);
    const struct step_how h = { .test = "oltp_read_write",
                                .time_s = time_s / points,
                                .threads = n,
                                .judged = n == 1 };

    (void)snprintf(s->name, sizeof(s->name), "mix, %u connection%s", n,
                   n == 1 ? "" : "s");
    rc = database_need(d, s, &h, err);
  }
  return rc;
}

/* ---- the objective ---- */

static void database_name_rate(struct database *d, struct database_step *s)
{
  struct strbuf value = { 0 };

  if (d->find.search.value > 0)
    find_value(&d->find, d->find.search.value, &value);
  (void)snprintf(s->name, sizeof(s->name), "search %zu: %.30s", d->find.n + 1,
                 value.len > 0 ? strbuf_str(&value) : "closed loop");
  strbuf_done(&value);
}

static int database_search(struct database *d, struct err *err)
{
  const double share_s = database_share_s(d, DATABASE_SEARCH);
  const double end_s = database_left_s(d) - share_s;
  const struct database_step *peak = database_peak(d);
  struct find *f = &d->find;
  int rc = 0;

  f->rules = (struct search_rules){ .what = SEARCH_RATE,
                                    .precision = share_s < 60 ? 0.1 : 0.05,
                                    .confirm = share_s < 60 ? 1 : 2,
                                    .again = SEARCH_AGAIN };
  find_set_objective(f, d->objective);
  while (rc == 0 && !database_is_over(d)) {
    struct database_step *s = database_next(d, DATABASE_SEARCH);
    struct step_how h = { .test = "oltp_read_write",
                          .time_s = fmax(share_s / SEARCH_STEPS, 1.0),
                          .threads = peak ? 2 * peak->threads : THREADS };

    find_choose(f);
    if (f->search.end != SEARCH_GOES_ON ||
        d->n_steps + 2 > DATABASE_STEPS_MAX ||
        database_left_s(d) - h.time_s - PROCESS_S < end_s)
      break;
    h.threads = database_threads(d, h.threads < THREADS ? THREADS : h.threads);
    h.rate = f->search.value;
    h.judged = h.rate > 0;
    h.option[0] = h.judged ? "--slo-until-decided=on" : NULL;
    database_name_rate(d, s);
    rc = database_step(d, s, &h, err);
    if (rc == 0 && !database_is_over(d)) {
      if (s->result.json)
        find_judge(f, f->search.phase, f->search.value, &s->result.run);
      else
        find_judge_failed(f, f->search.phase, f->search.value, NULL);
    }
  }
  if (f->search.end == SEARCH_GOES_ON || f->search.end == SEARCH_FOUND)
    d->rate = 0;
  for (size_t i = 0; i < f->n; i++) {
    const struct search_step *step = &f->step[i];

    if (step->verdict == SEARCH_HELD && step->value > d->rate)
      d->rate = step->value;
  }
  if (f->search.end == SEARCH_FOUND)
    d->rate = f->search.low;
  return rc;
}

static int database_steady(struct database *d, struct err *err)
{
  struct database_step *s = database_next(d, DATABASE_STEADY);
  const struct database_step *peak = database_peak(d);
  struct step_how h = { .test = "oltp_read_write",
                        .time_s = database_share_s(d, DATABASE_STEADY),
                        .rate = 0.8 * d->rate,
                        .judged = true };

  if (!(h.rate > 0)) {
    d->alien[DATABASE_STEADY] = true;
    return 0;
  }
  h.threads = database_threads(
    d, peak && 2 * peak->threads > THREADS ? 2 * peak->threads : THREADS);
  (void)snprintf(s->name, sizeof(s->name), "steady, 80 %% of %.4g/s", d->rate);
  return database_step(d, s, &h, err);
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
  char json[512];
  const char *const more[] = { json, "--threads=64", NULL };
  const json_t *findings, *one;
  int status = 0;
  size_t i;
  int rc;

  (void)snprintf(json, sizeof(json), "--json=%.480s/doctor.json", d->folder);
  rc = database_run(d, "doctor", "oltp_read_write", NULL, more, &d->failure,
                    &status, err);
  if (rc == 0)
    d->doctor = json_load_file(json + 7, 0, NULL);
  (void)unlink(json + 7);
  findings = json_object_get(d->doctor, "findings");
  json_array_foreach(findings, i, one)
  {
    const char *subject = result_text_at(one, "subject");
    const char *text = result_text_at(one, "text");
    const char *is = text ? strstr(text, " is ") : NULL;
    unsigned long long allowed, used;

    if (rc == 0 && subject && text && strcmp(subject, "server") == 0)
      rc = database_spare_file(d, text, err);

    if (!subject || !is)
      continue;
    if (strcmp(subject, "connections") == 0 &&
        sscanf(is, " is %llu, %llu in use", &allowed, &used) == 2)
      d->allowed = allowed > used + 4 ? (double)(allowed - used - 3) : 1;
  }
  return rc;
}

static int database_load(struct database *d, struct err *err)
{
  const char *const more[] = { "--threads=4", NULL };
  const double most = d->total_s * LOAD_SHARE * LOAD_PER_S;
  const double wanted = 1.5 * (double)database_cache(d) / ROW_BYTES;
  const char *full;
  int status = 0;
  int rc;

  d->rows = (uint64_t)fmin(fmax(fmin(wanted, most) / DATABASE_TABLES, ROWS_MIN),
                           ROWS_MAX);
  rc = database_run(d, NULL, "oltp_read_write", "prepare", more, &d->failure,
                    &status, err);
  full = strstr(strbuf_str(&d->failure), "about ");
  if (full && !strstr(full, " needed in '"))
    full = NULL;
  if (rc == 0 && status != EXIT_OK && d->children.signal == 0)
    rc = full ? err_set(err, -ENOSPC,
                        "no room for the tables: %.*s; make room, or use fewer "
                        "--minutes",
                        (int)strcspn(full, ";"), full)
              : err_set(err, -EIO, "the tables could not be loaded: %s",
                        strbuf_str(&d->failure));
  return rc;
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
  for (unsigned part = 0;
       part < DATABASE_PARTS && rc == 0 && !database_is_over(d); part++) {
    if (part == DATABASE_POINT) {
      const struct result *floor = database_result(d, DATABASE_FLOOR);

      rc = floor ? database_make_schema(
                     d, result_text_at(floor->json, "database.file"), err)
                 : err_set(err, -ETIME,
                           "--minutes=%g is too short here: the server "
                           "answers slowly",
                           d->cfg->minutes);
      if (rc == 0 && !database_is_over(d))
        rc = database_load(d, err);
    }
    if (database_is(d, "sqlite"))
      d->alien[DATABASE_CONNECT] = d->alien[DATABASE_CONNECT_TLS] = true;
    if (part == DATABASE_SEARCH && database_misses_alone(d))
      d->alien[DATABASE_SEARCH] = d->alien[DATABASE_STEADY] = true;
    if (rc == 0 && !database_is_over(d))
      database_cut(d, part);
    if (rc == 0 && !database_is_over(d) && !d->cut[part] && !d->alien[part])
      rc = database_perform(d, part, err);
  }
  return rc;
}

static bool database_keep(const char *text)
{
  struct kept_file f;
  bool whole;

  if (!text || kept_open(&f) < 0)
    return false;
  whole = fputs(text, f.stream) >= 0;
  kept_close(&f, whole);
  return whole;
}

static int database_conclude(struct database *d, struct err *err)
{
  const char *file = d->args->results->json;
  const bool on_stdout = outname_is_stdout(file);
  json_t *json = database_document(d);
  char *text = json ? jobj_pretty(json) : NULL;
  struct strbuf out = { 0 };
  int rc = 0;

  database_say(d, &out);
  if (database_keep(text))
    strbuf_addf(&out, "\nTo see the page: bench report\n");
  else
    strbuf_addf(&out, "\nTo see the page: %sbench report %s -o page.html\n",
                *file ? "" : "run with --json=FILE, then ",
                *file && !on_stdout ? file : "FILE");
  (void)fprintf(on_stdout ? stderr : stdout, "\n%s", strbuf_str(&out));
  (void)fflush(NULL);
  strbuf_done(&out);
  if (!text)
    rc = err_set(err, -ENOMEM, "not enough memory for the document");
  else if (*file)
    rc = output_put(on_stdout ? "-" : file, text, strlen(text), err);
  free(text);
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
    const bool leads = e->section == OPT_SECTION_DATABASE ||
                       e->section == OPT_SECTION_DRIVER;

    if (e->given && e->source == OPT_SOURCE_CMDLINE &&
        e->section != OPT_SECTION_TEST && (tries || !leads) &&
        !database_is_own(e->row->name))
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
    struct strbuf b = { 0 };

    child_words_add_option(&d->own, "db-driver", "sqlite");
    strbuf_addf(&b, "--sqlite-db=%s/try.db", d->folder);
    child_words_take(&d->own, &b);
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
