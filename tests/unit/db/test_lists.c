/*
 * test_lists.c - ignore lists, targets, error table, flood limit.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "db/driver.h"
#include "db/error_policy.h"
#include "db/errtab.h"
#include "db/message.h"
#include "db/url.h"
#include "tests/unit/tap.h"

static const int connection_codes[] = { 2006, 2011, 2013, 2055, 0 };

/* One item and one failure. */
static const struct {
  enum ignore_kind kind;
  const char *item;
  int rc;
  int code, base_code;
  const char *state;
  bool lost, has;
} ignore_case[] = {
  { IGNORE_NUMBERS, "1213", 0, 1213, 0, "40001", false, true },
  { IGNORE_NUMBERS, "1213", 0, 1205, 0, "40001", false, false },
  { IGNORE_NUMBERS, "40001", 0, 1213, 0, "40001", false, false },
  { IGNORE_NUMBERS, "65535", 0, 65535, 0, "HY000", false, true },
  { IGNORE_NUMBERS, "65536", -EINVAL, 0, 0, "", false, false },
  { IGNORE_NUMBERS, "", -EINVAL, 0, 0, "", false, false },
  { IGNORE_NUMBERS, "-1", -EINVAL, 0, 0, "", false, false },
  { IGNORE_NUMBERS, "12x", -EINVAL, 0, 0, "", false, false },
  { IGNORE_ANY, "all", 0, 1, 0, "42601", false, true },
  { IGNORE_ANY, "ALL", 0, 2013, 0, "08006", true, true },
  { IGNORE_ANY, "connection", 0, 2013, 0, "08006", true, true },
  { IGNORE_ANY, "Connection", 0, 1213, 0, "40001", false, false },
  { IGNORE_ANY, "failover", 0, 2013, 0, "08006", true, true },
  { IGNORE_ANY, "failover", 0, 1213, 0, "40001", false, false },
  { IGNORE_ANY, "2006", 0, 2013, 0, "08006", true, true },
  { IGNORE_ANY, "1047", 0, 2013, 0, "08006", true, false },
  { IGNORE_ANY, "40p01", 0, 0, 0, "40P01", false, true },
  { IGNORE_ANY, "40P01", 0, 0, 0, "40001", false, false },
  { IGNORE_ANY, "40001", 0, 1213, 0, "40001", false, true },
  { IGNORE_ANY, "40", 0, 0, 0, "40P01", false, true },
  { IGNORE_ANY, "40", 0, 0, 0, "41P01", false, false },
  { IGNORE_ANY, "xx", 0, 0, 0, "XX000", false, true },
  { IGNORE_ANY, "19", 0, 1299, 19, "23000", false, true },
  { IGNORE_ANY, "5", 0, 517, 5, "40001", false, true },
  { IGNORE_ANY, "0", 0, 0, 0, "42601", false, false },
  { IGNORE_ANY, "abc", -EINVAL, 0, 0, "", false, false },
  { IGNORE_ANY, "4 001", -EINVAL, 0, 0, "", false, false },
};

static void test_ignore(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(ignore_case); i++) {
    struct ignore_list l = { 0 };
    struct outcome out = { .code = ignore_case[i].code,
                           .base_code = ignore_case[i].base_code,
                           .lost = ignore_case[i].lost };
    const struct opt_list items = { 1, &ignore_case[i].item };
    struct err err = { "" };
    const int rc = ignore_list_add(&l, &items, ignore_case[i].kind,
                                   connection_codes, &err);

    memcpy(out.state, ignore_case[i].state, strlen(ignore_case[i].state));
    OK(rc == ignore_case[i].rc, ignore_case[i].item);
    OK((rc < 0) == (err.text[0] != '\0'), "a text exactly when it fails");
    OK(ignore_list_has(&l, &out) == ignore_case[i].has, ignore_case[i].item);
    ignore_list_done(&l);
  }
}

static void test_target(void)
{
  unsigned seen[3][2] = { { 0 } };
  struct target t;

  for (unsigned i = 0; i < 12; i++) {
    t = target_pick(0, 3, 2, i, 0);
    if (i < 6)
      OK(t.host == i / 2 && t.port == i % 2, "all ports of a host first");
    seen[t.host][t.port]++;
  }
  for (unsigned i = 0; i < 6; i++)
    OK(seen[i / 2][i % 2] == 2, "twelve connections to six places: two each");
  t = target_pick(3, 5, 5, 4, 0);
  OK(t.socket == 1, "sockets win");
  t = target_pick(0, 3, 2, 5, 1);
  OK(t.host == 0 && t.port == 0, "the next attempt goes to the next place");
}

static void test_errtab(void)
{
  struct errtab *t = malloc(sizeof(*t));
  char text[sizeof(t->entry[0].text) + 1];
  size_t order[ERRTAB_MAX];

  errtab_init(t);
  errtab_count(t, "mysql", 1062, "23000", "dup");
  for (int i = 0; i < 3; i++)
    errtab_count(t, "mysql", 1213, "40001", i ? "later" : "first");
  errtab_count(t, "pgsql", 1213, "40001", "other driver");
  OK(errtab_order(t, order) == 3, "one entry for each code");
  memset(text, 'x', sizeof(text));
  memcpy(text + sizeof(t->entry[0].text) - 2, "\xc3\xa4", 3);
  errtab_count(t, "mysql", 1064, "42000", text);
  OK(strlen(t->entry[3].text) == sizeof(t->entry[0].text) - 2,
     "a long text is cut between characters");
  OK(t->entry[order[0]].code == 1213 && t->entry[order[0]].count == 3,
     "most frequent first");
  OK_STR(t->entry[order[0]].text, "first", "with its first text");
  for (int i = 0; i < 2 * ERRTAB_MAX; i++)
    errtab_count(t, "mysql", 5000 + i, "HY000", "many");
  OK(errtab_order(t, order) == ERRTAB_MAX, "a full table stays as it is");
  errtab_done(t);
  free(t);
}

static void test_flood(void)
{
  struct flood f;
  uint64_t held, now = 7 * NS_PER_S;
  unsigned shown = 0;

  flood_init(&f);
  for (int i = 0; i < 100; i++)
    shown += flood_allows(&f, "1062", now + (uint64_t)i, &held);
  OK(shown == 20, "twenty in a second");
  OK(flood_allows(&f, "1213", now, &held) && held == 0, "another code");
  OK(flood_allows(&f, "1062", now + NS_PER_S, &held) && held == 80,
     "the next second, and how many were held back");
  OK(flood_allows(&f, "1062", now + NS_PER_S, &held) && held == 0, "said once");
  OK(!flood_repeats(&f, "1146", "no table 'sbtest1'"), "the first");
  OK(flood_repeats(&f, "1146", "no table 'sbtest23'"), "only a number differs");
  OK(!flood_repeats(&f, "1146", "no table 'other'"), "another text");
  OK(!flood_repeats(&f, "1054", "no table 'sbtest1'"), "another code");
  flood_done(&f);
}

int main(void)
{
  test_ignore();
  test_target();
  test_errtab();
  test_flood();
  return TAP_EXIT();
}
