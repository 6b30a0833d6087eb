/*
 * abi_ycsb.c - the ycsb script's model of rows, owned by the script. The main
 * state opens it before the first client starts. One state at a time uses a
 * client.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/ffi_api.h"
#include "base/strbuf.h"
#include "db/conn.h"
#include "db/load/kind.h"
#include "db/load/kinds/ycsb.h"
#include "db/load/pace.h"
#include "db/load/send.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"
#include "run/peers.h"
#include "run/plan.h"
#include "stats/rand/stream.h"

struct conn;

/* Rows of a run have smaller numbers than its first one plus this. */
#define YCSB_RUN_MAX (UINT64_C(1) << 40)

/* Of one process in one run. */
struct ycsb_inserts {
  uint64_t first, stride;
  uint64_t readable;     /* first ones, all acknowledged */
  uint64_t acknowledged; /* at least `readable` */
  uint64_t begun;        /* unknown: as many as possible */
};

struct ycsb_shared {
  struct ycsb_keys keys;
  const struct ycsb_workload *workload;
  struct ycsb_inserts *inserts; /* owned */
  size_t n_inserts;
};

enum {
  AT_A_TIME = 5000,
  KEY_SHOWN = 40 /* bytes of an unknown key */
};

/* Rules about whole rows, besides ycsb_fault_text. */
enum {
  MISSING = YCSB_FAULTS, /* a loaded row */
  LOST,                  /* an acknowledged insert */
  STRANGE,               /* a key that nobody has written */
  RULES
};

struct fault {
  uint64_t count;
  char first[KEY_SHOWN + 24];
};

struct checking {
  struct ycsb_shared *shared;
  const struct ycsb *model;
  unsigned char *loaded;   /* owned; a bit for each loaded row seen */
  unsigned char **inserts; /* owned; the same for readable inserts */
  uint64_t *seen;          /* owned; rows for each of shared->inserts */
  uint64_t rows, inserted;
  struct fault fault[RULES];
  struct strbuf last; /* the literal after which the next part begins */
};

static void abi_ycsb_set_bit(unsigned char *bits, uint64_t n)
{
  bits[n / 8] |= (unsigned char)(1U << n % 8);
}

static bool abi_ycsb_has_bit(const unsigned char *bits, uint64_t n)
{
  return bits[n / 8] >> n % 8 & 1;
}

static int checking_init(struct checking *k)
{
  const size_t n = k->shared->n_inserts;
  bool ok = true;

  k->loaded = calloc(k->model->records / 8 + 1, 1);
  k->inserts = calloc(n + 1, sizeof(*k->inserts));
  k->seen = calloc(n + 1, sizeof(*k->seen));
  for (size_t i = 0; k->inserts && i < n; i++) {
    k->inserts[i] = calloc(k->shared->inserts[i].readable / 8 + 1, 1);
    ok = ok && k->inserts[i];
  }
  return ok && k->loaded && k->inserts && k->seen ? 0 : -ENOMEM;
}

static void checking_done(struct checking *k)
{
  for (size_t i = 0; k->inserts && i < k->shared->n_inserts; i++)
    free(k->inserts[i]);
  free(k->inserts);
  free(k->loaded);
  free(k->seen);
  strbuf_done(&k->last);
}

static void abi_ycsb_note(struct checking *k, unsigned rule, const char *key,
                          size_t len, int field)
{
  struct fault *f = &k->fault[rule];

  if (f->count++ > 0)
    return;
  if (len > KEY_SHOWN)
    len = KEY_SHOWN;
  if (field < 0)
    (void)snprintf(f->first, sizeof(f->first), "key %.*s", (int)len, key);
  else
    (void)snprintf(f->first, sizeof(f->first), "key %.*s, field%d", (int)len,
                   key, field);
}

static void abi_ycsb_note_row(struct checking *k, unsigned rule, uint64_t row)
{
  const uint64_t place = ycsb_place(k->model, row);
  char key[YCSB_KEY + 1] = "";

  if (k->model->int_keys)
    (void)snprintf(key, sizeof(key), "%" PRIu64, place);
  else
    ycsb_key(place, key);
  abi_ycsb_note(k, rule, key, strlen(key), -1);
}

static void abi_ycsb_tell_all(const struct checking *k, struct strbuf *faults)
{
  static const char *const what[RULES][2] = {
    [YCSB_NULL] = { "field is NULL", "fields are NULL" },
    [YCSB_SIZE] = { "field has a wrong length", "fields have a wrong length" },
    [YCSB_FORM] = { "field has no version", "fields have no version" },
    [YCSB_CHECK] = { "field has a wrong check word",
                     "fields have a wrong check word" },
    [YCSB_TEXT] = { "field has not the text of its version",
                    "fields have not the text of their version" },
    [YCSB_TORN] = { "row is torn: it has fields of different writes of the "
                    "whole row",
                    "rows are torn: they have fields of different writes of "
                    "the whole row" },
    [MISSING] = { "row is missing", "rows are missing" },
    [LOST] = { "acknowledged insert is lost", "acknowledged inserts are lost" },
    [STRANGE] = { "row does not belong here", "rows do not belong here" },
  };

  for (unsigned rule = YCSB_FINE + 1; rule < RULES; rule++) {
    const struct fault *f = &k->fault[rule];

    if (f->count > 0)
      strbuf_addf(faults, "%s%" PRIu64 " %s, the first is %s",
                  faults->len ? "; " : "", f->count, what[rule][f->count > 1],
                  f->first);
  }
}

static struct ycsb_inserts *ycsb_find_inserts(const struct ycsb_shared *s,
                                              uint64_t row)
{
  for (size_t i = 0; i < s->n_inserts; i++) {
    struct ycsb_inserts *e = &s->inserts[i];

    if (row >= e->first && (row - e->first) % e->stride == 0 &&
        (row - e->first) / e->stride < e->begun)
      return e;
  }
  return NULL;
}

/* Notes the row as seen. */
static bool abi_ycsb_is_insert(struct checking *k, uint64_t row)
{
  const struct ycsb_inserts *e = ycsb_find_inserts(k->shared, row);
  uint64_t at;

  if (!e)
    return false;
  at = (row - e->first) / e->stride;
  if (at < e->readable)
    abi_ycsb_set_bit(k->inserts[e - k->shared->inserts], at);
  k->seen[e - k->shared->inserts]++;
  return true;
}

static bool place_row(struct checking *k, const sql_value *key,
                      uint64_t *ret_row)
{
  *ret_row = key->ptr ? ycsb_number_of_key(k->model, key->ptr, key->len) : 0;
  if (*ret_row == 0)
    return false;
  if (*ret_row <= k->model->records) {
    abi_ycsb_set_bit(k->loaded, *ret_row - 1);
    return true;
  }
  k->inserted++;
  return abi_ycsb_is_insert(k, *ret_row);
}

static void abi_ycsb_take_row(struct checking *k, const sql_value *values)
{
  const char *key = values[0].ptr ? values[0].ptr : "";
  struct ycsb_reading reading = { .model = k->model };
  struct ycsb_version version;

  k->rows++;
  if (!place_row(k, &values[0], &reading.row)) {
    abi_ycsb_note(k, STRANGE, key, values[0].len, -1);
    return;
  }
  for (unsigned i = 0; i < k->model->fields; i++) {
    const sql_value *v = &values[1 + i];
    const enum ycsb_fault fault = ycsb_read(&reading, i, v->ptr, v->len,
                                            &version);

    if (fault != YCSB_FINE)
      abi_ycsb_note(k, fault, key, values[0].len, (int)i);
    if (fault == YCSB_TORN)
      break; /* one fault for a row */
  }
}

/* Of rows after the readable ones, only the number of acknowledged ones is
 * known. */
static void find_lost(struct checking *k, size_t i)
{
  const struct ycsb_inserts *e = &k->shared->inserts[i];
  uint64_t there = k->seen[i];

  for (uint64_t n = 0; n < e->readable; n++) {
    if (abi_ycsb_has_bit(k->inserts[i], n))
      continue;
    abi_ycsb_note_row(k, LOST, e->first + n * e->stride);
    there++; /* noted */
  }
  if (there < e->acknowledged) {
    abi_ycsb_note_row(k, LOST, e->first + e->readable * e->stride);
    k->fault[LOST].count += e->acknowledged - there - 1;
  }
}

static void find_missing(struct checking *k)
{
  for (uint64_t row = 1; row <= k->model->records; row++) {
    if (!abi_ycsb_has_bit(k->loaded, row - 1))
      abi_ycsb_note_row(k, MISSING, row);
  }
  for (size_t i = 0; i < k->shared->n_inserts; i++)
    find_lost(k, i);
}

static int abi_ycsb_ask(struct conn *c, struct checking *k, sql_result **ret,
                        struct err *err)
{
  struct strbuf sql = { 0 };

  strbuf_adds(&sql, "SELECT ycsb_key");
  for (unsigned i = 0; i < k->model->fields; i++)
    strbuf_addf(&sql, ", field%u", i);
  strbuf_adds(&sql, " FROM " YCSB_TABLE);
  if (k->last.len > 0)
    strbuf_addf(&sql, " WHERE ycsb_key > %s", strbuf_str(&k->last));
  strbuf_addf(&sql, " ORDER BY ycsb_key LIMIT %d", AT_A_TIME);
  return send_query(c, &sql, ret, err);
}

static int abi_ycsb_go_on_after(struct conn *c, struct checking *k,
                                const sql_value *key)
{
  const char *why;

  strbuf_clear(&k->last);
  if (k->model->int_keys)
    strbuf_add(&k->last, key->ptr, key->len);
  else if (!c->driver->quote(c->session, key->ptr, key->len, &k->last, &why))
    return -EIO;
  return k->last.failed ? -ENOMEM : 0;
}

/* *ret_more: perhaps more rows. */
static int check_part(struct conn *c, struct checking *k, bool *ret_more,
                      struct err *err)
{
  sql_result *rs = NULL;
  int rc = abi_ycsb_ask(c, k, &rs, err);
  uint64_t rows;

  if (rc < 0)
    return rc;
  rows = rs ? rs->nrows : 0;
  for (uint64_t left = rows; left > 0; left--) {
    const sql_row *row = send_fetch(rs, 1 + k->model->fields, err);

    if (!row)
      return -EIO;
    abi_ycsb_take_row(k, row->values);
    if (left == 1 && (rc = abi_ycsb_go_on_after(c, k, &row->values[0])) < 0)
      return err_set(err, rc, "cannot go on after key %.*s",
                     (int)row->values[0].len, row->values[0].ptr);
  }
  *ret_more = rows == AT_A_TIME;
  return 0;
}

/* *faults describes rows that break a rule.  *ret_inserted: rows not from
 * prepare. -EIO: the table cannot be read. */
static int ycsb_check(struct conn *c, struct ycsb_shared *s, struct pace *pace,
                      uint64_t *ret_rows, uint64_t *ret_inserted,
                      struct strbuf *faults, struct err *err)
{
  struct checking k = { .shared = s, .model = &s->keys.model };
  bool more = true;
  int rc = checking_init(&k);

  if (rc < 0)
    (void)err_set(err, rc, "not enough memory");
  while (rc == 0 && more) {
    const uint64_t before = k.rows;

    rc = check_part(c, &k, &more, err);
    if (rc == 0 && pace)
      pace_add(pace, k.rows - before, 0);
  }
  if (rc == 0) {
    find_missing(&k);
    abi_ycsb_tell_all(&k, faults);
    *ret_rows = k.rows;
    *ret_inserted = k.inserted;
  }
  checking_done(&k);
  return rc;
}

struct user {
  struct ycsb_shared *shared; /* borrowed */
  struct rand_stream *rand;   /* borrowed: of its state */
  struct ycsb_client keys;
  struct ycsb_reading reading;
};

/* Returns the number of processes; *ret_rank is this one. */
double bench_ranks(double *ret_rank)
{
  const struct state *s = state_current();

  *ret_rank = s ? s->script->setup.plan->part : 0;
  return s ? s->script->setup.plan->parts : 1;
}

/* Seven bits; -1: a rank has given up. */
static int abi_ycsb_agree_on(const struct plan *plan, unsigned char own)
{
  unsigned char *all = calloc(plan->parts, 1);
  int word = -1;

  if (!all)
    return -1;
  plan->peers->vote(plan->peers->ctx, own, all);
  word = all[0];
  for (unsigned i = 0; i < plan->parts; i++) {
    if (all[i] == PEERS_GONE)
      word = -1;
  }
  free(all);
  return word;
}

/* Rank 0's value, a whole number of 0 to 2^53, or -1 if a rank has given up;
 * for the main state of each rank. */
double bench_agree(double value)
{
  const struct state *s = state_current();
  const struct plan *plan = s ? s->script->setup.plan : NULL;
  uint64_t agreed = 0;

  if (!plan || !plan->peers || plan->parts < 2)
    return value;
  for (unsigned shift = 0; shift < 56; shift += 7) {
    const int word = abi_ycsb_agree_on(plan, (uint64_t)value >> shift & 0x7F);

    if (word < 0)
      return -1;
    agreed |= (uint64_t)word << shift;
  }
  return (double)agreed;
}

static struct ycsb_shared *shared_of(const struct state *s)
{
  return s ? s->script->workload : NULL;
}

static void abi_ycsb_free_shared(void *workload)
{
  struct ycsb_shared *y = workload;

  ycsb_keys_done(&y->keys);
  free(y->inserts);
  free(y);
}

static struct kind_args abi_ycsb_args_of(const bench_ycsb_setup *setup)
{
  struct kind_args args = { .seed = (uint64_t)setup->seed };

  args.value[YCSB_RECORDS] = (uint64_t)setup->records;
  args.value[YCSB_FIELDS] = (uint64_t)setup->fields;
  args.value[YCSB_LENGTH] = (uint64_t)setup->length;
  args.value[YCSB_INT_KEYS] = setup->int_keys != 0;
  args.value[YCSB_ORDERED] = setup->ordered != 0;
  return args;
}

static bool abi_ycsb_is_possible(const bench_ycsb_setup *setup)
{
  return setup->records >= 1 && setup->records <= (double)YCSB_RECORDS_MAX &&
         setup->fields >= 1 && setup->fields <= YCSB_FIELDS_MAX &&
         setup->length >= YCSB_HEAD && setup->length <= YCSB_LENGTH_MAX &&
         setup->exponent >= 0 && setup->choice >= 0 &&
         setup->choice <= YCSB_JAVA && ycsb_workload(setup->workload);
}

/* Once, in the main state.  False: no memory, or an impossible number. */
bool bench_ycsb_open(const bench_ycsb_setup *setup)
{
  const struct state *s = state_current();
  struct kind_args args;
  struct ycsb_shared *y;

  if (!s || s->script->workload || !abi_ycsb_is_possible(setup))
    return false;
  y = calloc(1, sizeof(*y));
  if (!y)
    return false;
  args = abi_ycsb_args_of(setup);
  ycsb_keys_init(&y->keys, &args, (enum ycsb_choice)setup->choice,
                 setup->exponent);
  y->workload = ycsb_workload(setup->workload);
  s->script->workload = y;
  s->script->workload_free = abi_ycsb_free_shared;
  return true;
}

/* Inserts of a process of an earlier run.  False: no memory. */
bool bench_ycsb_extent(double first, double stride, double readable,
                       double acknowledged, double begun)
{
  struct ycsb_shared *y = shared_of(state_current());
  struct ycsb_inserts *more;

  if (!y || !(first >= 1 && stride >= 1 && readable >= 0 && acknowledged >= 0 &&
              begun >= readable))
    return false;
  more = reallocarray(y->inserts, y->n_inserts + 1, sizeof(*more));
  if (!more)
    return false;
  y->inserts = more;
  more[y->n_inserts++] = (struct ycsb_inserts){
    .first = (uint64_t)first,
    .stride = (uint64_t)stride,
    .readable = (uint64_t)readable,
    .acknowledged = (uint64_t)acknowledged,
    .begun = (uint64_t)begun,
  };
  return ycsb_keys_add(&y->keys, (uint64_t)first, (uint64_t)stride,
                       (uint64_t)readable) == 0;
}

void bench_ycsb_own(double first, double stride)
{
  struct ycsb_shared *y = shared_of(state_current());

  if (y)
    ycsb_keys_own(&y->keys, (uint64_t)first, (uint64_t)stride);
}

/* Returns the acknowledged inserts of this process. */
double bench_ycsb_inserts(double *ret_begun, double *ret_readable)
{
  struct ycsb_shared *y = shared_of(state_current());
  double acknowledged;

  *ret_begun = *ret_readable = 0;
  if (!y)
    return 0;
  (void)pthread_mutex_lock(&y->keys.lock);
  acknowledged = (double)y->keys.acknowledged;
  *ret_begun = (double)y->keys.begun;
  (void)pthread_mutex_unlock(&y->keys.lock);
  *ret_readable = (double)(ycsb_keys_readable(&y->keys) - y->keys.own.below);
  return acknowledged;
}

/* NULL: no memory. */
void *bench_ycsb_join(void)
{
  const struct state *s = state_current();
  struct ycsb_shared *y = shared_of(s);
  struct user *c = y ? calloc(1, sizeof(*c)) : NULL;

  if (c) {
    c->shared = y;
    c->rand = s->rand;
    c->reading.model = &y->keys.model;
  }
  return c;
}

void bench_ycsb_leave(void *client)
{
  struct user *c = client;

  ycsb_keys_leave(&c->shared->keys, &c->keys);
  free(c);
}

int bench_ycsb_operation(void *client)
{
  struct user *c = client;

  return (int)ycsb_draw_op(c->shared->workload, &c->rand->rng);
}

/* `key`: an int64_t, or YCSB_KEY characters. */
static void abi_ycsb_put_key(const struct ycsb *y, uint64_t row, void *key)
{
  const uint64_t place = ycsb_place(y, row);

  if (y->int_keys)
    memcpy(key, &place, sizeof(place));
  else
    ycsb_key(place, key);
}

double bench_ycsb_draw(void *client, void *key)
{
  struct user *c = client;
  const struct ycsb_keys *k = &c->shared->keys;
  const uint64_t row = ycsb_keys_draw(k, &c->keys, &c->rand->rng);

  abi_ycsb_put_key(&k->model, row, key);
  return (double)row;
}

double bench_ycsb_insert(void *client, void *key)
{
  struct user *c = client;
  const uint64_t row = ycsb_keys_insert(&c->shared->keys, &c->keys);

  abi_ycsb_put_key(&c->shared->keys.model, row, key);
  return (double)row;
}

void bench_ycsb_inserted(void *client)
{
  struct user *c = client;

  ycsb_keys_inserted(&c->shared->keys, &c->keys);
}

double bench_ycsb_version(void *client)
{
  struct user *c = client;

  return (double)(rng_next(&c->rand->rng) >> (64 - YCSB_VERSION_BITS));
}

void bench_ycsb_field(void *client, double row, int field, double version,
                      bool whole, char *to)
{
  struct user *c = client;
  const struct ycsb_version v = { .number = (uint64_t)version, .whole = whole };

  ycsb_field(&c->shared->keys.model, (uint64_t)row, (unsigned)field, v, to);
}

/* Can a process of this run have begun to insert this row? */
static bool abi_ycsb_is_inserted_now(struct ycsb_keys *k, uint64_t row)
{
  const struct ycsb_extent *own = &k->own;
  uint64_t begun;

  if (own->stride > 1)
    return row + own->stride > own->first; /* other ranks */
  if (row < own->first)
    return false;
  (void)pthread_mutex_lock(&k->lock);
  begun = k->begun;
  (void)pthread_mutex_unlock(&k->lock);
  return row - own->first < begun || row - own->first >= YCSB_RUN_MAX;
}

/* 0: nobody has inserted the key. */
double bench_ycsb_row(void *client, const char *key, size_t len)
{
  struct user *c = client;
  struct ycsb_shared *y = c->shared;
  const uint64_t row = ycsb_number_of_key(&y->keys.model, key, len);

  if (row == 0 || row <= y->keys.model.records)
    return (double)row;
  if (abi_ycsb_is_inserted_now(&y->keys, row) || ycsb_find_inserts(y, row))
    return (double)row;
  return 0;
}

/* The fields of a row follow. */
void bench_ycsb_read(void *client, double row)
{
  struct user *c = client;

  c->reading = (struct ycsb_reading){ .model = &c->shared->keys.model,
                                      .row = (uint64_t)row };
}

/* Compares a field with its last write; text NULL: NULL.  Returns the broken
 * rule, or NULL and the version. */
const char *bench_ycsb_see(void *client, int field, const char *text,
                           size_t len, double *ret_version)
{
  struct user *c = client;
  struct ycsb_version v = { 0 };
  const enum ycsb_fault fault = ycsb_read(&c->reading, (unsigned)field, text,
                                          len, &v);

  *ret_version = (double)v.number;
  return fault == YCSB_FINE ? NULL : ycsb_fault_text[fault];
}

/* Returns 0 and the faults or ""; -1 (unknown) and the reason.  Valid until
 * the next call in this state. */
int bench_ycsb_check(sql_connection *con, void *pace, double *ret_rows,
                     double *ret_inserted, const char **ret_text)
{
  struct state *s = state_current();
  struct ycsb_shared *y = shared_of(s);
  uint64_t rows = 0, inserted = 0;
  struct err err = { "" };
  int rc;

  if (!y) {
    *ret_text = "there is no model";
    return -1;
  }
  strbuf_clear(&s->quoted);
  rc = ycsb_check(conn_of(con), y, pace, &rows, &inserted, &s->quoted, &err);
  if (rc < 0) {
    strbuf_clear(&s->quoted);
    strbuf_adds(&s->quoted, err.text);
  }
  *ret_rows = (double)rows;
  *ret_inserted = (double)inserted;
  *ret_text = strbuf_str(&s->quoted);
  return rc < 0 ? -1 : 0;
}
