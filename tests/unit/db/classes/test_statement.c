/*
 * test_statement.c - statements without their literals, and their classes.
 */
#include "db/classes/statement.h"

#include "base/compiler.h"
#include "base/err.h"
#include "base/utf8.h"
#include "db/env.h"
#include "stats/class_stats.h"
#include "tests/unit/tap.h"

static const struct {
  const char *sql, *normal;
} cases[] = {
  { "", "" },
  { "SELECT 1", "SELECT ?" },
  { "SELECT c FROM sbtest1 WHERE id=5012", "SELECT c FROM sbtest1 WHERE id=?" },
  { "  SELECT\n\t a ,\r\n b  ", "SELECT a , b" },
  { "WHERE a='x' AND b='it''s' AND c='a\\'b' AND d=1",
    "WHERE a=? AND b=? AND c=? AND d=?" },
  { "VALUES (1,-2,3.5,1e-5,0x1F,.5)", "VALUES (?,-?,?,?,?,.?)" },
  { "SELECT \"a 1\", `b 2`, t2.c3, $1, x_9", "SELECT \"a 1\", `b 2`, t2.c3, "
                                             "$1, x_9" },
  { "a='never closed", "a=?" },
  { "id = ?", "id = ?" },
  { "1+1", "?+?" },
};

static void test_normal(void)
{
  char out[SQLTEXT_BYTES + 1];
  struct sqltext_cuts cuts;
  size_t n;

  for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
    n = skeleton_normal(cases[i].sql, strlen(cases[i].sql), out, SQLTEXT_BYTES,
                        &cuts);
    out[n] = '\0';
    OK_STR(out, cases[i].normal, "normal form");
  }
  n = skeleton_normal("SELECT abcdef", 13, out, 8, &cuts);
  OK(n == 8 && memcmp(out, "SELECT a", 8) == 0, "stops when there is no room");
  OK(cuts.n == 0 && cuts.end == 8, "and says where");
  n = skeleton_normal("a=12 AND b='x'", 14, out, SQLTEXT_BYTES, &cuts);
  OK(n == 11 && cuts.n == 2 && cuts.end == 14, "literals are cut out");
  OK(cuts.of[0].from == 2 && cuts.of[0].to == 4 && cuts.of[1].from == 11 &&
       cuts.of[1].to == 14,
     "their places");
}

static const struct {
  const char *sql, *merged;
} tables[] = {
  { "", "" },
  { "SELECT c FROM sbtest1 WHERE id=?", "SELECT c FROM sbtest# WHERE id=?" },
  { "select c from sbtest123", "select c from sbtest#" },
  { "SELECT c1, x.c2 FROM t WHERE k1=?", "SELECT c1, x.c2 FROM t WHERE k1=?" },
  { "INSERT INTO t1 (a1, b2) VALUES (?, ?)",
    "INSERT INTO t# (a1, b2) VALUES (?, ?)" },
  { "INSERT INTO t1(a1) SELECT a1 FROM t2, t3 x3, s4.t5 AS y6 ORDER BY a1, b2",
    "INSERT INTO t#(a1) SELECT a1 FROM t#, t# x3, s4.t# AS y6 ORDER BY a1, "
    "b2" },
  { "UPDATE t1 SET k1=k1+1, k2=?", "UPDATE t# SET k1=k1+1, k2=?" },
  { "UPDATE ONLY t1 SET k=?", "UPDATE ONLY t# SET k=?" },
  { "DELETE FROM t10 WHERE id=?", "DELETE FROM t# WHERE id=?" },
  { "SELECT t1.c, t2.c, c1.x FROM t1 JOIN t2 ON t1.id=t2.id",
    "SELECT t#.c, t#.c, c1.x FROM t# JOIN t# ON t#.id=t#.id" },
  { "SELECT * FROM `t1`, \"t 2\" WHERE `t1`.id=?",
    "SELECT * FROM `t#`, \"t #\" WHERE `t#`.id=?" },
  { "INSERT INTO t1 VALUES (?) ON DUPLICATE KEY UPDATE c1=?",
    "INSERT INTO t# VALUES (?) ON DUPLICATE KEY UPDATE c1=?" },
  { "SELECT EXTRACT(YEAR FROM d1) FROM (SELECT a1, b1 FROM t7) x1",
    "SELECT EXTRACT(YEAR FROM d1) FROM (SELECT a1, b1 FROM t#) x1" },
  { "SELECT a IS DISTINCT FROM b1 FROM f1(1), t2 FOR UPDATE",
    "SELECT a IS DISTINCT FROM b1 FROM f1(1), t2 FOR UPDATE" },
  { "SELECT 'FROM t1 ''x' /* FROM t1 */ FROM t_2024_12",
    "SELECT 'FROM t1 ''x' /* FROM t1 */ FROM t_2024_#" },
  { "DROP TABLE IF EXISTS t1, t2", "DROP TABLE IF EXISTS t#, t#" },
  { "SELECT 1 FROM `12`, `unfinished1", "SELECT 1 FROM `12`, `unfinished1" },
};

static void test_tables(void)
{
  char text[2 * SQLTEXT_BYTES], other[2 * SQLTEXT_BYTES];
  size_t n, other_n;

  for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
    (void)snprintf(text, sizeof(text), "%s", tables[i].sql);
    n = statement_merge_tables(text, strlen(text));
    text[n] = '\0';
    OK_STR(text, tables[i].merged, "numbers of tables");
  }
  /* The class name is the start of the same statement, as much as fits. */
  (void)snprintf(text, sizeof(text), "SELECT a FROM t1 WHERE %0240d", 0);
  (void)snprintf(other, sizeof(other), "SELECT a FROM t1000 WHERE %0240d", 0);
  n = statement_merge_tables(text, SQLTEXT_BYTES);
  other_n = statement_merge_tables(other, SQLTEXT_BYTES);
  OK(n == other_n && n == TABLENAME_BYTES && memcmp(text, other, n) == 0,
     "long texts are cut at the same place");
}

static uint64_t count_of(struct class_set *set, const char *name)
{
  struct class_totals t = { 0 };

  for (unsigned i = 0; i < class_count(set); i++)
    if (strcmp(class_name(set, i), name) == 0)
      class_read(set, i, &t);
  return t.count;
}

static void test_classes(void)
{
  static struct db_process process;
  struct db_env env = { .process = &process };
  struct statements s, other;
  static struct labels labels;
  struct class_set *set = NULL;
  struct err err = { "" };
  bool counting = true;
  const struct stmt_sample sample = { .failed = false };

  OK(class_set_new(&set, 1, &err) == 0, "a set of classes");
  labels_init(&labels);
  OK(statements_init(&s, class_recorder_of(set, 0), &labels, NULL, &counting,
                     &env) == 0 &&
       statements_init(&other, class_recorder_of(set, 0), &labels, NULL,
                       &counting, &env) == 0 &&
       s.texts == other.texts && env.on_statement_ctx == &other && env.timed,
     "clients of a thread share what they learn");
  for (int i = 0; i < 3; i++) {
    statement_ended(&s, labels_get(&labels, "mine"), "SELECT 1", 8, 1000,
                    &sample);
    statement_ended(&s, NULL, "SELECT 1", 8, 1000, &sample);
    statement_ended(&s, NULL, "SELECT 2", 8, 1000, &sample);
    statement_ended(&s, (void *)(uintptr_t)&statement_prepared, "SELECT 1", 8,
                    1000, &sample);
  }
  counting = false;
  statement_ended(&s, NULL, "SELECT 1", 8, 1000, &sample);
  OK(count_of(set, "mine") == 3, "by label");
  OK(count_of(set, "SELECT ?") == 6, "by normal form");
  OK(count_of(set, "SELECT 1") == 3, "prepared: by text");
  OK(class_count(set) == 3, "no other classes");
  counting = true;
  for (int i = 0; i < 2; i++) { /* the second time, they are known */
    static const char *const alike[] = { "SELECT a FROM the_same",
                                         "SELECT b FROM the_same" };
    char text[600];
    int n;

    for (size_t k = 0; k < ARRAY_SIZE(alike); k++)
      statement_ended(&s, NULL, alike[k], strlen(alike[k]), 1000, &sample);
    statement_ended(&s, NULL, "", 0, 1000, &sample);
    for (int k = 0; k < 2; k++) { /* literals beyond the part that is read */
      n = snprintf(text, sizeof(text), "INSERT INTO t VALUES ('%0*d'), (%d)",
                   400, k, k);
      statement_ended(&s, NULL, text, (size_t)n, 1000, &sample);
      n = snprintf(text, sizeof(text), "%0*d", 500, k);
      statement_ended(&s, (void *)(uintptr_t)&statement_prepared, text,
                      (size_t)n, 1000, &sample);
    }
  }
  OK(count_of(set, "SELECT a FROM the_same") == 2 &&
       count_of(set, "SELECT b FROM the_same") == 2,
     "alike at both ends");
  OK(count_of(set, "") == 2, "no text");
  OK(count_of(set, "INSERT INTO t VALUES (?), (?)") == 4, "long literals");
  OK(class_count(set) == 8, "the beginning of a long prepared text");
  for (unsigned prepared = 0; prepared < 2; prepared++) {
    char text[SQLTEXT_BYTES + 2];
    const char *name;

    (void)snprintf(text, sizeof(text), prepared ? "INSERT " : "SELECT ");
    for (size_t i = 7; i < SQLTEXT_BYTES; i += 2) /* characters of 2 bytes */
      memcpy(text + i, "\xc3\xa4", 3);
    statement_ended(&s,
                    prepared ? (void *)(uintptr_t)&statement_prepared : NULL,
                    text, strlen(text), 1000, &sample);
    name = class_name(set, 8 + prepared);
    OK(strlen(name) == SQLTEXT_BYTES - 1 && utf8_is_valid(name),
       "a long text is cut between characters");
  }
  for (unsigned by_table = 0; by_table < 2; by_table++) {
    const unsigned before = class_count(set);

    s.texts->by_table = by_table;
    for (unsigned i = 1; i <= 6; i++) {
      char text[64];

      (void)snprintf(text, sizeof(text), "SELECT %s FROM sb%u WHERE id=7",
                     by_table ? "x" : "y", (i + 1) / 2);
      statement_ended(&s, i & 1 ? (void *)(uintptr_t)&statement_prepared : NULL,
                      text, strlen(text), 1000, &sample);
    }
    OK(class_count(set) == before + (by_table ? 6 : 2),
       "classes of three tables");
  }
  OK(count_of(set, "SELECT y FROM sb# WHERE id=?") == 3 &&
       count_of(set, "SELECT y FROM sb# WHERE id=7") == 3,
     "merged");
  labels_done(&labels);
  class_set_free(set);
}

int main(void)
{
  test_normal();
  test_tables();
  test_classes();
  return TAP_EXIT();
}
