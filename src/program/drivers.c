/*
 * drivers.c - the database drivers, their options, and facts about a run for
 * the SQL layer.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "db/driver.h"
#include "db/url.h"
#include "drivers/driver_list.h"
#include "opt/optset.h"
#include "opt/suggest.h"
#include "program/internal.h"
#include "run/plan.h"
#include "run/runner.h"

struct program_drivers {
  size_t n;
  struct driver_config of[DRIVERS_MAX]; /* owns each cfg */
};

int program_add_drivers(struct program *p, struct err *err)
{
  int rc = 0;

  p->drivers = calloc(1, sizeof(*p->drivers));
  if (!p->drivers)
    return err_set(err, -ENOMEM, "not enough memory");
  for (size_t i = 0; i < DRIVERS_MAX && driver_list[i] && rc == 0; i++) {
    const struct driver *d = driver_list[i];
    void *cfg = calloc(1, d->cfg_size ? d->cfg_size : 1);

    if (!cfg)
      return err_set(err, -ENOMEM, "not enough memory");
    p->drivers->of[i] = (struct driver_config){ .driver = d, .cfg = cfg };
    p->drivers->n = i + 1;
    if (d->opts)
      rc = optset_add(&p->set, OPT_SECTION_DRIVER, d->name, d->opts, cfg, err);
  }
  return rc;
}

void program_free_drivers(struct program *p)
{
  if (!p->drivers)
    return;
  for (size_t i = 0; i < p->drivers->n; i++)
    free((void *)(uintptr_t)p->drivers->of[i].cfg);
  free(p->drivers);
}

size_t program_list_drivers(const struct program *p,
                            struct help_item items[DRIVERS_MAX])
{
  for (size_t i = 0; i < p->drivers->n; i++) {
    const struct driver *d = p->drivers->of[i].driver;

    items[i] = (struct help_item){ .name = d->name, .title = d->title };
  }
  return p->drivers->n;
}

const struct driver *program_find_driver(const struct program *p,
                                         const char *name)
{
  for (size_t i = 0; i < p->drivers->n; i++) {
    const struct driver *d = p->drivers->of[i].driver;

    if (strcmp(d->name, name) == 0 ||
        (d->names && target_names_have(d->names->aliases, name)))
      return d;
  }
  return *name == '\0' && p->drivers->n == 1 ? p->drivers->of[0].driver : NULL;
}

const struct driver *program_find_scheme(const struct program *p,
                                         const char *scheme)
{
  for (size_t i = 0; i < p->drivers->n; i++) {
    const struct driver *d = p->drivers->of[i].driver;

    if (d->names && target_names_have(d->names->schemes, scheme))
      return d;
  }
  return NULL;
}

static bool drivers_is_driver(const struct program *p, const char *name)
{
  if (*name == '\0')
    return p->drivers->n == 1;
  for (size_t i = 0; i < p->drivers->n; i++) {
    if (strcmp(p->drivers->of[i].driver->name, name) == 0)
      return true;
  }
  return false;
}

int program_check_driver(const struct program *p)
{
  struct strbuf expected = { 0 };
  struct err err = { "" };
  struct suggest s;

  if (drivers_is_driver(p, p->opts.db.driver))
    return EXIT_OK;
  suggest_init(&s, p->opts.db.driver);
  for (size_t i = 0; i < p->drivers->n; i++) {
    const char *name = p->drivers->of[i].driver->name;

    strbuf_addf(&expected, "%s%s", i > 0 ? ", " : "one of: ", name);
    suggest_offer(&s, name);
  }
  (void)opt_refuse(optset_find(&p->set, "db-driver"), NULL,
                   strbuf_str(&expected), &err);
  strbuf_done(&expected);
  (void)program_fail(&err);
  return suggest_result(&s) ? program_complain("did you mean --db-driver=%s?",
                                               suggest_result(&s))
                            : EXIT_FAILED;
}

static int drivers_check_pool(const struct program *p, const struct plan *plan,
                              struct err *err)
{
  const uint64_t n = p->opts.db.pool;

  if (plan->carriers == 0)
    return err_set(err, -EINVAL,
                   "--pool=%" PRIu64 " needs --clients, which share the "
                   "connections of their threads",
                   n);
  if (n > plan->threads)
    return err_set(err, -EINVAL,
                   "--pool=%" PRIu64
                   " must not exceed --clients=%u: more connections than "
                   "clients would stay unused",
                   n, plan->threads);
  if (n < plan->carriers)
    return err_set(err, -EINVAL,
                   "--pool=%" PRIu64 " is less than --threads=%u: each thread "
                   "needs a connection for its clients",
                   n, plan->carriers);
  return 0;
}

static bool drivers_needs_sockets(const struct program *p)
{
  for (size_t i = 0; i < p->drivers->n; i++) {
    const struct driver_config *of = &p->drivers->of[i];
    const struct driver *d = of->driver;

    if (strcmp(d->name, p->opts.db.driver) == 0)
      return d->caps & DRIVER_SERVER &&
             !(d->is_dry_run && d->is_dry_run(of->cfg));
  }
  return false;
}

int program_start_database(struct program *p, const struct plan *plan,
                           struct db_process *db, struct err *err)
{
  int rc;

  db->set = p->opts.db;
  db->drivers = p->drivers->of;
  db->n_drivers = p->drivers->n;
  db->program = p->name;
  db->identity = p->cmdline.identity;
  db->facts.threads = plan->threads;
  db->facts.parts = plan->parts;
  db->facts.carriers = plan->carriers;
  db->facts.clients = plan->clients;
  if (db->in_run && p->opts.db.pool > 0) {
    rc = drivers_check_pool(p, plan, err);
    if (rc < 0)
      return rc;
    db->carriers = plan->carriers;
    db->pool_sessions = (unsigned)p->opts.db.pool;
    db->facts.threads = db->pool_sessions; /* as seen by servers */
  }
  if (db->set.rtt_s > 0 && !drivers_needs_sockets(p))
    return err_set(
      err, -EINVAL,
      "--rtt needs a server (expected --db-driver=mysql or pgsql)");
  db->worker = plan_worker_word(plan);
  db->first_number = plan->first_thread; /* over all processes */
  db->facts.native = ps_mode_keeps(db->set.ps_mode);
  return process_init(db, err);
}

/* The lowest free number: at most the number of open files. */
static unsigned drivers_open_files(void)
{
  const int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);

  if (fd < 0)
    return 0;
  (void)close(fd);
  return (unsigned)fd;
}

bool program_lacks_files(const struct program *p, const struct plan *plan,
                         const struct db_process *db)
{
  const unsigned n = db->facts.threads;
  struct rlimit limit;
  uint64_t needed;

  /* A pool opens connections as needed. */
  if (!drivers_needs_sockets(p) || db->pool_sessions > 0 ||
      getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_max == RLIM_INFINITY)
    return false;
  needed = (uint64_t)n * (db->relay ? 3 : 1) + drivers_open_files() +
           plan->carriers;
  if (needed <= (uint64_t)limit.rlim_max)
    return false;
  log_msg(LOG_FATAL,
          "%u connections need at least %" PRIu64 " open files, and the system "
          "allows %llu: raise that limit (ulimit -n), or use fewer --%ss",
          n, needed, (unsigned long long)limit.rlim_max,
          plan_worker_word(plan));
  return true;
}

enum {
  ONE_PAGE = 4096 /* of SQLite: the minimum of a table */
};

bool program_misses_file(const struct program *p)
{
  const char *file = program_value(&p->set, "sqlite-db");

  return strcmp(p->opts.db.driver, "sqlite") == 0 &&
         strncmp(file, "file:", 5) != 0 && access(file, F_OK) != 0;
}

void program_remove_empty_file(const struct program *p)
{
  const char *file = program_value(&p->set, "sqlite-db");
  struct strbuf log = { 0 };
  struct stat st;

  strbuf_addf(&log, "%s-wal", file);
  if (lstat(file, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= ONE_PAGE &&
      access(strbuf_str(&log), F_OK) != 0)
    (void)unlink(file);
  strbuf_done(&log);
}

static void drivers_complain_of_file(const struct program *p)
{
  log_msg(LOG_FATAL, "the database file '%s' does not exist",
          program_value(&p->set, "sqlite-db"));
  log_msg(LOG_FATAL, "did you run the prepare command?");
}

bool program_lacks_data(struct program *p, const struct run_facts *facts)
{
  if (facts->rows_option && p->cmdline.identity == IDENTITY_BENCH &&
      program_size(&p->set, "table-size") == 0) {
    log_msg(LOG_FATAL, "--table-size=0 is for prepare: a run needs rows");
    return true;
  }
  if (!program_misses_file(p))
    return false;
  drivers_complain_of_file(p);
  return true;
}

bool program_lacks_file(struct program *p, int *status)
{
  const char *command = p->cmdline.command;

  if (!command || strcmp(command, "prepare") == 0 || !program_misses_file(p))
    return false;
  if (strcmp(command, "cleanup") == 0) {
    log_msg(LOG_NOTICE, "The database file '%s' does not exist\n",
            program_value(&p->set, "sqlite-db"));
    *status = EXIT_OK;
  } else {
    drivers_complain_of_file(p);
    *status = EXIT_FAILED;
  }
  return true;
}
