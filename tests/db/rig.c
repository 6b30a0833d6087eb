/*
 * rig.c - a process, a thread and a connection for a test with a database; and
 * what tests in several files say.
 */
#include "suite.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "drivers/driver_list.h"
#include "specifics.h"

static int tap_count, tap_failures;

void ok(bool good, const char *what, ...)
{
  va_list ap;

  va_start(ap, what);
  printf("%s %d - ", good ? "ok" : "not ok", ++tap_count);
  (void)vprintf(what, ap);
  printf("\n");
  va_end(ap);
  tap_failures += !good;
}

void ok_str(const char *got, const char *want, const char *what)
{
  const bool same = got && strcmp(got, want) == 0;

  ok(same, "%s", what);
  if (!same)
    printf("# got '%s', want '%s'\n", got ? got : "(nothing)", want);
}

static const char *option(const struct rig_settings *set, const char *name)
{
  const char *value = NULL;

  for (int i = 1; i < set->argc; i++) {
    if (strncmp(set->argv[i], name, strlen(name)) == 0)
      value = set->argv[i] + strlen(name);
  }
  return value;
}

static const struct driver *find_driver(const char *name)
{
  for (const struct driver *const *d = driver_list; *d; d++) {
    if (name && strcmp((*d)->name, name) == 0)
      return *d;
  }
  printf("Bail out! no driver '%s' in this build\n", name ? name : "");
  exit(1);
}

static const struct specifics *find_specifics(const char *name)
{
  const struct specifics *s = all_specifics;

  while (s->driver && strcmp(s->driver, name) != 0)
    s++;
  return s;
}

bool rig_open(struct rig *r, const struct rig_settings *set)
{
  const struct driver *d = find_driver(option(set, "--driver="));
  struct db_process *p = calloc(1, sizeof(*p));
  struct err err = { "" };

  memset(r, 0, sizeof(*r));
  r->is = find_specifics(d->name);
  r->raw = option(set, "--raw") != NULL;
  r->cfg = cfg_make(d, set->argc, set->argv, set->more);
  r->config = (struct driver_config){ d, r->cfg };
  r->process = p;
  p->drivers = &r->config;
  p->n_drivers = 1;
  p->in_run = true;
  p->set.ps_mode = set->ps_mode;
  p->set.query_timeout_s = set->query_timeout_s;
  p->set.ignore_errors.items = set->ignore;
  p->set.ignore_errors.n = set->n_ignore;
  if (process_init(p, &err) < 0 ||
      recorders_init(&r->recorders, set->threads ? set->threads : 1, false,
                     &err) < 0) {
    printf("# %s\n", err.text);
    return false;
  }
  atomic_store(&p->noted, r->raw); /* nothing is left to ask */
  atomic_store(&p->checked, r->raw);
  if (r->raw && strcmp(d->name, "mysql") == 0)
    atomic_store(&p->own_login, 45); /* as after a login of the library */
  return rig_thread(&r->env, r, 0, &r->con);
}

void rig_close(struct rig *r)
{
  env_done(&r->env);
  process_done(r->process);
  recorders_done(&r->recorders);
  free(r->process);
  cfg_free(r->config.driver, r->cfg);
}

bool rig_thread(struct db_env *env, const struct rig *r, unsigned number,
                struct conn **ret_con)
{
  struct driver_handle *h;

  *env = (struct db_env){ .process = r->process,
                          .recorder = &r->recorders.of[number],
                          .rng = number,
                          .shares_thread = r->raw,
                          .under_deadline = true };
  h = env_driver(env, NULL);
  *ret_con = h ? conn_open(h, NULL) : NULL;
  return *ret_con != NULL;
}

bool run_sql(struct conn *c, const char *sql)
{
  sql_result *rs = conn_query(c, sql, strlen(sql));

  if (rs)
    (void)conn_free_results(rs);
  if (c->pub.error == DB_ERROR_NONE)
    return true;
  printf("# %s: %d %s %s\n", sql, c->pub.sql_errno,
         c->pub.sql_state ? c->pub.sql_state : "-",
         c->pub.sql_errmsg ? c->pub.sql_errmsg : conn_failure(c)->api_error);
  return false;
}

const char *ask_sql(struct conn *c, const char *sql)
{
  static _Thread_local char text[256];
  sql_result *rs = conn_query(c, sql, strlen(sql));
  sql_row *row = rs ? conn_fetch_row(rs) : NULL;

  text[0] = '\0';
  if (row && row->values[0].ptr)
    (void)snprintf(text, sizeof(text), "%.*s", (int)row->values[0].len,
                   row->values[0].ptr);
  else if (row)
    (void)snprintf(text, sizeof(text), "(null)");
  if (rs)
    (void)conn_free_results(rs);
  return text;
}

uint64_t counted(const struct rig *r, enum counter c)
{
  uint64_t n = 0;

  for (unsigned i = 0; i < r->recorders.n; i++)
    n += atomic_load_explicit(&r->recorders.of[i].counter[c],
                              memory_order_relaxed);
  return n;
}

int tap_end(void)
{
  log_flush();
  printf("1..%d\n", tap_count);
  return tap_failures > 0;
}
