/*
 * database_tool.c - `bench database`: its schema, earlier runs, the protocol.
 */
#include <errno.h>
#include <fcntl.h>
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
#include "opt/optset.h"
#include "results/outname.h"
#include "run/runner.h"
#include "tools/database.h"
#include "tools/output.h"
#include "tools/report_page.h"
#include "tools/sweep_internal.h"
#include "tools/tool.h"

/* ---- the schema ---- */

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

static void database_file(const struct database *d, struct strbuf *out)
{
  strbuf_addf(out, "%s-%s", d->file, d->schema);
}

/* FORCE: a pooler keeps sessions. */
static void database_say_left(struct database *d)
{
  strbuf_clear(&d->left);
  if (database_is(d, "sqlite")) {
    strbuf_adds(&d->left, "rm ");
    database_file(d, &d->left);
  } else {
    strbuf_addf(&d->left, "DROP %s IF EXISTS %s%s;",
                database_is_schema(d) ? "SCHEMA" : "DATABASE", d->schema,
                database_is_schema(d)     ? " CASCADE"
                : database_is(d, "pgsql") ? " WITH (FORCE)"
                                          : "");
  }
}

static bool database_drop(struct database *d)
{
  struct strbuf sql = { 0 };
  bool done;

  strbuf_addf(&sql, "%s\n", strbuf_str(&d->left));
  done = database_execute(d, strbuf_str(&sql), NULL);
  if (done)
    strbuf_clear(&d->left);
  strbuf_done(&sql);
  return done;
}

/* A new file takes the place of the old one: if this process is killed, one of
 * both is there, and whole. */
static void database_put(const json_t *json, struct kept_file *kept)
{
  struct kept_file f;

  if (!json || kept_open(&f) < 0)
    return;
  if (output_json(json, f.stream) && fflush(f.stream) == 0 &&
      rename(f.path, kept->path) == 0) {
    (void)fclose(kept->stream);
    kept->stream = f.stream;
  } else {
    kept_close(&f, false);
  }
}

/* For --resume after a kill. */
static void database_save(struct database *d)
{
  json_t *json = d->kept.stream ? database_document(d) : NULL;

  database_put(json, &d->kept);
  json_decref(json);
}

/* A pooler can ignore options of sessions. */
static bool database_make(struct database *d)
{
  struct strbuf sql = { 0 }, option = { 0 };
  bool made;

  database_say_left(d);
  database_save(d);
  made = database_create(d);
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

static int database_make_file(struct database *d, struct err *err)
{
  struct strbuf option = { 0 };
  const char *path;
  int rc = 0, fd;

  if (strncmp(d->file, "file:", 5) == 0) {
    d->schema[0] = '\0';
    return err_set(err, -EINVAL,
                   "--sqlite-db=%.200s is not possible here (expected the name "
                   "of a file)",
                   d->file);
  }
  database_say_left(d);
  database_save(d);
  strbuf_adds(&option, SQLITE_FILE);
  database_file(d, &option);
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
  if (rc < 0)
    strbuf_clear(&d->left);
  strbuf_done(&option);
  return rc;
}

static void database_remove_file(struct database *d)
{
  static const char *const ends[] = { "", "-wal", "-shm", "-journal" };

  for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
    struct strbuf path = { 0 };

    database_file(d, &path);
    strbuf_adds(&path, ends[i]);
    if (!path.failed)
      (void)unlink(strbuf_str(&path));
    strbuf_done(&path);
  }
  strbuf_clear(&d->left);
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

static int database_make_schema(struct database *d, struct err *err)
{
  uint64_t number = 0;
  bool made;

  if (d->tries || d->schema[0])
    return 0;
  if (getrandom(&number, sizeof(number), 0) < 0)
    return err_sys(err, "no random number for the name of a schema");
  (void)snprintf(d->schema, sizeof(d->schema), "bench_%08llx",
                 (unsigned long long)(number & 0xffffffff));
  if (d->file)
    return database_make_file(d, err);
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
  strbuf_clear(&d->left);
  return err_set(
    err, -EPERM, "cannot make a schema for the tables (%.200s): %s",
    strbuf_str(&d->failure), database_advice(d, strbuf_str(&d->failure)));
}

/* Also after Ctrl-C. */
static void database_clean(struct database *d)
{
  const int number = d->children.signal;

  if (d->schema[0] && database_is(d, "sqlite")) {
    database_remove_file(d);
  } else if (d->schema[0]) {
    d->children.signal = 0;
    child_words_done(&d->own);
    if (!database_drop(d))
      log_msg(LOG_WARNING, "'%s' could not be removed (%s); use: %s", d->schema,
              strbuf_str(&d->failure), strbuf_str(&d->left));
    if (number != 0)
      d->children.signal = number;
  }
  d->schema[0] = '\0';
}

/* ---- earlier runs ---- */

/* Of the first step of both. */
static bool database_is_same(const struct database *d, const json_t *floor)
{
  static const char *const options[] = {
    "db-driver",  "pgsql-host", "pgsql-port",   "pgsql-db", "mysql-host",
    "mysql-port", "mysql-db",   "mysql-socket", "sqlite-db"
  };
  const json_t *own = database_result(d, DATABASE_FLOOR)->json;

  for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
    const json_t *a = json_object_get(json_object_get(own, "options"),
                                      options[i]);
    const json_t *b = json_object_get(json_object_get(floor, "options"),
                                      options[i]);

    if (a != b &&
        !json_equal(json_object_get(a, "value"), json_object_get(b, "value")))
      return false;
  }
  return true;
}

/* Only a command of the known form. */
static bool database_remove_left(struct database *d, const char *left)
{
  const char *name = strstr(left, "bench_");
  const bool whole = d->is_whole_database;
  char own[sizeof(d->schema)];
  bool removed = false;

  for (const char *more = name; more; more = strstr(name + 1, "bench_"))
    name = more;
  if (!name)
    return false;
  memcpy(own, d->schema, sizeof(own));
  (void)snprintf(d->schema, sizeof(d->schema), "%.*s",
                 (int)strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_"),
                 name);
  d->is_whole_database = strncmp(left, "DROP DATABASE ", 14) == 0;
  database_say_left(d);
  if (strcmp(strbuf_str(&d->left), left) == 0) {
    database_clean(d);
    removed = d->left.len == 0;
  }
  memcpy(d->schema, own, sizeof(own));
  d->is_whole_database = whole;
  strbuf_clear(&d->left);
  if (d->schema[0])
    database_say_left(d);
  return removed;
}

/* Of killed runs: keeps results, removes tables. */
static void database_take_orphans(struct database *d)
{
  struct kept_name last = { "" };
  struct kept_file f;

  while (kept_orphan(&f, &last)) {
    json_t *json = json_loadf(f.stream, 0, NULL);
    json_t *of = json_object_get(json, "database");
    const char *left = result_text_at(of, "left_behind");
    struct strbuf line = { 0 };

    if (!of) {
      if (json)
        (void)fclose(f.stream);
      else /* killed while it was written */
        kept_close(&f, false);
      json_decref(json);
      continue;
    }
    strbuf_adds(&line, "An earlier run was killed.");
    if (left && database_is_same(d, result_at(json, "steps.0.result")) &&
        database_remove_left(d, left)) {
      strbuf_addf(&line, " Its tables have been removed: %s", left);
      (void)json_object_set_new(of, "left_behind", json_null());
    } else if (left) {
      strbuf_addf(&line, " To remove its tables: %s", left);
    }
    database_print(d, &line);
    database_put(json, &f);
    kept_close(&f, true);
    json_decref(json);
  }
}

static enum database_part database_part_of(const char *name)
{
  static const struct {
    const char *begin;
    enum database_part part;
  } of[] = { { "connections with", DATABASE_CONNECT_TLS },
             { "mix, ", DATABASE_CURVE },
             { "search ", DATABASE_SEARCH },
             { "steady, ", DATABASE_STEADY } };
  unsigned part = 0;

  for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
    if (strncmp(name, of[i].begin, strlen(of[i].begin)) == 0)
      return of[i].part;
  }
  while (part < DATABASE_PARTS &&
         strcmp(name, database_part_name((enum database_part)part)) != 0)
    part++;
  return (enum database_part)part;
}

static int database_take_steps(struct database *d, const json_t *steps,
                               struct err *err)
{
  const json_t *one;
  int rc = 0;
  size_t i;

  json_array_foreach(steps, i, one)
  {
    struct database_step *s = &d->steps[d->n_steps];
    const char *name = result_text_at(one, "values.part");
    json_t *run = json_object_get(one, "result");

    *s = (struct database_step){ .part = database_part_of(name ? name : "") };
    if (s->part == DATABASE_FLOOR || s->part >= d->next || rc < 0 ||
        d->n_steps + 1 >= DATABASE_STEPS_MAX)
      continue;
    (void)snprintf(s->name, sizeof(s->name), "%s", name);
    s->status = (int)json_integer_value(json_object_get(one, "exit_status"));
    if (json_is_object(run))
      rc = result_load_json(&s->result, d->cfg->resume, json_incref(run), err);
    s->result.path = s->result.run.path = NULL;
    if (s->result.json)
      s->threads = (unsigned)s->result.run.threads;
    d->n_steps++;
  }
  return rc;
}

static int database_take_document(struct database *d, const json_t *json,
                                  const char *path, struct err *err)
{
  const json_t *of = json_object_get(json, "database"), *one;
  const char *next = result_text_at(of, "next");
  const char *objective = result_text_at(of, "objective");
  const char *text;
  double number;
  size_t i;

  if (!next ||
      json_integer_value(json_object_get(of, "protocol")) != DATABASE_PROTOCOL)
    return err_set(err, -EINVAL,
                   "'%.200s' is not of a run of bench database that was "
                   "interrupted",
                   path);
  if (!database_is_same(d, result_at(json, "steps.0.result")))
    return err_set(err, -EINVAL, "'%.200s' is of another server", path);
  if (!objective || strcmp(objective, d->objective) != 0)
    return err_set(err, -EINVAL,
                   "'%.200s' has the objective %.60s, and not %.60s", path,
                   objective ? objective : "", d->objective);
  d->next = database_part_of(next);
  number = result_number_at(of, "measured_s");
  d->earlier_s = number > 0 ? number : 0;
  number = result_number_at(of, "rate");
  d->rate = number > 0 ? number : 0;
  if (json_is_true(json_object_get(of, "rate_confirmed")))
    d->find.search.end = SEARCH_FOUND;
  json_array_foreach(json_object_get(of, "cut"), i, one)
  {
    const enum database_part part = database_part_of(
      json_is_string(one) ? json_string_value(one) : "");

    if (part < d->next)
      d->cut[part] = true;
  }
  json_array_foreach(json_object_get(of, "remarks"), i, one)
  {
    text = result_text_at(one, "code");
    d->is_violated |= text && strcmp(text, "isolation") == 0;
  }
  text = result_text_at(of, "isolation");
  strbuf_adds(&d->verdict, text ? text : "");
  text = result_text_at(of, "tls_failure");
  strbuf_adds(&d->tls_failure, text ? text : "");
  return database_take_steps(d, json_object_get(json, "steps"), err);
}

static int database_resume(struct database *d, struct err *err)
{
  const bool last = strcmp(d->cfg->resume, "last") == 0;
  char room[PATH_MAX], number[24];
  const char *path = kept_or_file(d->cfg->resume, room);
  json_t *json = last ? NULL : json_load_file(path, 0, NULL);
  struct strbuf line = { 0 };
  const char *left;
  int rc;

  for (unsigned i = 1; last && !json; i++) {
    (void)snprintf(number, sizeof(number), "%u", i);
    if (!kept_path(number, room))
      return err_set(err, -ENOENT,
                     "no result of bench database is kept here (expected the "
                     "document of --json after --resume=)");
    path = room;
    json = json_load_file(path, 0, NULL);
    if (!json_is_integer(result_at(json, "database.protocol"))) {
      json_decref(json);
      json = NULL;
    }
  }
  rc = database_take_document(d, json, path, err);
  left = result_text_at(json, "database.left_behind");
  /* Another's file could name another's tables. */
  if (rc == 0 && left && path == room && database_remove_left(d, left)) {
    strbuf_addf(&line, "The tables of the earlier run have been removed: %s",
                left);
    database_print(d, &line);
  }
  json_decref(json);
  return rc;
}

/* ---- the protocol ---- */

static int database_set_file(struct database *d, const char *path,
                             struct err *err)
{
  d->file = mem_strdup(path);
  return d->file ? 0 : err_set(err, -ENOMEM, "not enough memory");
}

/* SQLite makes a missing file, which would stay. doctor cuts longer paths. */
static int database_spare_file(struct database *d, struct err *err)
{
  const json_t *one;
  size_t i;

  json_array_foreach(json_object_get(d->doctor, "findings"), i, one)
  {
    const char *text = result_text_at(one, "text");
    char path[201];

    if (text && sscanf(text, "the file '%200[^\n]", path) == 1 &&
        text_ends_with(path, "' does not exist")) {
      path[strlen(path) - strlen("' does not exist")] = '\0';
      return database_set_file(d, path, err);
    }
  }
  return 0;
}

static int database_go_on(struct database *d, struct err *err)
{
  if (!d->tries)
    database_take_orphans(d);
  d->next = DATABASE_CONNECT;
  return !d->tries && *d->cfg->resume ? database_resume(d, err) : 0;
}

static int database_protocol(struct database *d, struct err *err)
{
  const struct result *floor;
  const char *file, *name;
  bool loaded = false;
  int rc = database_ask_doctor(d, err);

  d->alien[DATABASE_ISOLATION] = !d->cfg->isolation;
  if (rc == 0)
    rc = database_spare_file(d, err);
  if (rc == 0 && d->file)
    rc = database_make_schema(d, err);
  if (rc == 0)
    rc = database_perform(d, DATABASE_FLOOR, err);
  floor = database_result(d, DATABASE_FLOOR);
  file = floor ? result_text_at(floor->json, "database.file") : NULL;
  if (rc == 0 && file && !d->file)
    rc = database_set_file(d, file, err);
  if (rc == 0)
    rc = database_go_on(d, err);
  for (; d->next < DATABASE_PARTS && rc == 0; d->next += rc == 0) {
    const enum database_part part = d->next;

    if (!d->schema[0])
      rc = database_make_schema(d, err);
    if (part >= DATABASE_POINT && !loaded) {
      if (rc == 0)
        rc = database_load(d, err);
      loaded = true;
    }
    d->alien[DATABASE_CONNECT] = database_is(d, "sqlite");
    d->alien[DATABASE_CONNECT_TLS] = !database_other_tls(d, &name);
    if (part == DATABASE_SEARCH && database_misses_alone(d))
      d->alien[DATABASE_SEARCH] = d->alien[DATABASE_STEADY] = true;
    if (rc == 0)
      database_cut(d, part);
    if (rc == 0 && !d->cut[part] && !d->alien[part]) {
      database_save(d);
      rc = database_perform(d, part, err);
    }
  }
  return rc;
}

static int database_conclude(struct database *d, struct err *err)
{
  const char *file = d->args->results->json;
  const bool on_stdout = outname_is_stdout(file);
  const bool keeps = d->kept.stream != NULL;
  json_t *json = database_document(d);
  struct strbuf out = { 0 };
  int rc = 0;

  report_sentences(json, &out);
  if (keeps) {
    database_put(json, &d->kept);
    kept_close(&d->kept, json != NULL);
  }
  if (d->next < DATABASE_PARTS && !d->tries && (keeps || *file))
    strbuf_addf(&out, "\nTo go on: the same command with --resume%s%s\n",
                keeps ? "" : "=", keeps ? "" : file);
  if (keeps)
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
  if (d->kept.stream)
    kept_close(&d->kept, false);
  child_words_done(&d->own);
  free(d->file);
  strbuf_done(&d->left);
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
  if (rc == 0)
    (void)kept_open(&d->kept);
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
  status = d.children.signal != 0     ? EXIT_SIGNAL + d.children.signal
           : rc < 0 || d.left.len > 0 ? TOOL_FAILED
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
    .help = "time of all parts; those that do not fit are left out, in a fixed "
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
    OPT_STRING(struct database_cfg, resume),
    .name = "resume",
    .flags = OPT_NOT_EMPTY,
    .bare = "last",
    .show_as = "[=FILE|NUMBER]",
    .help = "go on with an interrupted run, the last one by default",
  },
  {
    OPT_TIME(struct database_cfg, old_s),
    .name = "old-transaction",
    .def = "60",
    .min = 1,
    .max = 1000000,
    .help = "remark on transactions of other sessions, open for longer",
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
    .help = "time of all parts",
  },
  OPT_END,
};

const struct tool tool_try = {
  .name = "try",
  .summary = "measure SQLite in two minutes: no server, no options",
  .usage = "[--minutes=N] [--slo=OBJECTIVE] [--json=FILE]",
  .opts = try_opts,
  .cfg_size = sizeof(struct database_cfg),
  .run = database_tool,
};
