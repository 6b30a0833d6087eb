#include "db/env.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/machine/cgroup.h"
#include "base/strbuf.h"
#include "db/counts.h"
#include "db/dialect.h"
#include "db/message.h"
#include "db/options.h"
#include "stats/rand/rng.h"

/* Scripts pass no context. */
static _Thread_local struct db_env *current;

struct db_env *env_current(void)
{
  return current;
}

void env_set_current(struct db_env *env)
{
  current = env;
}

void env_as_in_event(struct db_env *env, struct conn *c,
                     void (*fn)(struct db_env *env, struct conn *c))
{
  static const bool open = true;
  const bool *const was = env->event_open;

  env->event_open = &open;
  fn(env, c);
  env->event_open = was;
}

static uint64_t env_random(struct db_env *env)
{
  return rng_mix(env->rng += RNG_GAMMA);
}

double env_random_double(struct db_env *env)
{
  return (double)(env_random(env) >> 11) * 0x1p-53;
}

bool env_is_over(const struct db_env *env, uint64_t now_ns)
{
  return process_is_over(env->process, now_ns) || env_is_dead(env);
}

bool env_has_to_leave(const struct db_env *env, uint64_t now_ns)
{
  return env_is_dead(env) ||
         (env_in_event(env) && process_is_over(env->process, now_ns));
}

enum verdict_phase env_phase(const struct db_env *env, uint64_t now_ns)
{
  const bool over = process_is_over(env->process, now_ns);

  if (env_is_dead(env))
    return VERDICT_DEAD;
  if (env_in_event(env))
    return over ? VERDICT_LEAVE : VERDICT_EVENT;
  return over ? VERDICT_AFTER : VERDICT_OUTSIDE;
}

bool env_has_spare_cpus(const struct db_env *env)
{
  const struct db_process *p = env ? env->process : NULL;
  const unsigned pairs = cgroup_cpus_allowed() / 2;

  return p && p->is_known && p->facts.threads <= pairs &&
         p->facts.threads + cgroup_others_running("") <= pairs;
}

static const struct driver_config *env_find(const struct db_process *p,
                                            const char *name, size_t *ret_place)
{
  for (size_t i = 0; i < p->n_drivers; i++) {
    if (strcmp(p->drivers[i].driver->name, name) == 0) {
      *ret_place = i;
      return &p->drivers[i];
    }
  }
  return NULL;
}

static void env_say(const struct err *err)
{
  struct strbuf lines = { 0 };

  strbuf_adds(&lines, err->text);
  message_lines(LOG_FATAL, &lines);
  strbuf_done(&lines);
}

static bool env_make_ready(struct db_process *p, struct driver_state *state,
                           const struct driver_config *config)
{
  const struct driver *d = config->driver;
  struct err err;
  bool ready;

  (void)pthread_mutex_lock(&p->driver_lock);
  if (!state->ready && !state->failed) {
    state->failed = d->global_init && d->global_init(config->cfg, &err) < 0;
    state->ready = !state->failed;
    if (state->failed)
      env_say(&err);
  }
  ready = state->ready;
  (void)pthread_mutex_unlock(&p->driver_lock);
  return ready;
}

static bool watch_if_limited(struct db_process *p)
{
  struct err err;

  if (p->set.query_timeout_s <= 0 || watch_start(&p->watch, &err) == 0)
    return true;
  env_say(&err);
  return false;
}

static void env_refuse_name(const struct db_process *p, const char *name)
{
  struct strbuf known = { 0 };

  for (size_t i = 0; i < p->n_drivers; i++)
    strbuf_addf(&known, "%s%s", i > 0 ? ", " : "", p->drivers[i].driver->name);
  log_msg(LOG_FATAL, "invalid database driver name: '%s' (expected one of: %s)",
          name, strbuf_str(&known));
  strbuf_done(&known);
}

static bool env_is_dry_run(const struct driver_config *config)
{
  return config->driver->is_dry_run && config->driver->is_dry_run(config->cfg);
}

static bool env_role_is_possible(const struct db_cfg *cfg,
                                 const struct driver *d)
{
  if (cfg->target == ROLE_ANY || d->role_query)
    return true;
  log_msg(
    LOG_FATAL,
    "%s--server-role=%s is for servers that have replicas; --db-driver=%s has "
    "none",
    cfg->failover ? "--failover: " : "", db_role_wanted(cfg), d->name);
  return false;
}

static bool env_mode_is_possible(const struct db_cfg *cfg,
                                 const struct driver *d)
{
  if (cfg->ps_mode != PS_UNNAMED || d->caps & DRIVER_UNNAMED)
    return true;
  log_msg(
    LOG_FATAL,
    "--db-ps-mode=unnamed is for --db-driver=pgsql; --db-driver=%s allows "
    "prepared and simple",
    d->name);
  return false;
}

/* False after a FATAL line. */
static bool env_dialect_is_possible(const struct db_process *p,
                                    const struct driver *d)
{
  const char *other = p->set.dialect && *p->set.dialect
                        ? dialect_other_driver(process_dialect(p), d->name)
                        : NULL;

  if (other)
    log_msg(LOG_FATAL, "--dialect=%s is for --db-driver=%s, not %s",
            p->set.dialect, other, d->name);
  return !other;
}

/* False after a FATAL line. */
static bool env_isolation_is_possible(const struct db_process *p,
                                      const struct driver_config *config)
{
  if (!p->in_run || p->set.isolation == ISOLATION_DEFAULT ||
      config->driver->isolation_statement || env_is_dry_run(config))
    return true;
  log_msg(LOG_FATAL, "--isolation: %s has only one level",
          config->driver->name);
  return false;
}

static struct driver_handle *env_find_driver(struct db_env *env,
                                             const char *name)
{
  struct db_process *p = env->process;
  const struct driver_config *config;
  struct driver_handle *h;
  struct err err;
  size_t i = 0;

  if (!name || !*name)
    name = p->set.driver;
  if ((!name || !*name) && p->n_drivers == 1)
    name = p->drivers[0].driver->name;
  config = name ? env_find(p, name, &i) : NULL;
  if (!config) {
    env_refuse_name(p, name ? name : "");
    return NULL;
  }
  if (env->handle[i])
    return env->handle[i];
  if (!env_role_is_possible(&p->set, config->driver) ||
      !env_mode_is_possible(&p->set, config->driver) ||
      !env_dialect_is_possible(p, config->driver) ||
      !env_isolation_is_possible(p, config) ||
      !backends_are_possible(&p->set, config->driver, config->cfg) ||
      !env_make_ready(p, &p->state[i], config) || !watch_if_limited(p))
    return NULL;
  if (config->driver->thread_init &&
      config->driver->thread_init(config->cfg, &err) < 0) {
    env_say(&err);
    return NULL;
  }
  h = calloc(1, sizeof(*h));
  if (!h) {
    log_msg(LOG_FATAL, "not enough memory for the database driver");
    if (config->driver->thread_done)
      config->driver->thread_done(config->cfg);
    return NULL;
  }
  env->handle[i] = h;
  h->pub.sname = config->driver->name;
  h->pub.lname = config->driver->title;
  h->driver = config->driver;
  h->state = &p->state[i];
  h->cfg = config->cfg;
  h->env = env;
  env->timed |= p->set.debug;
  atomic_store_explicit(&p->used, true, memory_order_relaxed);
  return h;
}

struct driver_handle *env_driver(struct db_env *env, const char *name)
{
  struct driver_handle *h = env_find_driver(env, name);

  env->reported |= h == NULL;
  return h;
}

void env_done_drivers(struct db_env *env)
{
  for (size_t i = 0; i < DRIVERS_MAX; i++) {
    struct driver_handle *h = env->handle[i];

    if (h && h->driver->thread_done)
      h->driver->thread_done(h->cfg);
    free(h);
    env->handle[i] = NULL;
  }
  if (current == env)
    current = NULL;
}
