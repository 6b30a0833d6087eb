/*
 * abi_ycsb.c - the interface of the ycsb script to its model: which rows it
 * reads and inserts, and what they contain.
 *
 * The main state opens the model before the first client starts; it belongs to
 * the script.  A client belongs to one state at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/ffi_api.h"
#include "base/strbuf.h"
#include "db/conn.h"
#include "load/kind.h"
#include "lua/abi/ycsb_check.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"
#include "rand/stream.h"
#include "run/peers.h"
#include "run/plan.h"

struct user {
  struct ycsb_shared *shared; /* borrowed */
  struct rand_stream *rand;   /* borrowed: of its state */
  struct ycsb_client keys;
  struct ycsb_reading reading;
};

/* ---- several processes ---- */

/* Returns how many there are; *ret_rank is the number of this one. */
double bench_ranks(double *ret_rank)
{
  const struct state *s = state_current();

  *ret_rank = s ? s->script->setup.plan->part : 0;
  return s ? s->script->setup.plan->parts : 1;
}

/* One number of seven bits; -1: a rank has given up. */
static int agree_on(const struct plan *plan, unsigned char own)
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

/*
 * Called by the main state of each rank: returns the value of rank 0, a whole
 * number of 0 to 2^53, or -1 if a rank has given up.
 */
double bench_agree(double value)
{
  const struct state *s = state_current();
  const struct plan *plan = s ? s->script->setup.plan : NULL;
  uint64_t agreed = 0;

  if (!plan || !plan->peers || plan->parts < 2)
    return value;
  for (unsigned shift = 0; shift < 56; shift += 7) {
    const int word = agree_on(plan, (uint64_t)value >> shift & 0x7F);

    if (word < 0)
      return -1;
    agreed |= (uint64_t)word << shift;
  }
  return (double)agreed;
}

/* ---- the model of a process ---- */

static struct ycsb_shared *shared_of(const struct state *s)
{
  return s ? s->script->workload : NULL;
}

static void free_shared(void *workload)
{
  struct ycsb_shared *y = workload;

  ycsb_keys_done(&y->keys);
  free(y->inserts);
  free(y);
}

static struct kind_args args_of(const bench_ycsb_setup *setup)
{
  struct kind_args args = { .seed = (uint64_t)setup->seed };

  args.value[YCSB_RECORDS] = (uint64_t)setup->records;
  args.value[YCSB_FIELDS] = (uint64_t)setup->fields;
  args.value[YCSB_LENGTH] = (uint64_t)setup->length;
  args.value[YCSB_INT_KEYS] = setup->int_keys != 0;
  args.value[YCSB_ORDERED] = setup->ordered != 0;
  return args;
}

static bool is_possible(const bench_ycsb_setup *setup)
{
  return setup->records >= 1 && setup->records <= (double)YCSB_RECORDS_MAX &&
         setup->fields >= 1 && setup->fields <= YCSB_FIELDS_MAX &&
         setup->length >= YCSB_HEAD && setup->length <= YCSB_LENGTH_MAX &&
         setup->exponent >= 0 && setup->choice >= 0 &&
         setup->choice <= YCSB_JAVA && ycsb_workload(setup->workload);
}

/* Called once in the main state.  False: there is not enough memory, or a
 * number is impossible. */
bool bench_ycsb_open(const bench_ycsb_setup *setup)
{
  const struct state *s = state_current();
  struct kind_args args;
  struct ycsb_shared *y;

  if (!s || s->script->workload || !is_possible(setup))
    return false;
  y = calloc(1, sizeof(*y));
  if (!y)
    return false;
  args = args_of(setup);
  ycsb_keys_init(&y->keys, &args, (enum ycsb_choice)setup->choice,
                 setup->exponent);
  y->workload = ycsb_workload(setup->workload);
  s->script->workload = y;
  s->script->workload_free = free_shared;
  return true;
}

/* Adds the inserts of a process of an earlier run.  False: there is not enough
 * memory. */
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

/* The rows that this process will insert. */
void bench_ycsb_own(double first, double stride)
{
  struct ycsb_shared *y = shared_of(state_current());

  if (y)
    ycsb_keys_own(&y->keys, (uint64_t)first, (uint64_t)stride);
}

/* Returns the inserts of this process that were acknowledged. */
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

/* ---- a client ---- */

/* Returns NULL if there is not enough memory. */
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
static void put_key(const struct ycsb *y, uint64_t row, void *key)
{
  const uint64_t place = ycsb_place(y, row);

  if (y->int_keys)
    memcpy(key, &place, sizeof(place));
  else
    ycsb_key(place, key);
}

/* Draws a row that can be read; returns its number. */
double bench_ycsb_draw(void *client, void *key)
{
  struct user *c = client;
  const struct ycsb_keys *k = &c->shared->keys;
  const uint64_t row = ycsb_keys_draw(k, &c->keys, &c->rand->rng);

  put_key(&k->model, row, key);
  return (double)row;
}

/* Begins to insert a row; returns its number. */
double bench_ycsb_insert(void *client, void *key)
{
  struct user *c = client;
  const uint64_t row = ycsb_keys_insert(&c->shared->keys, &c->keys);

  put_key(&c->shared->keys.model, row, key);
  return (double)row;
}

/* The insert was acknowledged. */
void bench_ycsb_inserted(void *client)
{
  struct user *c = client;

  ycsb_keys_inserted(&c->shared->keys, &c->keys);
}

/* Draws a version for what will be written. */
double bench_ycsb_version(void *client)
{
  struct user *c = client;

  return (double)(rng_next(&c->rand->rng) >> (64 - YCSB_VERSION_BITS));
}

/* Writes the text of a field, as long as fields are. */
void bench_ycsb_field(void *client, double row, int field, double version,
                      bool whole, char *to)
{
  struct user *c = client;
  const struct ycsb_version v = { .number = (uint64_t)version, .whole = whole };

  ycsb_field(&c->shared->keys.model, (uint64_t)row, (unsigned)field, v, to);
}

/* ---- what was read ---- */

/* May this process, or one beside it, have begun to insert this row? */
static bool is_inserted_now(struct ycsb_keys *k, uint64_t row)
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

/* The number of the row with this key; 0: nobody has inserted such a row. */
double bench_ycsb_row(void *client, const char *key, size_t len)
{
  struct user *c = client;
  struct ycsb_shared *y = c->shared;
  const uint64_t row = ycsb_number_of_key(&y->keys.model, key, len);

  if (row == 0 || row <= y->keys.model.records)
    return (double)row;
  if (is_inserted_now(&y->keys, row) || ycsb_find_inserts(y, row))
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

/*
 * Compares a field with what was written; text NULL: it is NULL.  Returns the
 * rule that it breaks, or NULL and its version.
 */
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

/* ---- check ---- */

/*
 * Reads the whole table.  Returns 0 and the faults, "" if there are none; or -1
 * and the reason why they are not known.  The text is valid until the next call
 * in this state.
 */
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
