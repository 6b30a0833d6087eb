/*
 * test_hdr_decode.c - what is encoded is read back, and damage is noticed.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "results/hdr_log.h"
#include "stats/hist_sum.h"
#include "stats/rand/rng.h"
#include "tests/unit/same_sum.h"
#include "tests/unit/tap.h"
#include "tools/hdr_decode.h"

static void add(struct hist_sum *h, uint64_t ns, uint64_t count)
{
  hist_sum_put(h, hist_index(ns), count);
}

static void round_trip(struct hist_sum *h, struct hist_sum *got,
                       const char *what)
{
  struct strbuf text = { 0 };

  OK(hdr_encode_text(&text, h) == 0, "encodes");
  OK(hdr_decode_text(got, strbuf_str(&text)) == 0, what);
  OK(same_sum(got, h), "every count is back");
  strbuf_done(&text);
}

/* Returns only an error, and *got stays unchanged. */
static void refused(struct hist_sum *got, const char *text, const char *what)
{
  got->total = 12345;
  OK(hdr_decode_text(got, text) == -EINVAL && got->total == 12345, what);
}

static void damage(struct hist_sum *h, struct hist_sum *got)
{
  struct strbuf text = { 0 };
  struct rng rng;
  bool good = true;
  char *copy;

  (void)hdr_encode_text(&text, h);
  copy = malloc(text.len + 1);
  rng_seed(&rng, 3, RNG_INTERNAL, 0);
  for (size_t len = 0; len < text.len; len++) {
    memcpy(copy, text.text, len);
    copy[len] = '\0';
    good = good && hdr_decode_text(got, copy) == -EINVAL;
  }
  OK(good, "no part of a text is taken for the whole");
  /* Any result is right, but it must not crash. */
  for (int i = 0; i < 2000; i++) {
    memcpy(copy, text.text, text.len + 1);
    copy[rng_below(&rng, text.len)] = (char)(rng_below(&rng, 95) + 32);
    (void)hdr_decode_text(got, copy);
  }
  free(copy);
  strbuf_done(&text);
}

int main(void)
{
  struct hist_sum *h = hist_sum_new(), *got = hist_sum_new();
  struct rng rng;

  round_trip(h, got, "an empty histogram");
  add(h, 0, 1);
  round_trip(h, got, "the first bucket");
  add(h, HIST_MAX_NS, 7);
  round_trip(h, got, "and the last one");
  rng_seed(&rng, 2, RNG_INTERNAL, 0);
  for (int i = 0; i < 3000; i++)
    add(h, rng_next(&rng) >> (22 + rng_below(&rng, 42)),
        1 + (rng_next(&rng) >> (20 + rng_below(&rng, 44))));
  round_trip(h, got, "random counts, small and large");
  damage(h, got);
  refused(got, "", "nothing");
  refused(got, "HIST", "too short");
  refused(got, "not base64!!", "other characters");
  refused(got, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "another kind of data");
  hist_sum_free(got);
  hist_sum_free(h);
  return TAP_EXIT();
}
