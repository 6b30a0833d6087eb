/*
 * test_idle.c - clients that stay idle: what --idle-clients accepts, how many
 * they are, and which.
 */
#include <errno.h>

#include "base/compiler.h"
#include "base/err.h"
#include "run/options.h"
#include "run/plan.h"
#include "tests/unit/tap.h"

enum {
  CARRIERS_MAX = 8
};

static const struct {
  const char *text;
  int rc;
  struct idle_share share;
} texts[] = {
  { "off", 0, { 0, 0 } },
  { "1", 0, { 1, 0 } },
  { "900", 0, { 900, 0 } },
  { "50%", 0, { 0, 50 } },
  { "12.5%", 0, { 0, 12.5 } },
  { "", -EINVAL, { 0, 0 } },
  { "0", -EINVAL, { 0, 0 } },
  { "-1", -EINVAL, { 0, 0 } },
  { "%", -EINVAL, { 0, 0 } },
  { "0%", -EINVAL, { 0, 0 } },
  { "100%", -EINVAL, { 0, 0 } },
  { "nan%", -EINVAL, { 0, 0 } },
  { "1.5", -EINVAL, { 0, 0 } },
  { "90%%", -EINVAL, { 0, 0 } },
  { "00000000000000000000000000000000090%", -EINVAL, { 0, 0 } },
};

static void test_parse(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
    struct idle_share got = { 0, 0 };

    OK(idle_share_parse(texts[i].text, &got) == texts[i].rc, texts[i].text);
    OK(got.clients == texts[i].share.clients &&
         got.percent == texts[i].share.percent,
       "its value");
  }
}

static const struct {
  struct idle_share share;
  unsigned all;
  int rc;
  unsigned n;
} counts[] = {
  { { 0, 0 }, 1, 0, 0 },       { { 3, 0 }, 4, 0, 3 },
  { { 4, 0 }, 4, -EINVAL, 0 }, { { 1, 0 }, 1, -EINVAL, 0 },
  { { 0, 90 }, 1000, 0, 900 }, { { 0, 99 }, 4, 0, 3 },
  { { 0, 10 }, 4, 0, 0 },      { { 0, 29 }, 100, 0, 29 },
  { { 0, 57 }, 100, 0, 57 },
};

static void test_count(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
    struct err err;
    unsigned n = 0;

    OK(idle_share_count(&counts[i].share, counts[i].all, &n, &err) ==
           counts[i].rc &&
         n == counts[i].n,
       "how many are idle");
  }
}

/* As many as planned, and an equal part of the others on each carrier. */
static bool is_even(unsigned threads, unsigned carriers, unsigned idle)
{
  const struct plan plan = { .threads = threads,
                             .carriers = carriers,
                             .idle = idle };
  const unsigned n = carriers > 0 ? carriers : 1;
  unsigned works[CARRIERS_MAX] = { 0 }, all = 0, min = threads, max = 0;

  for (unsigned i = 0; i < threads; i++) {
    if (!plan_is_idle(&plan, i)) {
      works[i % n]++;
      all++;
    }
  }
  for (unsigned i = 0; i < n; i++) {
    min = works[i] < min ? works[i] : min;
    max = works[i] > max ? works[i] : max;
  }
  return all == threads - idle && max - min <= 1 && !plan_is_idle(&plan, 0);
}

static void test_which(void)
{
  bool all = true;

  for (unsigned threads = 1; threads <= 50; threads++) {
    for (unsigned carriers = 0; carriers <= CARRIERS_MAX; carriers++) {
      for (unsigned idle = 0; carriers <= threads && idle < threads; idle++)
        all = all && is_even(threads, carriers, idle);
    }
  }
  OK(all, "those that work are spread evenly");
}

int main(void)
{
  test_parse();
  test_count();
  test_which();
  return TAP_EXIT();
}
