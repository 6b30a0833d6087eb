/*
 * test_coincidences.c - all sentences about dips: they say what goes together
 * and how likely that is by chance, and never give a reason.
 */
#include <string.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "results/correlations.h"
#include "tests/unit/tap.h"

/* What a sentence can be about: how many dips there are, and so on. */
static const struct variant {
  unsigned dips, hits;
  double expected, p;
  const char *begins, *ends;
} variants[] = {
  { 1, 1, 0.1, 0.008, "the only dip coincides with ",
    " (0.1 expected by chance, p = 0.008)" },
  { 8, 1, 0, 0.01, "1 of 8 dips coincides with ",
    " (0.0 expected by chance, p = 0.010)" },
  { 8, 7, 2.1, 0.005, "7 of 8 dips coincide with ",
    " (2.1 expected by chance, p = 0.005)" },
  { 4000, 3999, 1234.5, 0.0002, "3999 of 4000 dips coincide with ",
    " (1234.5 expected by chance, p < 0.001)" },
};

/* Words of those who know the reason. */
static const char *const reasons[] = { "because", "cause",     "due to",
                                       "reason",  "result of", "why",
                                       "owing",   "therefore" };

static bool gives_reason(const char *text)
{
  for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
    if (strcasestr(text, reasons[i])) {
      printf("# '%s' in: %s\n", reasons[i], text);
      return true;
    }
  }
  return false;
}

static bool begins(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *text, const char *with)
{
  return strlen(text) > strlen(with) &&
         strcmp(text + strlen(text) - strlen(with), with) == 0;
}

int main(void)
{
  unsigned sentences = 0, wrong = 0, with_reason = 0;

  for (size_t k = 0; k < CORRELATIONS_SERIES; k++) {
    for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
      const struct variant *v = &variants[i];
      struct correlations c = { 0 };
      struct strbuf text = { 0 };

      c.found.dips = v->dips;
      c.found.n = 1;
      c.found.of[0] = (struct coincide_finding){ k, v->hits, v->expected,
                                                 v->p };
      correlations_sentence(&c, 0, &text);
      sentences++;
      with_reason += gives_reason(strbuf_str(&text));
      if (!begins(strbuf_str(&text), v->begins) ||
          !ends(strbuf_str(&text), v->ends) ||
          strchr(strbuf_str(&text), '\n')) {
        printf("# %s\n", strbuf_str(&text));
        wrong++;
      }
      strbuf_done(&text);
    }
  }
  printf("# %u sentences\n", sentences);
  OK(sentences == CORRELATIONS_SERIES * ARRAY_SIZE(variants) && wrong == 0,
     "a sentence has what goes together, and its odds");
  OK(with_reason == 0, "no sentence has the word because, or one like it");
  OK(gives_reason("7 of 8 dips happen Because of a checkpoint"),
     "which would be noticed");
  return TAP_EXIT();
}
