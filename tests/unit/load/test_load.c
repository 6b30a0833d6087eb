/*
 * test_load.c - which chunks are loaded, in which order, by which thread, and
 * what happens to the others when one fails; on a driver that only takes notes.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/err.h"
#include "db/load/kinds/kind_list.h"
#include "db/load/kinds/tpcc.h"
#include "db/load/load.h"
#include "db/load/rows.h"
#include "tests/unit/fake_driver.h"
#include "tests/unit/rand_usual.h"
#include "tests/unit/tap.h"

enum {
  SIZE = 10500, /* three chunks */
  CHUNKS = 3
};

/* What one connection was asked for, and how it answers. */
struct notes {
  struct bed bed;
  struct strbuf log;
  unsigned copies;        /* copies that have begun */
  const char *fail_state; /* for the copy number `fail_at`, from 1 */
  unsigned fail_at;
  bool fail_late;    /* fails when its rows come, not when it begins */
  uint64_t left_out; /* rows of each copy that are refused */
  struct load *stop; /* stopped while copy number 2 is sent */
  bool lose_commit;  /* the connection is lost in the first COMMIT */
  bool binary, first;
  uint64_t rows;  /* rows of the copy */
  unsigned table; /* table of the copy */
  unsigned loaded[3][CHUNKS];
  /* Results of the queries of resume, a row for each chunk. */
  uint64_t others, there[CHUNKS];
  unsigned query, fetched;
};

static struct notes *notes_of(struct session *s)
{
  return (struct notes *)(void *)fake_of(s);
}

static int failed(struct notes *n, struct outcome *out)
{
  out->code = 1;
  memcpy(out->state, n->fail_state, 6);
  out->msg = "what happened";
  return -1;
}

static bool fails_now(const struct notes *n, bool late)
{
  return n->copies == n->fail_at && n->fail_late == late;
}

static int begin(struct session *s, const struct copy_spec *spec,
                 struct outcome *out)
{
  struct notes *n = notes_of(s);

  n->copies++;
  n->binary = spec->form == COPY_BINARY;
  n->first = true;
  n->rows = 0;
  n->table = (unsigned)(spec->table[6] - '0');
  strbuf_addf(&n->log, "%s %s", n->binary ? "binary" : "copy", spec->table);
  return fails_now(n, false) ? failed(n, out) : 0;
}

/* Returns the id of the first row, and sets how many there are. */
static uint64_t look_at(const struct notes *n, const char *rows, size_t len,
                        uint64_t *ret_count)
{
  const size_t row = 2 + 8 + 8 + 4 + ROWS_C + 4 + ROWS_PAD;
  uint64_t id = 0;

  if (n->binary) {
    for (int i = 6; i < 10; i++)
      id = id << 8 | (unsigned char)rows[i];
    *ret_count = len / row;
    return id;
  }
  *ret_count = 0;
  for (size_t i = 0; i < len; i++)
    *ret_count += rows[i] == '\n';
  return strtoull(rows, NULL, 10);
}

static int take_rows(struct session *s, const char *rows, size_t len,
                     struct outcome *out)
{
  struct notes *n = notes_of(s);
  uint64_t count;
  const uint64_t id = look_at(n, rows, len, &count);

  n->rows += count;
  if (n->first) {
    strbuf_addf(&n->log, " %d", (int)id);
    n->loaded[n->table][(id - 1) / 5000]++;
  }
  n->first = false;
  if (n->stop && n->copies == 2)
    load_stop(n->stop);
  return fails_now(n, true) ? failed(n, out) : 0;
}

static int end(struct session *s, struct outcome *out)
{
  struct notes *n = notes_of(s);

  strbuf_addf(&n->log, "+%d;", (int)n->rows);
  out->taken = n->rows - n->left_out;
  return 0;
}

static void give_up(struct session *s)
{
  strbuf_adds(&notes_of(s)->log, " failed;");
}

static const char *const refusals[] = { "0A000", NULL };

static const struct driver_copy plain_copy = {
  .form = COPY_PLAIN,
  .begin = begin,
  .rows = take_rows,
  .end = end,
  .abort = give_up,
};

static const struct driver_copy binary_copy = {
  .form = COPY_BINARY,
  .plain_after = refusals,
  .begin = begin,
  .rows = take_rows,
  .end = end,
  .abort = give_up,
};

/* ---- statements ---- */

static int lost(struct session *s, struct outcome *out)
{
  s->trx = TRX_NONE;
  out->code = 2013;
  memcpy(out->state, "HY000", 6);
  out->msg = "lost";
  out->lost = true;
  return -1;
}

static int statement(struct session *s, const char *sql, size_t len,
                     struct outcome *out)
{
  struct notes *n = notes_of(s);
  const bool is_insert = strncmp(sql, "INSERT", 6) == 0;

  (void)len;
  if (n->lose_commit && strcmp(sql, "COMMIT") == 0) {
    n->lose_commit = false;
    return lost(s, out);
  }
  if (strncmp(sql, "BEGIN", 5) == 0)
    s->trx = TRX_OPEN;
  else if (strcmp(sql, "COMMIT") == 0 || strcmp(sql, "ROLLBACK") == 0)
    s->trx = TRX_NONE;
  if (strncmp(sql, "SELECT", 6) == 0) {
    /* rows of other tables; one row; rows of each chunk */
    static const uint32_t fields[] = { 1, 4, 2 };

    out->counter = COUNTER_READ;
    out->nfields = fields[n->query];
    out->nrows = n->query == 0 ? n->others : n->query == 1 ? 1 : CHUNKS;
    n->query++;
    n->fetched = 0;
  } else if (strcmp(sql, "BEGIN") != 0 && strcmp(sql, "COMMIT") != 0) {
    strbuf_addf(&n->log, "%.*s;", is_insert ? 58 : 99, sql);
  }
  return 0;
}

static void answer(sql_value *v, unsigned i, uint64_t number)
{
  static char text[4][24];

  (void)snprintf(text[i], sizeof(text[i]), "%d", (int)number);
  v[i].ptr = text[i];
  v[i].len = (uint32_t)strlen(text[i]);
}

static int fetch(struct session *s, sql_value *v)
{
  static char c[ROWS_C], pad[ROWS_PAD];
  const struct rand_params p = rand_usual(RAND_UNIFORM);
  struct notes *n = notes_of(s);
  struct rows rows;

  if (n->query == 2) { /* one row of the table */
    rows_init(&rows, &p, 42, 1, SIZE);
    answer(v, 0, 9);
    answer(v, 1, rows_values(&rows, 9, c, pad));
    v[2] = (sql_value){ .ptr = c, .len = ROWS_C };
    v[3] = (sql_value){ .ptr = pad, .len = ROWS_PAD };
  } else {
    answer(v, 0, n->fetched * UINT64_C(5000));
    answer(v, 1, n->there[n->fetched]);
    n->fetched++;
  }
  return 1;
}

/* ---- the tests ---- */

static struct driver make_driver(const struct driver_copy *copy, unsigned caps)
{
  struct driver d = FAKE_DRIVER(caps);

  d.copy = copy;
  d.query = statement;
  d.fetch = fetch;
  return d;
}

static struct notes *notes_new(const struct driver *d)
{
  static const char *const ignored[] = { "40001", "2013" };
  struct notes *n = calloc(1, sizeof(*n));

  if (!n)
    abort();
  bed_open(&n->bed, d, ignored, ARRAY_SIZE(ignored));
  return n;
}

static void notes_free(struct notes *n)
{
  bed_close(&n->bed);
  strbuf_done(&n->log);
  free(n);
}

static struct load *make(uint64_t tables, uint64_t size,
                         const struct rand_params *p)
{
  const struct load_setup setup = {
    .threads = 1,
    .kind = &kind_sbtest,
    .args = { .seed = 42, .rand = p, .value = { size } },
    .first_table = 1,
    .tables = tables,
  };
  struct load *l = NULL;
  struct err err;

  if (load_new(&l, &setup, &err) < 0)
    abort();
  return l;
}

/*
 * Continues until there is nothing left to do, or a failure; notes each step.
 */
static int go_on(struct notes *n, struct loader *t, enum load_origin origin,
                 struct err *err)
{
  static const char *const word[] = { "end", "stopped", "create", "finish" };
  uint64_t table = 0;

  for (;;) {
    const int step = loader_next(t, &table, err);

    if (step < 0)
      return step;
    strbuf_addf(&n->log, "%s", word[step]);
    if (step == LOAD_END || step == LOAD_STOPPED)
      return step;
    strbuf_addf(&n->log, " %d;", (int)table);
    if (step == LOAD_FINISH)
      loader_finished(t);
    else if (loader_created(t, origin, err) < 0)
      return -1;
  }
}

/* One thread handles `tables` tables; returns the result of go_on(). */
static int alone(struct notes *n, uint64_t tables, enum load_origin origin,
                 struct err *err)
{
  const struct rand_params p = rand_usual(RAND_UNIFORM);
  struct load *l = make(tables, SIZE, &p);
  struct loader *t = loader_new(l, n->bed.con);
  int rc;

  if (n->stop)
    n->stop = l;
  rc = go_on(n, t, origin, err);
  if (n->stop)
    load_summary(l, &n->log);
  loader_free(t);
  load_free(l);
  return rc;
}

static void test_order(void)
{
  const struct driver d = make_driver(&plain_copy, 0);
  struct notes *n = notes_new(&d);
  struct err err;

  OK(alone(n, 2, LOAD_FRESH, &err) == LOAD_END, "two tables");
  OK_STR(strbuf_str(&n->log),
         "create 1;copy sbtest1 1+5000;copy sbtest1 5001+5000;"
         "copy sbtest1 10001+500;finish 1;"
         "create 2;copy sbtest2 1+5000;copy sbtest2 5001+5000;"
         "copy sbtest2 10001+500;finish 2;end",
         "one after the other, from the first chunk to the last");
  strbuf_clear(&n->log);
  OK(alone(n, 1, LOAD_LEAVE, &err) == LOAD_END, "a table that is left alone");
  OK_STR(strbuf_str(&n->log), "create 1;end", "gets no rows");
  notes_free(n);
}

static void test_failure(void)
{
  const struct driver d = make_driver(&plain_copy, 0);
  struct notes *n = notes_new(&d);
  struct err err = { "" };

  n->fail_state = "53100";
  n->fail_at = 2;
  n->fail_late = true;
  OK(alone(n, 2, LOAD_FRESH, &err) < 0, "the second chunk fails");
  OK_STR(err.text,
         "cannot load rows 5001 to 10000 (chunk 2 of 3) into 'sbtest1': what "
         "happened (53100)",
         "the message names table, rows and chunk");
  OK_STR(strbuf_str(&n->log),
         "create 1;copy sbtest1 1+5000;copy sbtest1 5001 failed;ROLLBACK;",
         "it is rolled back, and nothing follows");
  notes_free(n);
}

static void test_left_out(void)
{
  const struct driver d = make_driver(&plain_copy, 0);
  struct notes *n = notes_new(&d);
  struct err err = { "" };

  n->left_out = 7;
  OK(alone(n, 1, LOAD_FRESH, &err) < 0 &&
       strstr(err.text, "not stored 7 of the rows"),
     "rows that the server drops are a failure");
  notes_free(n);
}

static void test_others_go_on(void)
{
  const struct driver d = make_driver(&plain_copy, 0);
  const struct rand_params p = rand_usual(RAND_UNIFORM);
  struct load *l = make(3, SIZE, &p);
  struct notes *a = notes_new(&d), *b = notes_new(&d);
  struct loader *ta = loader_new(l, a->bed.con);
  struct loader *tb = loader_new(l, b->bed.con);
  uint64_t table = 0;
  struct err err;

  a->fail_state = "53100";
  a->fail_at = 1;
  OK(loader_next(ta, &table, &err) == LOAD_CREATE && table == 1 &&
       loader_next(tb, &table, &err) == LOAD_CREATE && table == 2,
     "each begins a table");
  OK(loader_created(ta, LOAD_FRESH, &err) == 0 &&
       loader_next(ta, &table, &err) < 0,
     "the first thread fails");
  OK(loader_created(tb, LOAD_FRESH, &err) == 0 &&
       go_on(b, tb, LOAD_FRESH, &err) == LOAD_END,
     "the other one ends its table");
  OK_STR(strbuf_str(&b->log),
         "copy sbtest2 1+5000;copy sbtest2 5001+5000;copy sbtest2 10001+500;"
         "finish 2;end",
         "and begins no other");
  loader_free(ta);
  loader_free(tb);
  load_free(l);
  notes_free(a);
  notes_free(b);
}

static void test_resume(void)
{
  const struct driver d = make_driver(&plain_copy, 0);
  struct notes *n = notes_new(&d);
  struct err err = { "" };

  n->there[0] = 5000;
  n->there[1] = 17;
  OK(alone(n, 1, LOAD_RESUME, &err) == LOAD_END, "resumed");
  OK_STR(strbuf_str(&n->log),
         "create 1;DELETE FROM sbtest1 WHERE id BETWEEN 5001 AND 10000;"
         "copy sbtest1 5001+5000;copy sbtest1 10001+500;finish 1;end",
         "after the last whole chunk; a part of one goes first");
  n->query = 0;
  n->others = 1;
  OK(alone(n, 1, LOAD_RESUME, &err) < 0 &&
       strstr(err.text, "rows that are not of a table of 10500 rows"),
     "a table of another size");
  notes_free(n);
}

static void test_stop(void)
{
  const struct driver d = make_driver(&plain_copy, 0);
  struct notes *n = notes_new(&d);
  struct err err;

  n->stop = (struct load *)n; /* alone() replaces it by the right one */
  OK(alone(n, 2, LOAD_FRESH, &err) == LOAD_STOPPED, "stopped");
  OK_STR(strbuf_str(&n->log),
         "create 1;copy sbtest1 1+5000;copy sbtest1 5001+5000;stopped"
         "10000 of 21000 rows are loaded",
         "the chunk on its way is completed");
  notes_free(n);
}

static void test_repeated(void)
{
  const struct driver d = make_driver(&plain_copy, 0);
  struct notes *n = notes_new(&d);
  struct err err;

  n->fail_state = "40001";
  n->fail_at = 1;
  n->fail_late = true;
  n->stop = (struct load *)n;
  OK(alone(n, 1, LOAD_FRESH, &err) == LOAD_STOPPED, "an ignorable error");
  OK_STR(strbuf_str(&n->log),
         "create 1;copy sbtest1 1 failed;ROLLBACK;copy sbtest1 1+5000;stopped"
         "5000 of 10500 rows are loaded",
         "the chunk again, and its rows count once");
  notes_free(n);
}

static void test_stopped_while_failing(void)
{
  const struct driver d = make_driver(&plain_copy, 0);
  struct notes *n = notes_new(&d);
  struct err err;

  n->fail_state = "40001";
  n->fail_at = 2;
  n->fail_late = true;
  n->stop = (struct load *)n;
  OK(alone(n, 2, LOAD_FRESH, &err) == LOAD_STOPPED, "stopped, and no failure");
  OK_STR(strbuf_str(&n->log),
         "create 1;copy sbtest1 1+5000;copy sbtest1 5001 failed;ROLLBACK;"
         "stopped5000 of 21000 rows are loaded",
         "the chunk that has failed is not sent again");
  notes_free(n);
}

static void test_lost_commit(void)
{
  const struct driver d = make_driver(&plain_copy, 0);
  struct notes *n = notes_new(&d);
  struct err err;

  n->lose_commit = true;
  OK(alone(n, 1, LOAD_FRESH, &err) == LOAD_END, "a COMMIT without an answer");
  OK_STR(strbuf_str(&n->log),
         "create 1;copy sbtest1 1+5000;"
         "DELETE FROM sbtest1 WHERE id BETWEEN 1 AND 5000;"
         "copy sbtest1 1+5000;copy sbtest1 5001+5000;copy sbtest1 10001+500;"
         "finish 1;end",
         "what it may have left goes before its rows come again");
  notes_free(n);
}

static void test_binary(void)
{
  const struct driver d = make_driver(&binary_copy, 0);
  struct notes *n = notes_new(&d);
  struct err err;

  n->fail_state = "0A000";
  n->fail_at = 1;
  OK(alone(n, 1, LOAD_FRESH, &err) == LOAD_END, "binary form is refused");
  OK_STR(strbuf_str(&n->log),
         "create 1;binary sbtest1 failed;ROLLBACK;copy sbtest1 1+5000;"
         "copy sbtest1 5001+5000;copy sbtest1 10001+500;finish 1;end",
         "as text, and never again in binary form");
  strbuf_clear(&n->log);
  n->fail_at = 0;
  OK(alone(n, 1, LOAD_FRESH, &err) == LOAD_END, "it is not");
  OK_STR(strbuf_str(&n->log),
         "create 1;binary sbtest1 1+5000;binary sbtest1 5001+5000;"
         "binary sbtest1 10001+500;finish 1;end",
         "in binary form");
  strbuf_clear(&n->log);
  n->copies = 0;
  n->fail_at = 1;
  n->fail_state = "42501";
  OK(alone(n, 1, LOAD_FRESH, &err) < 0, "another error is none of the form");
  notes_free(n);
}

static void few_bytes(struct session *s, struct statement_sizes *ret)
{
  (void)s;
  ret->good = 900;
}

static void note_vote(void *ctx, unsigned char own, unsigned char *all)
{
  strbuf_addf(ctx, "vote %d;", own);
  memset(all, UINT8_MAX, 3);
  all[1] = own;
}

/* Three processes, two tables: number 1 has the second one to itself. */
static int alone_among(struct notes *n, enum load_origin origin,
                       struct err *err)
{
  const struct rand_params p = rand_usual(RAND_UNIFORM);
  const struct load_setup setup = {
    .threads = 1,
    .kind = &kind_sbtest,
    .args = { .seed = 42, .rand = &p, .value = { SIZE } },
    .first_table = 2,
    .tables = 1,
    .share = { .parts = 1,
               .first = 1,
               .step = 2,
               .voters = 3,
               .ctx = &n->log,
               .vote = note_vote },
  };
  struct load *l = NULL;
  struct loader *t;
  int rc;

  if (load_new(&l, &setup, err) < 0)
    abort();
  t = loader_new(l, n->bed.con);
  rc = go_on(n, t, origin, err);
  load_summary(l, &n->log);
  loader_free(t);
  load_free(l);
  return rc;
}

static void test_meetings(void)
{
  const struct driver d = make_driver(&plain_copy, 0);
  struct notes *n = notes_new(&d);
  struct err err = { "" };

  OK(alone_among(n, LOAD_FRESH, &err) == LOAD_END,
     "alone at a table, whatever becomes of the other one");
  OK_STR(strbuf_str(&n->log),
         "create 2;vote 0;copy sbtest2 1+5000;copy sbtest2 5001+5000;"
         "copy sbtest2 10001+500;vote 0;finish 2;end"
         "10500 of 10500 rows are loaded",
         "goes to both meetings, at which the others wait for it");
  strbuf_clear(&n->log);
  OK(alone_among(n, LOAD_LEAVE, &err) == LOAD_END, "the table is left alone");
  OK_STR(strbuf_str(&n->log),
         "create 2;vote 2;vote 0;end10500 of 10500 rows are loaded",
         "to both as well");
  notes_free(n);
}

/* Rows of part `part` of order_line, whose orders have several lines. */
static uint64_t rows_of_part(unsigned part, unsigned parts)
{
  const struct load_setup setup = {
    .threads = 1,
    .kind = &kind_tpcc,
    .args = { .seed = 42,
              .value = { [TPCC_WAREHOUSES] = 1,
                         [TPCC_DISTRICTS] = TPCC_STD_DISTRICTS,
                         [TPCC_CUSTOMERS] = TPCC_STD_CUSTOMERS,
                         [TPCC_ITEMS] = TPCC_STD_ITEMS } },
    .first_table = TPCC_ORDER_LINE,
    .tables = 1,
    .share = { .part = part, .parts = parts, .step = 1, .voters = parts },
  };
  struct strbuf line = { 0 };
  struct load *l = NULL;
  struct err err;
  uint64_t rows;

  if (load_new(&l, &setup, &err) < 0)
    abort();
  load_summary(l, &line);
  rows = strtoull(strbuf_str(&line) + strlen("0 of "), NULL, 10);
  strbuf_done(&line);
  load_free(l);
  return rows;
}

static void test_parts(void)
{
  const uint64_t all = rows_of_part(0, 1);

  OK(all > 250000 && all < 350000, "30,000 orders of about ten lines");
  OK(rows_of_part(0, 2) + rows_of_part(1, 2) == all,
     "the parts of two processes are the whole");
}

static void test_insert(void)
{
  struct driver d = make_driver(NULL, 0);
  struct notes *n = notes_new(&d);
  const struct rand_params p = rand_usual(RAND_UNIFORM);
  struct load *l = make(1, 5, &p);
  struct loader *t = loader_new(l, n->bed.con);
  struct err err;

  d.statement_sizes = few_bytes;
  OK(go_on(n, t, LOAD_FRESH, &err) == LOAD_END, "a driver without a copy");
  OK(strstr(strbuf_str(&n->log),
            "INSERT INTO sbtest1(id, k, c, pad) VALUES (1,") &&
       strstr(strbuf_str(&n->log),
              "INSERT INTO sbtest1(id, k, c, pad) VALUES (5,") &&
       !strstr(strbuf_str(&n->log), "VALUES (2,"),
     "statements of the size that the server takes");
  loader_free(t);
  load_free(l);
  notes_free(n);
}

/* ---- several threads ---- */

struct thread {
  pthread_t id;
  struct notes *notes;
  struct loader *loader;
  int rc;
};

static void *work(void *arg)
{
  struct thread *t = arg;
  struct err err;

  t->rc = go_on(t->notes, t->loader, LOAD_FRESH, &err);
  return NULL;
}

/* Threads load two tables; returns how many of them have sent rows. */
static unsigned together(unsigned caps, bool *ret_once)
{
  enum {
    THREADS = 4
  };
  const struct driver d = make_driver(&plain_copy, caps);
  const struct rand_params p = rand_usual(RAND_UNIFORM);
  struct load *l = make(2, SIZE, &p);
  struct thread thread[THREADS];
  unsigned loaded[3][CHUNKS] = { { 0 } }, writers = 0;
  bool good = true;

  for (unsigned i = 0; i < THREADS; i++) {
    thread[i].notes = notes_new(&d);
    thread[i].loader = loader_new(l, thread[i].notes->bed.con);
  }
  for (unsigned i = 0; i < THREADS; i++)
    (void)pthread_create(&thread[i].id, NULL, work, &thread[i]);
  for (unsigned i = 0; i < THREADS; i++) {
    (void)pthread_join(thread[i].id, NULL);
    good = good && thread[i].rc == LOAD_END;
    writers += thread[i].notes->copies > 0;
    for (unsigned n = 0; n < 3 * CHUNKS; n++)
      loaded[n / CHUNKS][n % CHUNKS] +=
        thread[i].notes->loaded[n / CHUNKS][n % CHUNKS];
    loader_free(thread[i].loader);
    notes_free(thread[i].notes);
  }
  load_free(l);
  for (unsigned n = CHUNKS; n < 3 * CHUNKS; n++)
    good = good && loaded[n / CHUNKS][n % CHUNKS] == 1;
  *ret_once = good;
  return writers;
}

static void test_threads(void)
{
  bool once;
  unsigned writers = together(0, &once);

  OK(once && writers >= 1, "four threads: every chunk once");
  writers = together(DRIVER_ONE_WRITER, &once);
  OK(writers == 1, "a database with one writer: always the same thread");
}

int main(void)
{
  test_order();
  test_failure();
  test_left_out();
  test_others_go_on();
  test_resume();
  test_stop();
  test_repeated();
  test_stopped_while_failing();
  test_lost_commit();
  test_binary();
  test_meetings();
  test_parts();
  test_insert();
  test_threads();
  return TAP_EXIT();
}
