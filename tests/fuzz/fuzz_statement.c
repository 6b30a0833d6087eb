/*
 * fuzz_statement.c - whatever statements come, one after the other: one that
 * is recognised has the class that its normal text says, and other literals in
 * the same places change nothing.
 *
 * The input is statements, with a zero byte between two.
 */
#include <string.h>

#include "db/classes/skeleton.h"
#include "fuzz.h"
#include "input.h"

enum {
  NAMES = 4096,
  LONGEST = 4096,
  BEGINNING = 16, /* which tells where the search begins */
};

struct state {
  struct skeletons seen;
  unsigned n;
  struct {
    size_t len;
    char text[SQLTEXT_BYTES];
  } name[NAMES]; /* their numbers are the classes */
};

static unsigned class_of(struct state *s, const char *text, size_t len)
{
  unsigned id = 0;

  while (id < s->n &&
         (s->name[id].len != len || memcmp(s->name[id].text, text, len) != 0))
    id++;
  if (id == s->n) {
    s->name[id].len = len;
    memcpy(s->name[id].text, text, len);
    s->n++;
  }
  return id;
}

/* The same with other literals, in memory of just that size. */
static char *with_others(const char *sql, size_t len,
                         const struct sqltext_cuts *cuts, size_t *ret_len)
{
  static const char string[] = "'it''s \\' another string'",
                    numbers[][12] = { "7", "1234567", "123456789", "0x1F" };
  char *text = malloc(len + SQLTEXT_BYTES * sizeof(string) + 1), *exact;
  size_t n = 0, at = 0;

  MUST(text);
  for (size_t i = 0; i < cuts->n; i++) {
    const char *other = sql[cuts->of[i].from] == '\'' ? string : numbers[i % 4];

    memcpy(text + n, sql + at, cuts->of[i].from - at);
    n += cuts->of[i].from - at;
    memcpy(text + n, other, strlen(other));
    n += strlen(other);
    at = cuts->of[i].to;
  }
  memcpy(text + n, sql + at, len - at);
  *ret_len = n + len - at;
  exact = realloc(text, *ret_len ? *ret_len : 1);
  MUST(exact);
  return exact;
}

static void meet(struct state *s, const char *sql, size_t len)
{
  char normal[SQLTEXT_BYTES], *other;
  struct sqltext_cuts cuts;
  const size_t n = skeleton_normal(sql, len, normal, sizeof(normal), &cuts);
  const unsigned want = class_of(s, normal, n);
  int id = skeletons_find(&s->seen, sql, len);
  size_t other_len;
  int other_id;

  MUST(n <= sizeof(normal) && cuts.end <= len && cuts.n <= n);
  MUST(id < 0 || (unsigned)id == want);
  if (id < 0)
    skeletons_add(&s->seen, sql, len, &cuts, want);
  id = skeletons_find(&s->seen, sql, len);
  MUST(id < 0 || (unsigned)id == want);
  other = with_others(sql, len, &cuts, &other_len);
  other_id = skeletons_find(&s->seen, other, other_len);
  MUST(other_id < 0 || (unsigned)other_id == want);
  if (id >= 0 && len >= BEGINNING &&
      (cuts.n == 0 || cuts.of[0].from >= BEGINNING))
    MUST(other_id == id);
  free(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct input in = { data, size };
  struct state *s = calloc(1, sizeof(*s));

  MUST(s);
  while (in.left > 0 && s->n < NAMES) {
    const uint8_t *end = memchr(in.at, '\0', in.left);
    size_t len = end ? (size_t)(end - in.at) : in.left;
    char *sql = (char *)input_bytes(&in, len < LONGEST ? len : LONGEST, &len);

    meet(s, sql, len);
    free(sql);
    if (in.left > 0 && *in.at == '\0')
      (void)input_byte(&in);
  }
  free(s);
  return 0;
}
