/*
 * loading.c - provides one struct load and one struct pace to all threads of a
 * command.
 */
#include "lua/engine/loading.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "db/conn.h"
#include "db/process.h"
#include "load/load.h"
#include "load/pace.h"
#include "lua/engine/shared.h"
#include "run/peers.h"
#include "run/plan.h"
#include "run/signals.h"

struct load_setup loading_setup(const struct script *script, const char *method)
{
  const struct plan *plan = script->setup.plan;
  struct load_setup setup = {
    .threads = plan->threads,
    .args = { .seed = plan->seed, .rand = plan->rand },
  };

  (void)load_method_parse(method, &setup.method); /* already checked */
  return setup;
}

/* ---- the share of this process ---- */

/*
 * There are fewer tables than processes: several processes share a table and
 * divide its rows.  A process may have a table to itself; it votes like the
 * others.
 */
static void share_table(struct load_setup *setup, const struct plan *plan)
{
  const unsigned tables = (unsigned)setup->tables;
  const unsigned at = plan->part % tables;

  setup->share = (struct load_share){
    .part = plan->part / tables,
    .parts = (plan->parts - at + tables - 1) / tables,
    .first = at,
    .step = tables,
    .voters = plan->parts,
    .ctx = plan->peers->ctx,
    .vote = plan->peers->vote,
  };
  setup->first_table += at;
  setup->tables = 1;
}

/* Each process has some of the tables, one after another. */
static void share_tables(struct load_setup *setup, const struct plan *plan)
{
  const uint64_t each = setup->tables / plan->parts;
  const uint64_t more = setup->tables % plan->parts;

  setup->first_table += plan->part * each +
                        (plan->part < more ? plan->part : more);
  setup->tables = each + (plan->part < more);
}

static void take_share(struct load_setup *setup, const struct plan *plan,
                       const struct conn *c)
{
  const bool one_writer = (c->driver->caps & DRIVER_ONE_WRITER) != 0;

  if (plan->parts < 2 || setup->tables == 0)
    return;
  if (setup->kind->tables == 0 && setup->tables < plan->parts && plan->peers &&
      !one_writer)
    share_table(setup, plan);
  else
    share_tables(setup, plan);
}

/* ---- what all threads share ---- */

/*
 * Returns NULL with an error in the first thread that arrives, which also
 * checks whether there is room for the tables.  The others get a load that was
 * stopped.
 */
static struct load *find_or_make(struct script *script, struct conn *c,
                                 const struct load_setup *whole,
                                 const struct load_setup *own, struct err *err)
{
  struct load *l;

  (void)pthread_mutex_lock(&script->lock);
  l = script->load;
  if (!l && load_new(&script->load, own, err) == 0) {
    l = script->load;
    if (!script->setup.plan->cfg.force &&
        load_room_for_tables(c, whole, err) < 0) {
      load_stop(l);
      l = NULL;
    }
  }
  (void)pthread_mutex_unlock(&script->lock);
  return l;
}

struct load *loading_join(struct script *script, struct conn *c,
                          struct load_setup *setup, struct err *err)
{
  const struct load_setup whole = *setup;

  take_share(setup, script->setup.plan, c);
  return find_or_make(script, c, &whole, setup, err);
}

struct pace *loading_pace(struct script *script, bool warmup, uint64_t total)
{
  struct pace *pace;

  (void)pthread_mutex_lock(&script->lock);
  pace = script->pace ? script->pace : malloc(sizeof(*pace));
  if (pace && !script->pace) {
    pace_init(pace, warmup ? "Warmed up" : "Checked",
              warmup ? PROGRESS_TABLES : PROGRESS_ROWS, total);
    pace_start(pace);
    script->pace = pace;
  }
  (void)pthread_mutex_unlock(&script->lock);
  return pace;
}

/* ---- signals ---- */

void loading_interrupted(void *arg, int number)
{
  struct script *script = arg;
  struct load *l;

  (void)pthread_mutex_lock(&script->lock);
  l = script->load;
  script->signal = number;
  (void)pthread_mutex_unlock(&script->lock);
  if (!l)
    signals_die(number);
  else
    load_stop(l);
}

bool loading_is_late(void *arg)
{
  struct script *script = arg;

  if (!process_uses_server(script->setup.db))
    return false;
  log_msg(LOG_WARNING,
          "interrupted: the server still holds rows that were sent; the same "
          "command with --table-exists=resume goes on");
  log_flush();
  return true;
}

/* ---- the end ---- */

void loading_ended(struct script *script, bool complete)
{
  if (script->load)
    load_end(script->load, complete);
  if (script->pace)
    pace_stop(script->pace);
  if (script->pace && complete)
    pace_print_sum(script->pace);
}

int loading_outcome(struct script *script)
{
  struct strbuf line = { 0 };
  int number;

  (void)pthread_mutex_lock(&script->lock);
  number = script->load && load_is_stopped(script->load) ? script->signal : 0;
  (void)pthread_mutex_unlock(&script->lock);
  if (number == 0)
    return 0;
  (void)load_summary(script->load, &line);
  log_msg(LOG_WARNING,
          "interrupted: %s; the same command with --table-exists=resume goes "
          "on from there",
          strbuf_str(&line));
  strbuf_done(&line);
  return number;
}

bool loading_has_rows(struct script *script)
{
  struct strbuf line = { 0 };
  const bool some = script->load && load_summary(script->load, &line);

  if (some)
    log_msg(
      LOG_WARNING,
      "prepare has failed, and %s: the cleanup command removes them, and the "
      "same command with --table-exists=resume goes on",
      strbuf_str(&line));
  strbuf_done(&line);
  return some;
}

void loading_done(struct script *script)
{
  loading_ended(script, false);
  load_free(script->load);
  free(script->pace);
}
