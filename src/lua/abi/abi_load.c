/*
 * abi_load.c - the interface of the bundled scripts to the loader.
 *
 * All states of a command share one struct load, which belongs to the script.
 * A table that is filled separately has a struct load of its own.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/ffi_api.h"
#include "base/log.h"
#include "db/conn.h"
#include "load/check.h"
#include "load/load.h"
#include "load/pace.h"
#include "load/rows.h"
#include "lua/engine/loading.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"
#include "run/plan.h"

/* The loader of a state. */
struct handle {
  struct load *own;      /* owned; NULL: it is shared */
  struct loader *loader; /* owned */
  struct err err;        /* error of the last call that failed */
};

/* ---- numbers ---- */

/* `what` may be any value that a script has calculated. */
static int whole_number(double value, const char *what, uint64_t *ret,
                        struct err *err)
{
  if (!(value >= 0 && value < 0x1p63)) /* this refuses NaN as well */
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

static int set_tables(struct load_setup *setup, double first_table,
                      double tables, double size, struct err *err)
{
  int rc = table_number(first_table, &setup->first_table, err);

  if (rc == 0)
    rc = whole_number(tables, "number of tables", &setup->tables, err);
  return rc < 0 ? rc : table_size(size, &setup->size, err);
}

/*
 * Returns NULL if there is not enough memory.  Impossible numbers are reported
 * by the first call of bench_load_next().
 */
void *bench_load_open(sql_connection *con, double first_table, double tables,
                      double size, const char *method, bool shared)
{
  const struct state *s = state_current();
  struct handle *h = s ? calloc(1, sizeof(*h)) : NULL;
  struct load_setup setup;
  struct load *l = NULL;

  if (!h)
    return NULL;
  setup = loading_setup(s->script, method);
  if (set_tables(&setup, first_table, tables, size, &h->err) < 0)
    return h;
  if (shared)
    l = loading_join(s->script, conn_of(con), &setup, &h->err);
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

/*
 * Returns 0 and the differences, "" if there are none; or -1 and the reason why
 * they are not known.  The text is valid until the next call in this state.
 */
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

/* ---- cleanup ---- */

/*
 * Closes the connection after its tables were dropped.  Returns a line about
 * their space, or "".  The text is valid until the next call in this state.
 */
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

/*
 * Starts the progress of warmup, which counts tables, or of check, which counts
 * rows.  Returns NULL if there is none.
 */
void *bench_pace_open(bool warmup, double total)
{
  const struct state *s = state_current();

  return s ? loading_pace(s->script, warmup,
                          total < 0x1p63 ? (uint64_t)total : UINT64_MAX)
           : NULL;
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
