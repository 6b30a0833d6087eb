/*
 * test_text_outages.c - the outages of a run as text: which of many stalls are
 * shown.
 */
#include <string.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "report/text.h"
#include "stats/outage_report.h"
#include "tests/unit/tap.h"

enum {
  MANY = 50
};

static unsigned lines(const char *text, const char *part)
{
  unsigned n = 0;

  for (; (text = strstr(text, part)) != NULL; text++)
    n++;
  return n;
}

int main(void)
{
  struct stall of[MANY];
  struct outage_report r = { .stalls = of, .clients = 2 };
  struct strbuf b = { 0 };

  /* A second apart; all but two are 5 ms long. */
  for (unsigned i = 0; i < MANY; i++) {
    const uint64_t ms = i == 30 ? 900 : i == 40 ? 6 : 5;

    of[i] = (struct stall){ .from_ns = i * NS_PER_S,
                            .to_ns = i * NS_PER_S + ms * NS_PER_MS,
                            .clients = 1 };
  }
  r.n_stalls = 3;
  r.count = 3;
  text_outages(&b, &r);
  OK(lines(strbuf_str(&b), "    at ") == 3 && !strstr(strbuf_str(&b), " more"),
     "all of a few are shown");
  strbuf_clear(&b);
  r.n_stalls = MANY;
  r.count = MANY + 7;
  text_outages(&b, &r);
  OK(lines(strbuf_str(&b), "    at ") == 10 &&
       strstr(strbuf_str(&b), "    and 47 more\n"),
     "ten of many are");
  OK(strstr(strbuf_str(&b), "    at 7.000 s for 0.005 s, 1 of 2 clients") &&
       strstr(strbuf_str(&b), "    at 30.000 s for 0.900 s, ") &&
       strstr(strbuf_str(&b), "    at 40.000 s for 0.006 s, ") &&
       !strstr(strbuf_str(&b), "    at 8.000 s"),
     "the longest, and of those alike the first");
  strbuf_done(&b);
  return TAP_EXIT();
}
