/*
 * ycsb.c - the table of the ycsb script.  Rows are loaded in the order of the
 * index, even with hashed keys.
 */
#include "db/load/kinds/ycsb.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "db/load/kind.h"
#include "db/load/kinds/kind_list.h"
#include "stats/rand/rng.h"
#include "stats/rand/text.h"

static const struct ycsb_workload workloads[] = {
  { 'a', { [YCSB_READ] = 50, [YCSB_UPDATE] = 50 }, YCSB_ZIPFIAN },
  { 'b', { [YCSB_READ] = 95, [YCSB_UPDATE] = 5 }, YCSB_ZIPFIAN },
  { 'c', { [YCSB_READ] = 100 }, YCSB_ZIPFIAN },
  { 'd', { [YCSB_READ] = 95, [YCSB_INSERT] = 5 }, YCSB_LATEST },
  { 'e', { [YCSB_SCAN] = 95, [YCSB_INSERT] = 5 }, YCSB_ZIPFIAN },
  { 'f', { [YCSB_READ] = 50, [YCSB_RMW] = 50 }, YCSB_ZIPFIAN },
};

const struct ycsb_workload *ycsb_workload(char name)
{
  for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++) {
    if (workloads[i].name == name)
      return &workloads[i];
  }
  return NULL;
}

enum ycsb_op ycsb_draw_op(const struct ycsb_workload *w, struct rng *rng)
{
  unsigned left = (unsigned)rng_below(rng, 100);
  unsigned op = 0;

  while (left >= w->percent[op])
    left -= w->percent[op++];
  return (enum ycsb_op)op;
}

/* ---- rows ---- */

enum {
  FOR_POPULAR = 100
};

void ycsb_keys_init(struct ycsb_keys *k, const struct kind_args *args,
                    enum ycsb_choice choice, double exponent)
{
  *k = (struct ycsb_keys){ .choice = choice, .stopped_at = UINT64_MAX };
  ycsb_init(&k->model, args);
  rand_zipf_init(&k->zipf, exponent);
  zipf_java_init(&k->java);
  scramble_init(&k->popular, rng_key(k->model.seed, RNG_ROWS, FOR_POPULAR),
                k->model.records);
  ycsb_keys_own(k, k->model.records + 1, 1);
  (void)pthread_mutex_init(&k->lock, NULL);
}

void ycsb_keys_done(struct ycsb_keys *k)
{
  (void)pthread_mutex_destroy(&k->lock);
  free(k->past);
  k->past = NULL;
}

/* Below the next extent. */
static uint64_t rows_so_far(const struct ycsb_keys *k)
{
  const struct ycsb_extent *last;

  if (k->n_past == 0)
    return k->model.records;
  last = &k->past[k->n_past - 1];
  return last->below + last->count;
}

int ycsb_keys_add(struct ycsb_keys *k, uint64_t first, uint64_t stride,
                  uint64_t count)
{
  if (count == 0)
    return 0;
  if (k->n_past == k->room_past) {
    const size_t room = k->room_past ? 2 * k->room_past : 16;
    struct ycsb_extent *more = reallocarray(k->past, room, sizeof(*more));

    if (!more)
      return -ENOMEM;
    k->past = more;
    k->room_past = room;
  }
  k->past[k->n_past] = (struct ycsb_extent){
    .first = first, .stride = stride, .count = count, .below = rows_so_far(k)
  };
  k->n_past++;
  return 0;
}

void ycsb_keys_own(struct ycsb_keys *k, uint64_t first, uint64_t stride)
{
  k->own = (struct ycsb_extent){ .first = first,
                                 .stride = stride,
                                 .below = rows_so_far(k) };
}

uint64_t ycsb_keys_readable(const struct ycsb_keys *k)
{
  /* Pairs with the release in ycsb_publish(): the row was acknowledged. */
  return k->own.below +
         atomic_load_explicit(&k->readable, memory_order_acquire);
}

/* The last extent below this index, after the loaded rows. */
static const struct ycsb_extent *extent_of(const struct ycsb_keys *k,
                                           uint64_t index)
{
  size_t low = 0, high = k->n_past;

  if (index > k->own.below)
    return &k->own;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;

    if (k->past[middle].below < index)
      low = middle;
    else
      high = middle;
  }
  return &k->past[low];
}

uint64_t ycsb_keys_at(const struct ycsb_keys *k, uint64_t index)
{
  const struct ycsb_extent *e;

  if (index <= k->model.records)
    return index;
  e = extent_of(k, index);
  return e->first + (index - e->below - 1) * e->stride;
}

/* The most popular ranks are loaded rows, permuted; later ranks are inserted
 * rows in order.  Growth changes no rank. */
static uint64_t ycsb_index_of_rank(const struct ycsb_keys *k, uint64_t rank)
{
  return rank <= k->model.records ? scramble(&k->popular, rank - 1) + 1 : rank;
}

/* YCSB's generator has one item more than rows. */
static uint64_t ycsb_draw_java(const struct ycsb_keys *k, struct rng *rng)
{
  uint64_t item;

  do {
    item = zipf_java_item(&k->java, rng_double(rng), k->model.records + 1);
  } while (item == k->model.records);
  return item + 1;
}

uint64_t ycsb_keys_draw(const struct ycsb_keys *k, struct ycsb_client *c,
                        struct rng *rng)
{
  const uint64_t readable = ycsb_keys_readable(k);
  uint64_t rank;

  if (k->choice == YCSB_JAVA)
    return ycsb_draw_java(k, rng);
  if (k->choice == YCSB_UNIFORM)
    return ycsb_keys_at(k, 1 + rng_below(rng, readable));
  rank = (uint64_t)dist_zipfian(&k->zipf, rng, &c->zipf, 1, (int64_t)readable);
  if (k->choice == YCSB_LATEST)
    return ycsb_keys_at(k, readable + 1 - rank);
  return ycsb_keys_at(k, ycsb_index_of_rank(k, rank));
}

/* ---- inserts; with the lock ---- */

static void ycsb_append(struct ycsb_keys *k, struct ycsb_client *c)
{
  c->before = k->newest;
  c->after = NULL;
  if (k->newest)
    k->newest->after = c;
  else
    k->oldest = c;
  k->newest = c;
}

static void ycsb_take_out(struct ycsb_keys *k, struct ycsb_client *c)
{
  if (c->before)
    c->before->after = c->after;
  else
    k->oldest = c->after;
  if (c->after)
    c->after->before = c->before;
  else
    k->newest = c->before;
}

static void ycsb_publish(struct ycsb_keys *k)
{
  uint64_t readable = k->oldest ? k->oldest->inserting - 1 : k->begun;

  if (readable > k->stopped_at)
    readable = k->stopped_at;
  /* Pairs with ycsb_keys_readable(). */
  atomic_store_explicit(&k->readable, readable, memory_order_release);
}

uint64_t ycsb_keys_insert(struct ycsb_keys *k, struct ycsb_client *c)
{
  uint64_t index;

  (void)pthread_mutex_lock(&k->lock);
  index = k->begun++;
  c->inserting = index + 1;
  ycsb_append(k, c);
  (void)pthread_mutex_unlock(&k->lock);
  return k->own.first + index * k->own.stride;
}

void ycsb_keys_inserted(struct ycsb_keys *k, struct ycsb_client *c)
{
  (void)pthread_mutex_lock(&k->lock);
  if (c->inserting > 0) {
    ycsb_take_out(k, c);
    c->inserting = 0;
    k->acknowledged++;
    ycsb_publish(k);
  }
  (void)pthread_mutex_unlock(&k->lock);
}

void ycsb_keys_leave(struct ycsb_keys *k, struct ycsb_client *c)
{
  (void)pthread_mutex_lock(&k->lock);
  if (c->inserting > 0) {
    ycsb_take_out(k, c);
    if (c->inserting - 1 < k->stopped_at)
      k->stopped_at = c->inserting - 1;
    c->inserting = 0;
  }
  (void)pthread_mutex_unlock(&k->lock);
}

static const char *const params[] = { "records",  "fields",  "length",
                                      "int_keys", "ordered", NULL };

static const char *const columns[YCSB_FIELDS_MAX + 1] = {
  "ycsb_key", "field0",  "field1",  "field2",  "field3",  "field4",  "field5",
  "field6",   "field7",  "field8",  "field9",  "field10", "field11", "field12",
  "field13",  "field14", "field15", "field16", "field17", "field18", "field19",
};

static int check(const struct kind_args *args, struct err *err)
{
  static const struct {
    const char *name;
    uint64_t min, max;
  } limit[] = {
    [YCSB_RECORDS] = { "records", 1, YCSB_RECORDS_MAX },
    [YCSB_FIELDS] = { "fields", 1, YCSB_FIELDS_MAX },
    [YCSB_LENGTH] = { "field-length", YCSB_HEAD, YCSB_LENGTH_MAX },
  };

  for (unsigned i = YCSB_RECORDS; i <= YCSB_LENGTH; i++) {
    if (args->value[i] < limit[i].min || args->value[i] > limit[i].max)
      return err_set(err, -EINVAL, "--%s must be from %" PRIu64 " to %" PRIu64,
                     limit[i].name, limit[i].min, limit[i].max);
  }
  return 0;
}

static void ycsb_describe(const struct kind_args *args, uint64_t number,
                          struct kind_table *ret)
{
  const uint64_t fields = args->value[YCSB_FIELDS];
  const uint64_t length = args->value[YCSB_LENGTH];
  const unsigned text = (unsigned)(fields * (length + 2));
  struct ycsb y;

  (void)number;
  ycsb_init(&y, args);
  (void)strcpy(ret->name, YCSB_TABLE);
  ret->columns = columns;
  ret->n = (unsigned)fields + 1;
  ret->types = y.int_keys ? "itttttttttttttttttttt" : "ttttttttttttttttttttt";
  ret->key[0] = (struct kind_key){
    .name = columns[0],
    .first = y.gap,
    .count = y.records,
    .step = y.gap,
    .prefix = y.int_keys ? NULL : YCSB_PREFIX,
  };
  ret->keys = 1;
  ret->bytes_max = ROW_HEAD + ROW_INT_MAX + ROW_TEXT_HEAD +
                   fields * (ROW_TEXT_HEAD + length);
  kind_set_disk(ret, 85 + text * 112 / 100, 85 + text * 112 / 100,
                60 + text * 132 / 100);
}

static void ycsb_begin(struct maker *m)
{
  ycsb_init(m->state, &m->args);
}

static size_t ycsb_put(struct maker *m, enum rows_form form, uint64_t key,
                       char *to)
{
  static const struct ycsb_version first = { .whole = true };
  const struct ycsb *y = m->state;
  const uint64_t place = key * y->gap;
  const uint64_t number = ycsb_number(y, place);
  char text[YCSB_LENGTH_MAX];
  struct row row;

  row_begin(&row, form, m->table.n, to);
  if (y->int_keys) {
    row_long(&row, (int64_t)place);
  } else {
    ycsb_key(place, text);
    row_text(&row, text, YCSB_KEY);
  }
  for (unsigned i = 0; i < y->fields; i++) {
    ycsb_field(y, number, i, first, text);
    row_text(&row, text, y->length);
  }
  return (size_t)(row_end(&row) - to);
}

const struct kind kind_ycsb = {
  .name = "ycsb",
  .params = params,
  .tables = 1,
  .check = check,
  .describe = ycsb_describe,
  .state_size = sizeof(struct ycsb),
  .begin = ycsb_begin,
  .put = ycsb_put,
  .depends = "--rand-seed, --records, --fields, --field-length, --key and "
             "--order",
  .size_option = "--records, --key and --order",
  .fewer = "fewer --records",
};

const char *const ycsb_fault_text[YCSB_FAULTS] = {
  [YCSB_FINE] = "it is fine",
  [YCSB_NULL] = "it is NULL",
  [YCSB_SIZE] = "its length is wrong",
  [YCSB_FORM] = "it has no version",
  [YCSB_CHECK] = "its check word is wrong",
  [YCSB_TEXT] = "its text is not that of its version",
  [YCSB_TORN] = ("the row is torn: it has fields of different writes of the "
                 "whole row"),
};

/* Scripts have seeds of 53 bits. */
#define SEED_MASK ((UINT64_C(1) << 53) - 1)
#define VERSION_MASK ((UINT64_C(1) << YCSB_VERSION_BITS) - 1)

enum {
  PLACE_BITS = 62,
  VERSION_DIGITS = 11,
  CHECK_DIGITS = 8,
};

enum {
  FOR_LOADED = 1,
  FOR_IN_BETWEEN,
  FOR_FIELD,
};

void ycsb_init(struct ycsb *y, const struct kind_args *args)
{
  const uint64_t *v = args->value;
  unsigned bits = 1;

  *y = (struct ycsb){
    .seed = args->seed & SEED_MASK,
    .records = v[YCSB_RECORDS],
    .fields = (unsigned)v[YCSB_FIELDS],
    .length = (unsigned)v[YCSB_LENGTH],
    .int_keys = v[YCSB_INT_KEYS] != 0,
    .ordered = v[YCSB_ORDERED] != 0,
    .gap = 1,
  };
  if (y->ordered)
    return;
  while (UINT64_C(1) << bits <= y->records)
    bits++;
  y->gap = UINT64_C(1) << (PLACE_BITS - bits);
  scramble_init(&y->loaded, rng_key(y->seed, RNG_ROWS, FOR_LOADED), y->records);
  scramble_init(&y->in_between, rng_key(y->seed, RNG_ROWS, FOR_IN_BETWEEN),
                y->records * (y->gap - 1));
}

/* ---- keys ---- */

uint64_t ycsb_place(const struct ycsb *y, uint64_t number)
{
  uint64_t at;

  if (y->ordered)
    return number;
  if (number <= y->records)
    return (scramble(&y->loaded, number - 1) + 1) * y->gap;
  number -= y->records + 1;
  if (number >= y->in_between.n)
    return 0;
  at = scramble(&y->in_between, number);
  return (at % y->records + 1) * y->gap + 1 + at / y->records;
}

uint64_t ycsb_number(const struct ycsb *y, uint64_t place)
{
  const uint64_t block = place / y->gap, rest = place % y->gap;

  if (y->ordered)
    return place;
  if (block < 1 || block > y->records)
    return 0;
  if (rest == 0)
    return scramble_back(&y->loaded, block - 1) + 1;
  return y->records + 1 +
         scramble_back(&y->in_between, (rest - 1) * y->records + block - 1);
}

void ycsb_key(uint64_t place, char to[YCSB_KEY])
{
  memcpy(to, YCSB_PREFIX, sizeof(YCSB_PREFIX) - 1);
  for (unsigned i = YCSB_KEY; i-- > sizeof(YCSB_PREFIX) - 1; place /= 10)
    to[i] = (char)('0' + place % 10);
}

uint64_t ycsb_number_of_key(const struct ycsb *y, const char *text, size_t len)
{
  const size_t prefix = y->int_keys ? 0 : sizeof(YCSB_PREFIX) - 1;
  char digits[KIND_DIGITS + 1];
  uint64_t place;

  if (len < prefix || memcmp(text, YCSB_PREFIX, prefix) != 0 ||
      len - prefix > KIND_DIGITS || (prefix && len != YCSB_KEY))
    return 0;
  len -= prefix;
  memcpy(digits, text + prefix, len);
  digits[len] = '\0';
  if (len == 0 || strspn(digits, "0123456789") != len)
    return 0;
  place = 0;
  for (size_t i = 0; i < len; i++)
    place = place * 10 + (uint64_t)(digits[i] - '0');
  return place > INT64_MAX ? 0 : ycsb_number(y, place);
}

static uint64_t stream_of(const struct ycsb *y, uint64_t row, unsigned field,
                          struct ycsb_version v)
{
  const uint64_t at = rng_mix(row + (uint64_t)field * RNG_GAMMA);

  return rng_mix(rng_key(y->seed, RNG_ROWS, FOR_FIELD) + at +
                 rng_mix(v.number * 2 + v.whole + RNG_GAMMA));
}

static void ycsb_put_hex(char *to, uint64_t value, unsigned digits)
{
  static const char digit[] = "0123456789abcdef";

  while (digits-- > 0) {
    to[digits] = digit[value & 15];
    value >>= 4;
  }
}

static bool ycsb_get_hex(const char *text, unsigned digits, uint64_t *ret)
{
  uint64_t value = 0;

  for (unsigned i = 0; i < digits; i++) {
    const char c = text[i];

    if (c >= '0' && c <= '9')
      value = value << 4 | (uint64_t)(c - '0');
    else if (c >= 'a' && c <= 'f')
      value = value << 4 | (uint64_t)(c - 'a' + 10);
    else
      return false;
  }
  *ret = value;
  return true;
}

static void ycsb_put_head(struct ycsb_version v, uint64_t stream, char *to)
{
  to[0] = v.whole ? 'w' : 'f';
  ycsb_put_hex(to + 1, v.number, VERSION_DIGITS);
  ycsb_put_hex(to + 1 + VERSION_DIGITS, stream >> 32, CHECK_DIGITS);
}

/* After the head: letters from the whole stream. */
static void ycsb_put_text(uint64_t stream, size_t len, char *to)
{
  static const char format[] = "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"
                               "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"
                               "@@@@@@@@@@@@@@@@";
  struct rng rng;

  rng_seed_key(&rng, stream);
  while (len > 0) {
    const size_t n = len < sizeof(format) - 1 ? len : sizeof(format) - 1;

    text_fill(&rng, format, n, to);
    to += n;
    len -= n;
  }
}

void ycsb_field(const struct ycsb *y, uint64_t row, unsigned field,
                struct ycsb_version version, char *to)
{
  uint64_t stream;

  version.number &= VERSION_MASK;
  stream = stream_of(y, row, field, version);
  ycsb_put_head(version, stream, to);
  ycsb_put_text(stream, y->length - YCSB_HEAD, to + YCSB_HEAD);
}

static bool ycsb_get_version(const char *text, struct ycsb_version *ret)
{
  ret->whole = text[0] == 'w';
  return (text[0] == 'w' || text[0] == 'f') &&
         ycsb_get_hex(text + 1, VERSION_DIGITS, &ret->number);
}

enum ycsb_fault ycsb_read(struct ycsb_reading *r, unsigned field,
                          const char *text, size_t len,
                          struct ycsb_version *ret_version)
{
  char expected[YCSB_LENGTH_MAX];
  struct ycsb_version v;

  if (!text)
    return YCSB_NULL;
  if (len != r->model->length)
    return YCSB_SIZE;
  if (!ycsb_get_version(text, &v))
    return YCSB_FORM;
  ycsb_field(r->model, r->row, field, v, expected);
  if (memcmp(text, expected, YCSB_HEAD) != 0)
    return YCSB_CHECK;
  if (memcmp(text, expected, len) != 0)
    return YCSB_TEXT;
  *ret_version = v;
  if (!v.whole)
    return YCSB_FINE;
  if (r->seen_whole && r->whole != v.number)
    return YCSB_TORN;
  r->seen_whole = true;
  r->whole = v.number;
  return YCSB_FINE;
}
