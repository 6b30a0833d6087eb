/*
 * abi_load.c - the loader as the bundled scripts use it.
 *
 * All states of a command share one struct load, which belongs to the script;
 * a table that is filled on its own has one for itself.
 */
#include "lua/abi/abi_load.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/ffi_api.h"
#include "base/log.h"
#include "db/conn.h"
#include "load/check.h"
#include "load/load.h"
#include "load/pace.h"
#include "load/room.h"
#include "load/rows.h"
#include "lua/engine/script_internal.h"
#include "lua/engine/state.h"
#include "run/peers.h"
#include "run/plan.h"
#include "run/signals.h"

/* What a state holds. */
struct handle {
  struct load *own;      /* owned; NULL: it is shared */
  struct loader *loader; /* owned */
  struct err err;        /* of the last call that failed */
};

/* ---- numbers ---- */

/* `what` may be anything that a script has calculated. */
static int whole_number(double value, const char *what, uint64_t *ret,
                        struct err *err)
{
  if (!(value >= 0 && value < 0x1p63)) /* nor is it NaN */
    return err_set(err, -EINVAL,
                   "the %s must be from 0 to less than 2^63, not %g", what,
                   value);
  *ret = (uint64_t)value;
  return 0;
}

static int table_size(double size, uint64_t *ret, struct err *err)
{
  return whole_number(size, "number of rows of a table", ret, err);
}

static int table_number(double table, uint64_t *ret, struct err *err)
{
  return whole_number(table, "number of a table", ret, err);
}

/* ---- open and close ---- */

/* NULL: with an error in the first thread that comes, which is the one that
 * looks whether there is room for the tables; the others find a load that was
 * stopped. */
static struct load *shared_load(struct script *script, struct conn *c,
                                const struct load_setup *setup, double tables,
                                struct err *err)
{
  struct load *l;

  (void)pthread_mutex_lock(&script->lock);
  l = script->load;
  if (!l && load_new(&script->load, setup, err) == 0) {
    l = script->load;
    if (!script->setup.plan->force &&
        room_for_tables(c, (uint64_t)tables, setup->size, err) < 0) {
      load_stop(l);
      l = NULL;
    }
  }
  (void)pthread_mutex_unlock(&script->lock);
  return l;
}

static struct load_setup make_setup(const struct script *script,
                                    const char *method)
{
  const struct plan *plan = script->setup.plan;
  struct load_setup setup = {
    .threads = plan->threads,
    .seed = plan->seed,
    .params = plan->rand,
  };

  (void)load_method_parse(method, &setup.method); /* the option has checked */
  return setup;
}

/* Fewer tables than processes: several have one table, and divide its rows.
 * One of them may have a table to itself, and votes like the others. */
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

/* Each process has some of the tables, one after the other. */
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
  if (setup->tables < plan->parts && plan->peers && !one_writer)
    share_table(setup, plan);
  else
    share_tables(setup, plan);
}

static int set_tables(struct load_setup *setup, double first_table,
                      double tables, double size, struct err *err)
{
  int rc = table_number(first_table, &setup->first_table, err);

  if (rc == 0)
    rc = whole_number(tables, "number of tables", &setup->tables, err);
  return rc < 0 ? rc : table_size(size, &setup->size, err);
}

/* NULL: not enough memory.  Numbers that are not possible are told by the first
 * bench_load_next(). */
void *bench_load_open(sql_connection *con, double first_table, double tables,
                      double size, const char *method, bool shared)
{
  const struct state *s = state_current();
  struct handle *h = s ? calloc(1, sizeof(*h)) : NULL;
  struct load_setup setup;
  struct load *l = NULL;

  if (!h)
    return NULL;
  setup = make_setup(s->script, method);
  if (set_tables(&setup, first_table, tables, size, &h->err) < 0)
    return h;
  if (shared)
    take_share(&setup, s->script->setup.plan, conn_of(con));
  if (shared)
    l = shared_load(s->script, conn_of(con), &setup, tables, &h->err);
  else if (load_new(&h->own, &setup, &h->err) == 0)
    l = h->own;
  if (l)
    h->loader = loader_new(l, conn_of(con));
  if (h->loader || h->err.text[0] != '\0')
    return h; /* bench_load_next() reports the error */
  bench_load_close(h);
  return NULL;
}

void bench_load_close(void *loader)
{
  struct handle *h = loader;

  if (!h)
    return;
  loader_free(h->loader);
  load_free(h->own);
  free(h);
}

/* ---- steps ---- */

int bench_load_next(void *loader, double *ret_table)
{
  struct handle *h = loader;
  uint64_t table = 0;
  const int step = h->loader ? loader_next(h->loader, &table, &h->err)
                             : -EINVAL;

  *ret_table = (double)table;
  return step;
}

int bench_load_created(void *loader, int origin)
{
  struct handle *h = loader;

  return loader_created(h->loader, (enum load_origin)origin, &h->err);
}

void bench_load_finished(void *loader)
{
  loader_finished(((struct handle *)loader)->loader);
}

void bench_load_failed(void *loader)
{
  loader_failed(((struct handle *)loader)->loader);
}

const char *bench_load_reason(void *loader)
{
  return ((struct handle *)loader)->err.text;
}

/* ---- check ---- */

/* 0 and what differs, "" if nothing does; or -1 and why it is not known.  The
 * text is valid until the next call in this state. */
int bench_load_check(sql_connection *con, double table, double size,
                     const char **ret_text)
{
  struct state *s = state_current();
  struct rows rows;
  struct err err = { "" };
  uint64_t number = 0, wanted = 0;
  int rc;

  if (!s) {
    *ret_text = "there is no state";
    return -1;
  }
  strbuf_clear(&s->quoted);
  rc = table_number(table, &number, &err);
  if (rc == 0)
    rc = table_size(size, &wanted, &err);
  if (rc == 0) {
    rows_init(&rows, s->script->setup.plan->rand, s->script->setup.plan->seed,
              number, wanted);
    rc = check_rows(conn_of(con), &rows, s->script->pace, &s->quoted, &err);
  }
  if (rc < 0) {
    strbuf_clear(&s->quoted);
    strbuf_adds(&s->quoted, err.text);
  }
  *ret_text = strbuf_str(&s->quoted);
  return rc < 0 ? -1 : 0;
}

/* ---- signals ---- */

void abi_load_interrupted(void *arg, int number)
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

bool abi_load_is_late(void *arg)
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

/* ---- cleanup ---- */

/* Closes the connection after its tables were dropped.  What there is to say of
 * their space, "" if nothing; valid until the next call in this state. */
const char *bench_load_tidy(sql_connection *con)
{
  struct state *s = state_current();

  if (!s || !con)
    return "";
  strbuf_clear(&s->quoted);
  conn_close_tidy(conn_of(con), &s->quoted);
  return strbuf_str(&s->quoted);
}

/* ---- progress of the other commands ---- */

/* Of the command warmup, which counts tables, or of check, which counts rows;
 * NULL: there is none. */
void *bench_pace_open(bool warmup, double total)
{
  const struct state *s = state_current();
  struct script *script = s ? s->script : NULL;
  struct pace *pace;

  if (!script)
    return NULL;
  (void)pthread_mutex_lock(&script->lock);
  pace = script->pace ? script->pace : malloc(sizeof(*pace));
  if (pace && !script->pace) {
    pace_init(pace, warmup ? "Warmed up" : "Checked",
              warmup ? PROGRESS_TABLES : PROGRESS_ROWS,
              total < 0x1p63 ? (uint64_t)total : UINT64_MAX);
    pace_start(pace);
    script->pace = pace;
  }
  (void)pthread_mutex_unlock(&script->lock);
  return pace;
}

void bench_pace_add(void *pace, double n)
{
  if (pace)
    pace_add(pace, (uint64_t)n, 0);
}

void bench_say(const char *line, size_t len)
{
  log_put(line, len);
}

void abi_load_ended(struct script *script, bool complete)
{
  if (script->load)
    load_end(script->load, complete);
  if (script->pace)
    pace_stop(script->pace);
  if (script->pace && complete)
    pace_print_sum(script->pace);
}

int abi_load_outcome(struct script *script)
{
  struct strbuf line = { 0 };
  int number;

  (void)pthread_mutex_lock(&script->lock);
  number = script->load && load_is_stopped(script->load) ? script->signal : 0;
  (void)pthread_mutex_unlock(&script->lock);
  if (number == 0)
    return 0;
  load_summary(script->load, &line);
  log_msg(LOG_WARNING,
          "interrupted: %s; the same command with --table-exists=resume goes "
          "on from there",
          strbuf_str(&line));
  strbuf_done(&line);
  return number;
}
