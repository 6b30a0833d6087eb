/*
 * test_ycsb.c - the model of the ycsb workloads: shares of operations, the
 * popularity of rows, which rows can be read, keys, and fields.
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "db/load/check.h"
#include "db/load/kind.h"
#include "db/load/kinds/kind_list.h"
#include "db/load/kinds/ycsb.h"
#include "tests/unit/rand_check.h"
#include "tests/unit/tap.h"

enum {
  DRAWS = 1000000,
  RECORDS = 1001, /* odd */
  SEED = 20240229,
};

#define EXPONENT 0.99

static struct kind_args args_of(uint64_t records, bool int_keys, bool ordered)
{
  return (struct kind_args){
    .seed = SEED,
    .value = { records, 10, 100, int_keys, ordered },
  };
}

static void open_keys(struct ycsb_keys *k, enum ycsb_choice choice)
{
  const struct kind_args args = args_of(RECORDS, false, false);

  ycsb_keys_init(k, &args, choice, EXPONENT);
}

/* ---- operations ---- */

static void test_shares(void)
{
  static const unsigned percent[][YCSB_OPS] = {
    { 50, 50, 0, 0, 0 }, { 95, 5, 0, 0, 0 }, { 100, 0, 0, 0, 0 },
    { 95, 0, 5, 0, 0 },  { 0, 0, 5, 95, 0 }, { 50, 0, 0, 0, 50 },
  };

  for (unsigned w = 0; w < 6; w++) {
    uint64_t count[YCSB_OPS] = { 0 };
    double share[YCSB_OPS];
    struct rng rng;

    rng_seed(&rng, SEED, RNG_WORKLOAD, w);
    for (unsigned i = 0; i < DRAWS; i++)
      count[ycsb_draw_op(ycsb_workload((char)('a' + w)), &rng)]++;
    for (unsigned op = 0; op < YCSB_OPS; op++) {
      share[op] = percent[w][op] / 100.0;
      if (percent[w][op] == 0 && count[op] > 0)
        share[op] = NAN;
    }
    OK(CHI2_OK(chi2_test(count, share, YCSB_OPS)), "shares of a workload");
  }
  OK(!ycsb_workload('g') && !ycsb_workload('\0'), "there are no others");
}

/* ---- popularity ---- */

/* Probabilities of the ranks 1..n. */
static void zipf_shares(double *share, size_t n)
{
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += pow((double)i + 1, -EXPONENT);
  for (size_t i = 0; i < n; i++)
    share[i] = pow((double)i + 1, -EXPONENT) / sum;
}

/* Draws rows; count[n] is how often row n + 1 was drawn. */
static void draw_rows(struct ycsb_keys *k, uint64_t *count, size_t rows)
{
  struct ycsb_client c = { .inserting = 0 };
  struct rng rng;

  rng_seed(&rng, SEED, RNG_WORKLOAD, rows);
  for (unsigned i = 0; i < DRAWS; i++) {
    const uint64_t row = ycsb_keys_draw(k, &c, &rng);

    MUST(row >= 1 && row <= rows);
    count[row - 1]++;
  }
}

/* The count of each rank: loaded rows are permuted, the others in order. */
static void by_rank(const struct ycsb_keys *k, const uint64_t *count,
                    uint64_t *to, size_t rows)
{
  for (size_t rank = 0; rank < rows; rank++)
    to[rank] = count[rank < RECORDS ? scramble(&k->popular, rank) : rank];
}

static int descending(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

  return x < y ? 1 : x > y ? -1 : 0;
}

static void insert_rows(struct ycsb_keys *k, unsigned n)
{
  struct ycsb_client c = { .inserting = 0 };

  for (unsigned i = 0; i < n; i++) {
    (void)ycsb_keys_insert(k, &c);
    ycsb_keys_inserted(k, &c);
  }
}

static void test_zipfian(void)
{
  enum {
    GROWTH = 499,
    ALL = RECORDS + GROWTH
  };
  static uint64_t count[ALL], rank[ALL], later[ALL], rank_later[ALL];
  static double share[ALL];
  struct ycsb_keys k;
  unsigned in_place = 0;

  open_keys(&k, YCSB_ZIPFIAN);
  draw_rows(&k, count, RECORDS);
  by_rank(&k, count, rank, RECORDS);
  zipf_shares(share, RECORDS);
  OK(CHI2_OK(chi2_test(rank, share, RECORDS)), "popularity is zipfian");
  for (uint64_t i = 0; i < RECORDS; i++)
    in_place += scramble(&k.popular, i) == i;
  OK(in_place < 10, "popular rows are anywhere");

  insert_rows(&k, GROWTH);
  draw_rows(&k, later, ALL);
  by_rank(&k, later, rank_later, ALL);
  zipf_shares(share, ALL);
  OK(CHI2_OK(chi2_test(rank_later, share, ALL)),
     "after growth it is zipfian over all rows, and no row has another rank");
  qsort(rank, RECORDS, sizeof(*rank), descending);
  qsort(count, RECORDS, sizeof(*count), descending);
  OK(memcmp(rank, count, RECORDS * sizeof(*count)) == 0,
     "each row has one rank");
  ycsb_keys_done(&k);
}

static void test_latest(void)
{
  enum {
    GROWTH = 200,
    ALL = RECORDS + GROWTH
  };
  static uint64_t count[ALL], rank[ALL];
  static double share[ALL];
  struct ycsb_keys k;

  open_keys(&k, YCSB_LATEST);
  insert_rows(&k, GROWTH);
  draw_rows(&k, count, ALL);
  for (size_t i = 0; i < ALL; i++)
    rank[i] = count[ALL - 1 - i];
  zipf_shares(share, ALL);
  OK(CHI2_OK(chi2_test(rank, share, ALL)),
     "the latest row is the most popular");
  ycsb_keys_done(&k);
}

static void test_uniform(void)
{
  static uint64_t count[RECORDS + 50];
  static double share[RECORDS + 50];
  struct ycsb_keys k;

  open_keys(&k, YCSB_UNIFORM);
  insert_rows(&k, 50);
  draw_rows(&k, count, RECORDS + 50);
  for (size_t i = 0; i < RECORDS + 50; i++)
    share[i] = 1.0 / (RECORDS + 50);
  OK(CHI2_OK(chi2_test(count, share, RECORDS + 50)), "uniform over all rows");
  ycsb_keys_done(&k);
}

static void test_java(void)
{
  static uint64_t count[RECORDS];
  uint64_t most = 0;
  struct ycsb_keys k;

  open_keys(&k, YCSB_JAVA);
  draw_rows(&k, count, RECORDS);
  for (size_t i = 0; i < RECORDS; i++) {
    if (count[i] > count[most])
      most = i;
  }
  OK(most == zipf_java_hash(0) % (RECORDS + 1), "the hottest row is theirs");
  OK(count[most] < DRAWS / 20, "and cooler than that of a zipfian (13 %)");
  ycsb_keys_done(&k);
}

/* ---- rows that can be read ---- */

static void test_limit(void)
{
  struct ycsb_client c[3] = { { .inserting = 0 } };
  struct ycsb_keys k;

  open_keys(&k, YCSB_LATEST);
  OK(ycsb_keys_add(&k, 2000, 2, 5) == 0 && ycsb_keys_add(&k, 3000, 1, 0) == 0 &&
       ycsb_keys_add(&k, 4001, 3, 2) == 0,
     "earlier runs");
  ycsb_keys_own(&k, 5001, 4);
  OK(ycsb_keys_readable(&k) == RECORDS + 7, "their rows can be read");
  OK(ycsb_keys_at(&k, RECORDS) == RECORDS &&
       ycsb_keys_at(&k, RECORDS + 1) == 2000 &&
       ycsb_keys_at(&k, RECORDS + 5) == 2008 &&
       ycsb_keys_at(&k, RECORDS + 6) == 4001 &&
       ycsb_keys_at(&k, RECORDS + 7) == 4004,
     "and are found by their index");
  OK(ycsb_keys_insert(&k, &c[0]) == 5001 &&
       ycsb_keys_insert(&k, &c[1]) == 5005 &&
       ycsb_keys_insert(&k, &c[2]) == 5009,
     "own rows are strided");
  ycsb_keys_inserted(&k, &c[1]);
  OK(ycsb_keys_readable(&k) == RECORDS + 7, "a row waits for those before it");
  ycsb_keys_inserted(&k, &c[0]);
  OK(ycsb_keys_readable(&k) == RECORDS + 9 &&
       ycsb_keys_at(&k, RECORDS + 9) == 5005,
     "and becomes readable with them");
  OK(ycsb_keys_insert(&k, &c[0]) == 5013, "the next row");
  ycsb_keys_inserted(&k, &c[0]);
  ycsb_keys_inserted(&k, &c[0]);
  OK(k.acknowledged == 3, "an insert counts once");
  ycsb_keys_leave(&k, &c[2]);
  OK(ycsb_keys_insert(&k, &c[1]) == 5017, "one more row");
  ycsb_keys_inserted(&k, &c[1]);
  OK(ycsb_keys_readable(&k) == RECORDS + 9 && k.acknowledged == 4,
     "no row after one that was given up becomes readable");
  ycsb_keys_done(&k);
}

/* Several threads insert, and all look for a row that is readable too early. */
enum {
  THREADS = 4,
  EACH = 20000
};

struct race {
  struct ycsb_keys keys;
  _Atomic bool there[THREADS * EACH];
  _Atomic bool wrong;
};

static void *insert_and_look(void *arg)
{
  struct race *r = arg;
  struct ycsb_client c = { .inserting = 0 };

  for (unsigned i = 0; i < EACH; i++) {
    const uint64_t row = ycsb_keys_insert(&r->keys, &c);
    uint64_t readable;

    atomic_store_explicit(&r->there[row - RECORDS - 1], true,
                          memory_order_relaxed);
    ycsb_keys_inserted(&r->keys, &c);
    readable = ycsb_keys_readable(&r->keys) - RECORDS;
    for (uint64_t n = readable > 8 ? readable - 8 : 0; n < readable; n++) {
      if (!atomic_load_explicit(&r->there[n], memory_order_relaxed))
        atomic_store(&r->wrong, true);
    }
  }
  return NULL;
}

static void test_race(void)
{
  static struct race r;
  pthread_t thread[THREADS];

  open_keys(&r.keys, YCSB_LATEST);
  for (unsigned i = 0; i < THREADS; i++)
    MUST(pthread_create(&thread[i], NULL, insert_and_look, &r) == 0);
  for (unsigned i = 0; i < THREADS; i++)
    (void)pthread_join(thread[i], NULL);
  OK(!r.wrong, "no row was readable before it was there");
  OK(ycsb_keys_readable(&r.keys) == RECORDS + THREADS * EACH,
     "in the end all are readable");
  ycsb_keys_done(&r.keys);
}

/* ---- keys ---- */

static int ascending(const void *a, const void *b)
{
  return descending(b, a);
}

static void test_places(uint64_t records, bool int_keys, bool ordered)
{
  enum {
    N = 20000
  };
  static uint64_t place[N];
  const struct kind_args args = args_of(records, int_keys, ordered);
  bool back = true, apart = true;
  struct ycsb y;

  ycsb_init(&y, &args);
  for (uint64_t row = 1; row <= N; row++) {
    char key[YCSB_KEY + 1] = "";

    place[row - 1] = ycsb_place(&y, row);
    back = back && place[row - 1] > 0 && ycsb_number(&y, place[row - 1]) == row;
    if (int_keys)
      (void)snprintf(key, sizeof(key), "%llu",
                     (unsigned long long)place[row - 1]);
    else
      ycsb_key(place[row - 1], key);
    back = back && ycsb_number_of_key(&y, key, strlen(key)) == row;
  }
  OK(back, "the way from a place to its row");
  OK(!ordered || place[N - 1] == N, "ordered rows follow each other");
  qsort(place, N, sizeof(place[0]), ascending);
  for (unsigned i = 1; i < N; i++)
    apart = apart && place[i] != place[i - 1];
  OK(apart && place[N - 1] <= INT64_MAX, "all rows have places of their own");
}

/* Rows that are inserted into hashed keys fall into any tenth of the table. */
static void test_scatter(void)
{
  enum {
    PARTS = 10,
    N = 50000
  };
  const struct kind_args args = args_of(RECORDS, true, false);
  uint64_t count[PARTS] = { 0 };
  struct ycsb y;

  ycsb_init(&y, &args);
  for (uint64_t i = 1; i <= N; i++) {
    const double at = (double)ycsb_place(&y, RECORDS + i) / (double)y.gap - 1;

    count[(unsigned)(at * PARTS / RECORDS)]++;
  }
  OK(CHI2_OK(chi2_even(count, PARTS)), "inserted rows are all over the table");
}

static void test_strange_keys(void)
{
  static const char *const strange[] = { "",
                                         "user",
                                         "user1",
                                         "userabcdefghijklmnopqrs",
                                         "user0000000000000000000",
                                         "user0000000000000000001",
                                         "user9999999999999999999",
                                         "USER4611686018427387904",
                                         "user00000000000000000001" };
  const struct kind_args args = args_of(RECORDS, false, false);
  struct ycsb y;
  bool none = true;

  ycsb_init(&y, &args);
  for (size_t i = 0; i < sizeof(strange) / sizeof(strange[0]); i++)
    none = none && ycsb_number_of_key(&y, strange[i], strlen(strange[i])) == 0;
  OK(none, "keys that no row has");
}

/* ---- fields ---- */

static enum ycsb_fault read_again(const struct ycsb *y, unsigned field,
                                  const char *text, size_t len)
{
  struct ycsb_reading r = { .model = y, .row = 7 };
  struct ycsb_version v;

  return ycsb_read(&r, field, text, len, &v);
}

static void test_fields(void)
{
  const struct kind_args args = args_of(RECORDS, false, false);
  const struct ycsb_version one = { .number = 0xABCDEF01234 };
  char text[101], other[101], head[] = "fabcdef01234";
  bool found = true;
  struct ycsb y;

  ycsb_init(&y, &args);
  ycsb_field(&y, 7, 3, one, text);
  OK(memcmp(text, head, 12) == 0, "a field begins with its version");
  OK(read_again(&y, 3, text, 100) == YCSB_FINE, "it is what was written");
  OK(read_again(&y, 4, text, 100) == YCSB_CHECK, "another field");
  ycsb_field(&y, 8, 3, one, other);
  OK(read_again(&y, 3, other, 100) == YCSB_CHECK, "another row");
  OK(read_again(&y, 3, NULL, 0) == YCSB_NULL, "NULL");
  OK(read_again(&y, 3, text, 99) == YCSB_SIZE, "a field that was cut");
  for (unsigned i = 0; i < 100; i++) {
    const enum ycsb_fault want = i < 12   ? YCSB_CHECK
                                 : i < 20 ? YCSB_CHECK
                                          : YCSB_TEXT;
    enum ycsb_fault got;

    memcpy(other, text, 100);
    other[i] = other[i] == 'b' ? 'c' : 'b';
    got = read_again(&y, 3, other, 100);
    found = found && (got == want || (i == 0 && got == YCSB_FORM));
  }
  OK(found, "every character that changes is noticed");
  memcpy(other, text, 100);
  other[0] = 'x';
  OK(read_again(&y, 3, other, 100) == YCSB_FORM, "a field without version");
  ycsb_field(&y, 7, 3, (struct ycsb_version){ .number = 1 }, other);
  memcpy(other + 50, text + 50, 50);
  OK(read_again(&y, 3, other, 100) == YCSB_TEXT, "a field of two writes");
}

/* Reads a row whose fields have these versions. */
static enum ycsb_fault read_row(const struct ycsb *y,
                                const struct ycsb_version *v, unsigned n)
{
  struct ycsb_reading r = { .model = y, .row = 7 };
  enum ycsb_fault fault = YCSB_FINE;
  struct ycsb_version ignored;
  char text[100];

  for (unsigned i = 0; fault == YCSB_FINE && i < n; i++) {
    ycsb_field(y, 7, i, v[i], text);
    fault = ycsb_read(&r, i, text, sizeof(text), &ignored);
  }
  return fault;
}

static void test_torn(void)
{
  static const struct ycsb_version loaded[] = { { 0, true }, { 0, true } };
  static const struct ycsb_version one[] = { { 0, true },
                                             { 9, false },
                                             { 0, true } };
  static const struct ycsb_version torn[] = { { 5, true },
                                              { 9, false },
                                              { 0, true } };
  const struct kind_args args = args_of(RECORDS, false, false);
  struct ycsb y;

  ycsb_init(&y, &args);
  OK(read_row(&y, loaded, 2) == YCSB_FINE, "a whole row");
  OK(read_row(&y, one, 3) == YCSB_FINE, "one field was written since");
  OK(read_row(&y, torn, 3) == YCSB_TORN, "fields of two writes of the row");
}

/* ---- the kind of tables ---- */

static void test_kind(void)
{
  struct kind_args args = args_of(3, false, false);
  const char *const gap = "1152921504606846976";
  struct strbuf sql = { 0 };
  struct maker m;

  MUST(maker_init(&m, &kind_ycsb, &args, 1) == 0);
  OK(kind_keys(&m.table) == 3 && m.table.n == 11, "a table of three rows");
  OK(kind_range(&m.table, 1, 2, &sql) == 2, "a range of two rows");
  OK_STR(strbuf_str(&sql),
         "ycsb_key BETWEEN 'user1152921504606846976' AND "
         "'user2305843009213693952'",
         "in SQL");
  strbuf_clear(&sql);
  kind_outside(&m.table, &sql);
  OK(strstr(strbuf_str(&sql), gap) && strstr(strbuf_str(&sql), " % "),
     "rows between the loaded ones are outside");
  strbuf_clear(&sql);
  kind_row_name(&m.table, 2, 1, &sql);
  OK_STR(strbuf_str(&sql), "row user2305843009213693952", "the name of a row");
  strbuf_done(&sql);
  maker_done(&m);
}

/* Every row that the loader makes is found again, and is fine. */
static void test_rows(bool int_keys, bool ordered)
{
  const struct kind_args args = args_of(RECORDS, int_keys, ordered);
  static char text[KIND_BYTES_MAX];
  static bool seen[RECORDS + 1];
  struct maker m;
  struct ycsb y;
  bool good = true;

  memset(seen, 0, sizeof(seen));
  ycsb_init(&y, &args);
  MUST(maker_init(&m, &kind_ycsb, &args, 1) == 0);
  for (uint64_t key = 1; key <= RECORDS; key++) {
    const size_t len = kind_ycsb.put(&m, ROWS_PLAIN, key, text);
    struct ycsb_reading r = { .model = &y };
    struct ycsb_version v;
    char *at = strchr(text, '\t');

    good = good && len <= m.table.bytes_max;
    r.row = ycsb_number_of_key(&y, text, (size_t)(at - text));
    good = good && r.row >= 1 && r.row <= RECORDS && !seen[r.row];
    seen[r.row < RECORDS ? r.row : 0] = true;
    for (unsigned i = 0; i < 10; i++, at += 101)
      good = good && ycsb_read(&r, i, at + 1, 100, &v) == YCSB_FINE;
    good = good && *at == '\n';
  }
  OK(good, "all rows of the loader are fine");
  maker_done(&m);
}

static void test_refused(void)
{
  static const uint64_t bad[][3] = {
    { 0, 10, 100 }, { YCSB_RECORDS_MAX + 1, 10, 100 },
    { 1, 0, 100 },  { 1, 21, 100 },
    { 1, 10, 19 },  { 1, 10, 1001 },
  };

  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    struct kind_args args = { .value = { bad[i][0], bad[i][1], bad[i][2] } };
    struct err err = { "" };

    OK(kind_ycsb.check(&args, &err) < 0 && strstr(err.text, "must be from"),
       err.text);
  }
}

int main(void)
{
  test_shares();
  test_zipfian();
  test_latest();
  test_uniform();
  test_java();
  test_limit();
  test_race();
  for (unsigned i = 0; i < 4; i++) {
    test_places(RECORDS, i & 1, i & 2);
    test_rows(i & 1, i & 2);
  }
  test_places(1, true, false);
  test_places(2, false, false);
  test_scatter();
  test_strange_keys();
  test_fields();
  test_torn();
  test_kind();
  test_refused();
  return TAP_EXIT();
}
