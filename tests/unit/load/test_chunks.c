/*
 * test_chunks.c - the rows of the loader, and how a table is cut into chunks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "db/load/chunks.h"
#include "db/load/pace.h"
#include "db/load/rows.h"
#include "tests/unit/rand_usual.h"
#include "tests/unit/tap.h"

struct made {
  uint64_t k;
  char c[ROWS_C], pad[ROWS_PAD];
};

static struct made row(uint64_t seed, uint64_t table, uint64_t id)
{
  const struct rand_params p = rand_usual(RAND_UNIFORM);
  struct rows rows;
  struct made r;

  memset(&r, 0, sizeof(r));
  rows_init(&rows, &p, seed, table, 1000);
  r.k = rows_values(&rows, id, r.c, r.pad);
  return r;
}

static bool equal(struct made a, struct made b)
{
  return memcmp(&a, &b, sizeof(a)) == 0;
}

static bool is_groups(const char *text, size_t len)
{
  for (size_t i = 0; i < len; i++) {
    if (i % 12 == 11 ? text[i] != '-' : text[i] < '0' || text[i] > '9')
      return false;
  }
  return true;
}

static void test_values(void)
{
  const struct rand_params p = rand_usual(RAND_UNIFORM);
  struct rows rows;
  struct made r;
  bool right = true;

  OK(equal(row(42, 1, 7), row(42, 1, 7)), "the same row again");
  OK(!equal(row(42, 1, 7), row(43, 1, 7)), "another seed");
  OK(!equal(row(42, 1, 7), row(42, 2, 7)), "another table");
  OK(!equal(row(42, 1, 7), row(42, 1, 8)), "another id");

  memset(&r, 0, sizeof(r));
  rows_init(&rows, &p, 42, 1, 1000);
  for (uint64_t id = 1000; id > 0; id--) {
    r.k = rows_values(&rows, id, r.c, r.pad);
    right = right && r.k >= 1 && r.k <= 1000 && is_groups(r.c, ROWS_C) &&
            is_groups(r.pad, ROWS_PAD) && equal(r, row(42, 1, id));
  }
  OK(right, "backwards as alone, values in their ranges");
}

/*
 * At each place of a group, all digits are equally frequent: chi-squared with 9
 * degrees of freedom is above 40 once in 130000 cases.
 */
static void test_digits(void)
{
  enum {
    ROWS = 4000
  };
  static unsigned seen[GROUP - 1][10];
  const double each = ROWS * (ROWS_C + 1) / GROUP / 10.0;
  double worst = 0;

  for (uint64_t id = 1; id <= ROWS; id++) {
    const struct made r = row(42, 1, id);

    for (unsigned i = 0; i < ROWS_C; i++) {
      if (i % GROUP < GROUP - 1)
        seen[i % GROUP][r.c[i] - '0']++;
    }
  }
  for (unsigned place = 0; place < GROUP - 1; place++) {
    double chi2 = 0;

    for (unsigned digit = 0; digit < 10; digit++) {
      const double off = seen[place][digit] - each;

      chi2 += off * off / each;
    }
    worst = chi2 > worst ? chi2 : worst;
  }
  OK(worst < 40, "digits are uniform");
}

/* Returns the row as text in a form. */
static const char *put(struct rows *rows, enum rows_form form, uint64_t id,
                       size_t *ret_len)
{
  static char text[ROWS_MAX + 1];

  memset(text, 0, sizeof(text));
  *ret_len = rows_put(rows, form, id, text);
  return text;
}

static void test_forms(void)
{
  const struct rand_params p = rand_usual(RAND_UNIFORM);
  struct strbuf want = { 0 };
  struct rows rows;
  const char *got;
  struct made r = row(42, 1, 12);
  size_t len;

  rows_init(&rows, &p, 42, 1, 1000);
  strbuf_addf(&want, "12\t%d\t%.119s\t%.59s\n", (int)r.k, r.c, r.pad);
  got = put(&rows, ROWS_PLAIN, 12, &len);
  OK(len == want.len && strcmp(got, want.text) == 0, "plain");
  strbuf_clear(&want);
  strbuf_addf(&want, "(12,%d,'%.119s','%.59s'),", (int)r.k, r.c, r.pad);
  got = put(&rows, ROWS_SQL, 12, &len);
  OK(len == want.len && strcmp(got, want.text) == 0, "SQL");

  got = put(&rows, ROWS_BINARY, 12, &len);
  OK(len == 2 + 8 + 8 + 4 + ROWS_C + 4 + ROWS_PAD, "binary: length");
  OK(memcmp(got, "\0\4\0\0\0\4\0\0\0\14\0\0\0\4", 14) == 0, "binary: id");
  OK(memcmp(got + 18, "\0\0\0\167", 4) == 0 &&
       memcmp(got + 22, r.c, ROWS_C) == 0,
     "binary: c");
  OK(memcmp(got + 22 + ROWS_C + 4, r.pad, ROWS_PAD) == 0, "binary: pad");

  rows_init(&rows, &p, 42, 1, UINT64_C(3000000000));
  (void)put(&rows, ROWS_BINARY, UINT64_C(3000000000), &len);
  OK(len == 2 + 12 + 12 + 4 + ROWS_C + 4 + ROWS_PAD, "binary: BIGINT");
  (void)put(&rows, ROWS_SQL, UINT64_C(3000000000), &len);
  OK(len <= ROWS_MAX, "room for large numbers");
  strbuf_done(&want);
}

/* Do the chunks follow each other, from 1 to the size of the table? */
static bool covers(struct chunks *c, uint64_t *ret_longest)
{
  uint64_t next = 1;
  struct chunk it;

  *ret_longest = 0;
  while (chunks_take(c, &it)) {
    if (it.first != next || it.last < it.first || it.partial)
      return false;
    if (it.last - it.first + 1 > *ret_longest)
      *ret_longest = it.last - it.first + 1;
    next = it.last + 1;
  }
  return next == c->size + 1;
}

static void test_plan(void)
{
  static const struct {
    uint64_t size;
    unsigned threads;
    uint64_t rows, longest;
  } plan[] = {
    { 0, 1, 0, 0 },
    { 1, 1, 0, 1 },
    { 4999, 8, 0, 4999 },
    { 5001, 8, 0, 5000 },
    { 320000, 2, 0, 10000 },
    { 10000000, 2, 0, 50000 },
    { 10, 1, 3, 3 },
    { 9, 1, 3, 3 },
    { UINT64_C(1) << 40, 1, 0, (UINT64_C(1) << 20) + 1 },
  };

  for (size_t i = 0; i < sizeof(plan) / sizeof(plan[0]); i++) {
    struct chunks c;
    uint64_t longest;
    bool whole;

    chunks_init(&c, plan[i].size, plan[i].threads, plan[i].rows);
    whole = covers(&c, &longest);
    OK(whole && longest == plan[i].longest, "every row once");
    OK(c.count <= CHUNKS_MAX, "not too many");
    chunks_done(&c);
  }
}

/*
 * Such a table is too large to load; its chunks still end, and are counted at
 * once.
 */
static void test_huge(void)
{
  struct chunks c;
  struct chunk it;
  uint64_t rows = 0;

  chunks_init(&c, INT64_MAX, 2, 0);
  OK(chunks_rows(&c) == INT64_MAX, "all rows");
  OK(chunks_take(&c, &it) && it.first == 1 && it.last == CHUNK_LONGEST,
     "a chunk is no longer than others");
  c.next = c.count - 1;
  OK(chunks_take(&c, &it) && it.last == INT64_MAX && !chunks_left(&c),
     "the last one");
  for (unsigned part = 0; part < 3; part++) {
    chunks_init(&c, INT64_MAX, 2, UINT64_C(1) << 40);
    OK(c.rows == CHUNK_LONGEST, "whatever was asked for");
    chunks_share(&c, part, 3);
    rows += chunks_rows(&c);
  }
  OK(rows == INT64_MAX, "the parts are the whole");
}

static void test_resume(void)
{
  struct chunks c;
  struct chunk it;

  chunks_init(&c, 10, 1, 3); /* 1-3, 4-6, 7-9, 10 */
  OK(chunks_found(&c, 1, 3) == 0 && chunks_found(&c, 7, 1) == 0 &&
       chunks_found(&c, 10, 1) == 0,
     "what a table has");
  OK(chunks_found(&c, 2, 3) == -EINVAL, "not the first row of a chunk");
  OK(chunks_found(&c, 13, 1) == -EINVAL, "beyond the last one");
  OK(chunks_found(&c, 10, 2) == -EINVAL, "more rows than there can be");
  OK(chunks_found(&c, 0, 1) == -EINVAL, "ids begin at 1");
  OK(chunks_rows_there(&c) == 4, "rows in full chunks");
  OK(chunks_take(&c, &it) && it.first == 4 && it.last == 6 && !it.partial,
     "an empty one");
  OK(chunks_take(&c, &it) && it.first == 7 && it.last == 9 && it.partial,
     "one with a part of its rows");
  OK(!chunks_left(&c) && !chunks_take(&c, &it), "the last one is full");
  chunks_done(&c);
}

/* Chunks of parts: none is left out, and none is given away twice. */
static void test_shares(void)
{
  enum {
    PARTS = 3
  };
  bool taken[10] = { false }, right = true;
  uint64_t rows = 0;

  for (unsigned part = 0; part < PARTS; part++) {
    struct chunks c;
    struct chunk it;

    chunks_init(&c, 29, 1, 3); /* 10 chunks, the last one of 2 rows */
    chunks_share(&c, part, PARTS);
    OK(chunks_rows(&c) == (part == 0 ? 11u : 9u), "the rows of a part");
    rows += chunks_rows(&c);
    OK(chunks_found(&c, 4, 3) == 0 && chunks_found(&c, 7, 1) == 0,
       "all chunks can be looked at");
    OK(chunks_rows_there(&c) == (part == 1 ? 3u : 0u),
       "only its own that are full count");
    while (chunks_take(&c, &it)) {
      right = right && it.n % PARTS == part && !taken[it.n];
      taken[it.n] = true;
    }
    OK(!chunks_left(&c), "nothing is left");
    chunks_done(&c);
  }
  OK(rows == 29, "the parts are the whole");
  OK(right, "each has its own");
  for (int n = 0; n < 10; n++)
    right = right && taken[n] == (n != 1); /* that one is full */
  OK(right, "and all but the full one are taken");

  struct chunks few;
  struct chunk it;

  chunks_init(&few, 5, 1, 5);
  chunks_share(&few, 2, PARTS);
  OK(!chunks_left(&few) && !chunks_take(&few, &it) && chunks_rows(&few) == 0,
     "more parts than chunks");
  chunks_done(&few);
}

static void test_pace(void)
{
  struct progress_point at;
  struct strbuf detail = { 0 };
  struct pace p;

  pace_init(&p, "Loaded", PROGRESS_ROWS, 1000);
  pace_found(&p, 100);
  pace_add(&p, 500, 80000);
  pace_take_back(&p, 100, 16000);
  pace_look(&p, &at, &detail);
  OK(at.total == 1000 && at.done == 500 && at.there == 100 && at.bytes == 64000,
     "what was there counts as done, what was taken back does not");
  pace_add(&p, 5000, 0);
  pace_look(&p, &at, &detail);
  OK(at.done == 1000, "never more than all");
  OK(detail.len == 0, "nothing else to say");
  strbuf_done(&detail);

  log_set_level(LOG_WARNING);
  pace_start(&p);
  OK(!p.progress.threaded, "a low verbosity: nothing is shown");
  pace_stop(&p);
  log_set_level(LOG_NOTICE);
  pace_start(&p);
  OK(p.progress.threaded, "else there is somebody who shows it");
  pace_stop(&p);
  OK(!p.progress.threaded, "until it is stopped");
}

int main(void)
{
  test_values();
  test_digits();
  test_forms();
  test_plan();
  test_huge();
  test_resume();
  test_pace();
  test_shares();
  return TAP_EXIT();
}
