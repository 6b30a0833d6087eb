/*
 * test_sweep_spec.c - the values that a --sweep stands for.
 */
#include <errno.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "tests/unit/tap.h"
#include "tools/sweep_opts.h"

static const struct {
  const char *text;
  const char *want; /* option, then the values; NULL: refused */
} cases[] = {
  { "threads:10,100,200", "threads|10|100|200" },
  { "--threads:1", "threads|1" },
  { "threads:1..64*2", "threads|1|2|4|8|16|32|64" },
  { "threads:1..100*3", "threads|1|3|9|27|81" },
  { "x:100..1000+100", "x|100|200|300|400|500|600|700|800|900|1000" },
  { "x:1..4", "x|1|2|3|4" },
  { "x:7..7", "x|7" },
  { "x:1,4..6,10..40*2", "x|1|4|5|6|10|20|40" },
  { "x:1..5*1.5", NULL }, /* 1, 2, 2: twice the same */
  { "x:4..14*1.5", "x|4|6|9|14" },
  { "file-total-size:256M..2G*2", "file-total-size|256M|512M|1G|2G" },
  { "x:4K..12K+4K", "x|4K|8K|12K" },
  { "x:0.1..0.5+0.1", "x|0.1|0.2|0.3|0.4|0.5" },
  { "x:-0.3..0.3+0.1", "x|-0.3|-0.2|-0.1|0|0.1|0.2|0.3" },
  { "x:-0.3..0+0.1", "x|-0.3|-0.2|-0.1|0" },
  { "x:-1e-9..2e-9+1e-9", "x|-0.000000001|0|0.000000001|0.000000002" },
  { "x:0.5..8*2", "x|0.5|1|2|4|8" },
  { "rate:-1..1", "rate|-1|0|1" },
  { "x:0..2", "x|0|1|2" },
  { "mode:rndrd,seqrd", "mode|rndrd|seqrd" },
  { "path:../a,./b", "path|../a|./b" },
  { "percentiles:50\\,99,95", "percentiles|50,99|95" },
  { "host:db:3306", "host|db:3306" },
  { "threads", NULL },
  { "", NULL },
  { ":1,2", NULL },
  { "threads:", NULL },
  { "threads:1,,2", NULL },
  { "threads:1,", NULL },
  { "threads=1,2", NULL },
  { "threads=x:1", NULL },
  { "threads:1,1", NULL },
  { "threads:1..4,2", NULL },
  { "threads:8..1", NULL },
  { "threads:1..8*1", NULL },
  { "threads:1..8*0", NULL },
  { "threads:1..8*-2", NULL },
  { "threads:0..8*2", NULL },
  { "threads:1..8+0", NULL },
  { "threads:1..8*", NULL },
  { "threads:1..8+", NULL },
  { "threads:1..x", NULL },
  { "threads:1..", NULL },
  { "threads:1..8+1+1", NULL },
  { "threads:1..2000", NULL }, /* too many */
  { "x:1..9223372036854775807*3037000500", "x|1|3037000500" },
  { "x:9223372036854775806..9223372036854775807",
    "x|9223372036854775806|9223372036854775807" },
};

int main(void)
{
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    struct sweep_spec spec = { 0 };
    struct strbuf got = { 0 };
    struct err err = { "" };
    const int rc = sweep_spec_parse(&spec, cases[i].text, &err);

    OK((rc == 0) == (cases[i].want != NULL), cases[i].text);
    if (rc < 0) {
      OK(rc == -EINVAL && !cases[i].want && err.text[0], "is refused");
      OK(!spec.option && !spec.values, "and leaves nothing behind");
      continue;
    }
    strbuf_adds(&got, spec.option);
    for (size_t k = 0; k < spec.n; k++)
      strbuf_addf(&got, "|%s", spec.values[k]);
    OK_STR(strbuf_str(&got), cases[i].want ? cases[i].want : "refused",
           cases[i].text);
    strbuf_done(&got);
    sweep_spec_done(&spec);
  }
  return TAP_EXIT();
}
