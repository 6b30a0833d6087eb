/*
 * test_skeleton.c - statements are recognised by their normal texts, whatever
 * was seen before.
 */
#include "db/classes/skeleton.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "tests/unit/tap.h"

enum {
  NAMES = 40000,
  LONGEST = 2000,
};

/* Ids as classes have them: the numbers of normal texts. */
struct names {
  unsigned n;
  struct {
    size_t len;
    char text[SQLTEXT_BYTES];
  } of[NAMES];
};

static struct skeletons seen;
static struct names names;

static unsigned name_id(const char *text, size_t len)
{
  unsigned id = 0;

  while (id < names.n &&
         (names.of[id].len != len || memcmp(names.of[id].text, text, len) != 0))
    id++;
  if (id == names.n) {
    names.of[id].len = len;
    memcpy(names.of[id].text, text, len);
    names.n++;
  }
  return id;
}

enum outcome {
  NEW,
  KNOWN,
  WRONG,
};

/*
 * The text is in memory of exactly that size, so that reading beyond it is
 * found.
 */
static enum outcome meet(const char *text, size_t len)
{
  char *sql = malloc(len ? len : 1), normal[SQLTEXT_BYTES];
  struct sqltext_cuts cuts;
  enum outcome ret = NEW;
  unsigned want;
  int id;

  memcpy(sql, text, len);
  want = name_id(normal,
                 skeleton_normal(sql, len, normal, SQLTEXT_BYTES, &cuts));
  id = skeletons_find(&seen, sql, len);
  if (id < 0)
    skeletons_add(&seen, sql, len, &cuts, want);
  else
    ret = (unsigned)id == want ? KNOWN : WRONG;
  free(sql);
  return ret;
}

static void start(void)
{
  memset(&seen, 0, sizeof(seen));
  names.n = 0;
}

/* ---- what must be known, and what must not ---- */

static const struct {
  const char *first, *then;
  enum outcome want;
} pairs[] = {
  { "", "", KNOWN },
  { "SELECT 1", "SELECT 23", KNOWN },
  { "SELECT 1", "SELECT 1e-5", KNOWN },
  { "SELECT 1", "SELECT '1'", NEW },
  { "SELECT 1", "SELECT ", NEW },
  { "SELECT c FROM t WHERE id=5", "SELECT c FROM t WHERE id=", NEW },
  { "SELECT c FROM t WHERE id='5'", "SELECT c FROM t WHERE id=", NEW },
  { "SELECT c FROM t WHERE id=5", "SELECT c FROM t WHERE id=12345678", KNOWN },
  { "SELECT c FROM t WHERE id=5", "SELECT c FROM t WHERE id=0x1F", KNOWN },
  { "SELECT c FROM t WHERE id=5", "SELECT c FROM t WHERE id=5 ", NEW },
  { "SELECT c FROM t WHERE id=5", "SELECT c FROM t WHERE id=?", NEW },
  { "SELECT c FROM t WHERE id=?", "SELECT c FROM t WHERE id=5", NEW },
  { "SELECT c FROM t1 WHERE id=5", "SELECT c FROM t2 WHERE id=5", NEW },
  { "SELECT c FROM t WHERE a='x''y' AND b=1",
    "SELECT c FROM t WHERE a='\\'' AND b=-1", NEW },
  { "SELECT c FROM t WHERE a='x''y' AND b=1",
    "SELECT c FROM t WHERE a='\\'' AND b=.1", NEW },
  { "SELECT c FROM t WHERE a='x''y' AND b=1",
    "SELECT c FROM t WHERE a='a long one \\'' AND b=77.5", KNOWN },
  { "SELECT x'41', c FROM t", "SELECT x41, c FROM t", NEW },
};

static void test_pairs(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
    start();
    OK(meet(pairs[i].first, strlen(pairs[i].first)) == NEW, "the first");
    OK(meet(pairs[i].first, strlen(pairs[i].first)) == KNOWN, "is known");
    OK(meet(pairs[i].then, strlen(pairs[i].then)) == pairs[i].want,
       pairs[i].then);
    OK(meet(pairs[i].then, strlen(pairs[i].then)) == KNOWN, "is known then");
  }
}

/* ---- both ways compared ---- */

static uint64_t random_state = 1;

static unsigned draw(unsigned n)
{
  random_state = random_state * UINT64_C(6364136223846793005) + 1;
  return (unsigned)((random_state >> 33) % n);
}

static const char *const parts[] = {
  "SELECT ",
  "UPDATE ",
  "c ",
  "FROM ",
  "t",
  "t1",
  "t22",
  "sbtest7",
  " WHERE ",
  "id",
  "=",
  "(",
  ")",
  ", ",
  " ",
  "  ",
  "\n\t",
  "?",
  "$1",
  "x",
  "e",
  "-",
  "+",
  ".",
  "\\",
  "\"q 1\"",
  "`b``2`",
  "\xc3\xa9",
  "a_quite_long_name_of_a_column",
  "'",
  "\"",
};
static const char *const literals[] = {
  "5",
  "42",
  "1234567",
  "12345678",
  "123456789012345678",
  "1e-5",
  "1e",
  "0x1F",
  "3.25",
  "''",
  "'it''s'",
  "'a\\'b'",
  "'longer than a word of eight bytes'",
  "'\\\\'",
};

/* Makes one of a few forms, with any literals. */
static size_t make(unsigned form, char *out)
{
  const uint64_t of_literals = random_state;
  unsigned n;
  size_t len = 0;

  random_state = form * UINT64_C(0x9e3779b97f4a7c15);
  (void)draw(2);
  n = draw(16) == 0 ? draw(120) : draw(12);
  for (unsigned i = 0; i < n && len < LONGEST - 64; i++) {
    const bool is_literal = draw(3) == 0;
    const uint64_t of_form = random_state;
    const char *part = parts[draw(ARRAY_SIZE(parts))];

    if (is_literal) {
      random_state = of_literals + i * UINT64_C(0x632be59bd9b4e019);
      part = literals[draw(ARRAY_SIZE(literals))];
      random_state = of_form;
      (void)draw(2);
    }
    memcpy(out + len, part, strlen(part));
    len += strlen(part);
  }
  random_state = of_literals;
  (void)draw(2);
  return len;
}

static void test_same(unsigned forms, unsigned times)
{
  static char text[LONGEST];
  unsigned count[3] = { 0 };

  start();
  for (unsigned i = 0; i < times; i++) {
    const unsigned form = draw(forms);

    count[meet(text, make(form, text))]++;
  }
  OK(count[WRONG] == 0, "never another class");
  OK(count[KNOWN] > times / (forms > SKELETONS ? 20 : 2), "many are known");
  printf("# %u new, %u known\n", count[NEW], count[KNOWN]);
}

/* Statements that come only once use up the room; then there is room again. */
static void test_forgets(void)
{
  char text[64];
  unsigned max = 0, i;

  start();
  for (i = 0; i < 10000 && seen.n >= max; i++) {
    max = seen.n;
    names.n = 0;
    (void)snprintf(text, sizeof(text), "SELECT c FROM once_%u WHERE id=1", i);
    (void)meet(text, strlen(text));
  }
  OK(max == SKELETONS && seen.n < max, "what is not used is forgotten");
  (void)meet("SELECT c FROM again WHERE id=1", 30);
  OK(meet("SELECT c FROM again WHERE id=2", 30) == KNOWN, "and there is room");
}

int main(void)
{
  test_pairs();
  test_same(8, 5000);
  test_same(100, 20000);
  test_same(600, 20000);
  test_forgets();
  return TAP_EXIT();
}
