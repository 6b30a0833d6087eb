/*
 * abi_load.c - the loader for the bundled scripts. All states of a command
 * share one struct load, which the script owns; a table filled separately has
 * its own.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/ffi_api.h"
#include "base/log.h"
#include "db/conn.h"
#include "db/dialect.h"
#include "db/load/check.h"
#include "db/load/kinds/kind_list.h"
#include "db/load/load.h"
#include "db/load/pace.h"
#include "lua/engine/commands.h"
#include "lua/engine/options.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"
#include "run/plan.h"

struct handle {
  struct load *own;      /* owned; NULL: shared */
  struct loader *loader; /* owned */
  struct err err;        /* of the last failed call */
};

/* `value` is any result of a script. */
static int abi_load_whole_number(double value, const char *what, uint64_t *ret,
                                 struct err *err)
{
  if (!(value >= 0 && value < 0x1p63)) /* or NaN */
    return err_set(err, -EINVAL,
                   "the %s must be from 0 to less than 2^63, not %g", what,
                   value);
  *ret = (uint64_t)value;
  return 0;
}

static int table_size(double size, uint64_t *ret, struct err *err)
{
  return abi_load_whole_number(size, "number of rows of a table", ret, err);
}

static int table_number(double table, uint64_t *ret, struct err *err)
{
  return abi_load_whole_number(table, "number of a table", ret, err);
}

static int abi_load_set_tables(struct load_setup *setup, double first_table,
                               double tables, double size, struct err *err)
{
  int rc = table_number(first_table, &setup->first_table, err);

  setup->kind = &kind_sbtest;
  if (rc == 0)
    rc = abi_load_whole_number(tables, "number of tables", &setup->tables, err);
  return rc < 0 ? rc : table_size(size, &setup->args.value[0], err);
}

struct params {
  const char *const *names; /* [n] */
  const double *values;     /* [n] */
  int n;
};

static int abi_load_set_param(const struct kind *kind, const char *name,
                              double value, struct kind_args *args,
                              struct err *err)
{
  for (unsigned i = 0; kind->params[i]; i++) {
    if (strcmp(kind->params[i], name) == 0)
      return abi_load_whole_number(value, name, &args->value[i], err);
  }
  return err_set(err, -EINVAL, "tables of the kind '%s' have no parameter '%s'",
                 kind->name, name);
}

static int abi_load_set_kind(const char *name, const struct params *p,
                             const struct kind **ret, struct kind_args *args,
                             struct err *err)
{
  const struct kind *kind = kind_find(name);
  int rc = 0;

  if (!kind)
    return err_set(err, -EINVAL, "there is no kind of tables called '%s'",
                   name);
  for (int i = 0; rc == 0 && i < p->n; i++)
    rc = abi_load_set_param(kind, p->names[i], p->values[i], args, err);
  if (rc == 0 && kind->check)
    rc = kind->check(args, err);
  *ret = kind;
  return rc;
}

/* Opens the loader unless h->err is set. */
static void abi_load_open_loader(struct handle *h, const struct state *s,
                                 struct conn *c, struct load_setup *setup,
                                 bool shared)
{
  const struct dialect *d = c ? process_dialect(c->env->process) : NULL;
  struct load *l = NULL;

  if (d) {
    setup->rows_max = d->load_rows;
    if (setup->method == LOAD_AUTO)
      setup->method = (enum load_method)d->load;
  }
  if (shared)
    l = commands_load_join(s->script, c, setup, &h->err);
  else if (load_new(&h->own, setup, &h->err) == 0)
    l = h->own;
  if (l)
    h->loader = loader_new(l, c);
  if (!h->loader && h->err.text[0] == '\0')
    (void)err_set(&h->err, -ENOMEM, "not enough memory");
}

/* NULL: no memory.  The first bench_load_next() reports impossible numbers. */
void *bench_load_open(sql_connection *con, double first_table, double tables,
                      double size, const char *method, bool shared)
{
  const struct state *s = state_current();
  struct handle *h = s ? calloc(1, sizeof(*h)) : NULL;
  struct load_setup setup;

  if (!h)
    return NULL;
  setup = commands_load_setup(s->script, method);
  if (abi_load_set_tables(&setup, first_table, tables, size, &h->err) == 0)
    abi_load_open_loader(h, s, conn_of(con), &setup, shared);
  return h;
}

/* The same for all tables of a kind. */
void *bench_load_open_kind(sql_connection *con, const char *kind,
                           const char *const *names, const double *values,
                           int n, const char *method, bool shared)
{
  const struct state *s = state_current();
  struct handle *h = s ? calloc(1, sizeof(*h)) : NULL;
  const struct params params = { names, values, n };
  struct load_setup setup;

  if (!h)
    return NULL;
  setup = commands_load_setup(s->script, method);
  if (abi_load_set_kind(kind, &params, &setup.kind, &setup.args, &h->err) ==
      0) {
    setup.first_table = 1;
    setup.tables = setup.kind->tables;
    abi_load_open_loader(h, s, conn_of(con), &setup, shared);
  }
  return h;
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

int bench_load_next(void *loader, double *ret_table)
{
  struct handle *h = loader;
  uint64_t table = 0;
  const int step = h->loader ? loader_next(h->loader, &table, &h->err)
                             : -EINVAL;

  *ret_table = (double)table;
  return step;
}

const char *bench_load_table(void *loader)
{
  return loader_table(((struct handle *)loader)->loader);
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

static int abi_load_tell_check(struct state *s, int rc, const struct err *err,
                               const char **ret_text)
{
  if (rc < 0) {
    strbuf_clear(&s->quoted);
    strbuf_adds(&s->quoted, err->text);
  }
  *ret_text = strbuf_str(&s->quoted);
  return rc < 0 ? -1 : 0;
}

/* others: rows without a key of the table are differences, too. */
static int check_table(struct state *s, struct conn *c, const struct kind *kind,
                       const struct kind_args *args, uint64_t number,
                       const char *skip, bool others, struct err *err)
{
  struct maker m;
  int rc;

  if (maker_init(&m, kind, args, number) < 0)
    return err_set(err, -ENOMEM, "not enough memory");
  rc = check_rows(c, &m, skip, s->script->pace, &s->quoted, err);
  if (rc == 0 && others)
    rc = check_others(c, &m, &s->quoted, err);
  maker_done(&m);
  return rc;
}

/* NULL: *ret_text is why. */
static struct state *abi_load_begin_check(struct kind_args *ret,
                                          const char **ret_text)
{
  struct state *s = state_current();
  const struct plan *plan;

  if (!s) {
    *ret_text = "there is no state";
    return NULL;
  }
  plan = s->script->setup.plan;
  strbuf_clear(&s->quoted);
  *ret = (struct kind_args){ .seed = plan->seed, .rand = plan->rand };
  return s;
}

/* Returns 0 and the differences or ""; -1 (unknown) and the reason.  Valid
 * until the next call in this state. */
int bench_load_check(sql_connection *con, double table, double size,
                     const char **ret_text)
{
  struct kind_args args;
  struct state *s = abi_load_begin_check(&args, ret_text);
  struct err err = { "" };
  uint64_t number = 0;
  int rc;

  if (!s)
    return -1;
  rc = table_number(table, &number, &err);
  if (rc == 0)
    rc = table_size(size, &args.value[0], &err);
  if (rc == 0)
    rc = check_table(s, conn_of(con), &kind_sbtest, &args, number, NULL, false,
                     &err);
  return abi_load_tell_check(s, rc, &err, ret_text);
}

int bench_load_check_kind(sql_connection *con, const char *kind,
                          const char *const *names, const double *values, int n,
                          double table, const char *skip, const char **ret_text)
{
  const struct params params = { names, values, n };
  const struct kind *found = NULL;
  struct kind_args args;
  struct state *s = abi_load_begin_check(&args, ret_text);
  struct err err = { "" };
  uint64_t number = 0;
  int rc;

  if (!s)
    return -1;
  rc = abi_load_set_kind(kind, &params, &found, &args, &err);
  if (rc == 0)
    rc = table_number(table, &number, &err);
  if (rc == 0 && (number < 1 || number > found->tables))
    rc = err_set(&err, -EINVAL, "the kind '%s' has no table %g", kind, table);
  if (rc == 0)
    rc = check_table(s, conn_of(con), found, &args, number, skip, true, &err);
  return abi_load_tell_check(s, rc, &err, ret_text);
}

/* ---- --data-size ---- */

struct fit {
  struct load_setup setup;
  const struct driver *driver;
  unsigned param;
};

static uint64_t abi_load_bytes(struct fit *f, uint64_t units)
{
  f->setup.args.value[f->param] = units;
  return load_bytes(&f->setup, f->driver);
}

static uint64_t abi_load_nearest(struct fit *f, uint64_t size, uint64_t least,
                                 uint64_t most)
{
  uint64_t low = least, high = most;

  while (low < high) {
    const uint64_t middle = high - (high - low) / 2;

    if (abi_load_bytes(f, middle) <= size)
      low = middle;
    else
      high = middle - 1;
  }
  if (low < most &&
      abi_load_bytes(f, low + 1) - size < size - abi_load_bytes(f, low))
    low++;
  return low;
}

static void abi_load_add_size(uint64_t bytes, struct strbuf *to)
{
  const unsigned shift = bytes >= 16 << 20 ? 20 : 10;

  strbuf_addf(to, "%" PRIu64 "%c", ((bytes - 1) >> shift) + 1,
              shift == 20 ? 'M' : 'K');
}

static bool abi_load_refuse_size(struct fit *f, const char *word,
                                 uint64_t units, struct strbuf *to)
{
  strbuf_addf(to, "the %s is ", word);
  abi_load_add_size(abi_load_bytes(f, units), to);
  return false;
}

static bool abi_load_size_fits(struct fit *f, uint64_t size, uint64_t least,
                               uint64_t most, struct strbuf *to)
{
  if (size < abi_load_bytes(f, least))
    return abi_load_refuse_size(f, "smallest", least, to);
  if (size > abi_load_bytes(f, most))
    return abi_load_refuse_size(f, "largest", most, to);
  return true;
}

/* 0: no --data-size; -1 and the reason; units, and the text. */
double bench_load_fit(sql_driver *drv, const char *kind,
                      const char *const *names, const double *values, int n,
                      double tables, const char *option, double least,
                      double most, const char **ret_text)
{
  const struct params params = { names, values, n };
  struct state *s = state_current();
  struct fit f = { .setup = { .first_table = 1, .tables = (uint64_t)tables },
                   .driver = ((const struct driver_handle *)drv)->driver };
  struct err err = { "" };
  double found = -1;
  uint64_t size = 0;
  int rc;

  if (!s)
    return 0;
  strbuf_clear(&s->quoted);
  rc = options_data_size(s->script, option, &size, &s->quoted);
  if (rc == 0 && size == 0)
    return 0;
  if (rc == 0)
    rc = abi_load_set_kind(kind, &params, &f.setup.kind, &f.setup.args, &err);
  strbuf_adds(&s->quoted, err.text);
  while (rc == 0 && strcmp(f.setup.kind->params[f.param], option) != 0)
    f.param++;
  if (rc == 0 &&
      abi_load_size_fits(&f, size, (uint64_t)least, (uint64_t)most, &s->quoted))
    found = (double)abi_load_nearest(&f, size, (uint64_t)least, (uint64_t)most);
  *ret_text = strbuf_str(&s->quoted);
  return found;
}

/* After tables were dropped: a line about their space, or ""; valid until
 * the next call in this state. */
const char *bench_load_tidy(sql_connection *con)
{
  struct state *s = state_current();

  if (!s || !con)
    return "";
  strbuf_clear(&s->quoted);
  conn_close_tidy(conn_of(con), &s->quoted);
  return strbuf_str(&s->quoted);
}

const char *bench_dialect(sql_driver *drv, const char *key)
{
  const struct driver_handle *h = (const void *)drv;

  return h ? dialect_text(process_dialect(h->env->process), key) : "";
}

/* Progress of warmup counts tables, of check rows.  NULL: none. */
void *bench_pace_open(bool warmup, double total)
{
  const struct state *s = state_current();

  return s ? commands_load_pace(s->script, warmup,
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
