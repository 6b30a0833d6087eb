/*
 * test_results.c - documents of results, read back and compared.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "tests/unit/tap.h"
#include "tools/compare.h"
#include "tools/compare_print.h"
#include "tools/groups.h"
#include "tools/result.h"

struct run {
  double rate; /* events per second, about */
  const char *test;
  const char *more; /* options */
  double mean_ns;   /* 0: events follow each other without a gap */
  bool is_part;     /* of bench database or bench machine */
};

/* A document of `n` intervals of one second. */
static void document(struct strbuf *out, const struct run *r, unsigned n)
{
  const double mean = r->mean_ns > 0 ? r->mean_ns
                      : r->rate > 0  ? 1e9 / r->rate
                                     : 0;

  if (r->is_part)
    strbuf_adds(out, "{\"schema\": \"bench-sweep/1\", \"steps\": [{\"values\": "
                     "{\"part\": \"reads\"}, \"result\": ");
  strbuf_addf(out,
              "{\"schema\": \"bench/1\", \"tool\": {\"version\": \"1\"}, "
              "\"run\": {\"test\": \"%s\", \"threads\": 1}, \"options\": "
              "{\"threads\": {\"value\": 1, \"source\": \"default\"}%s}, "
              "\"totals\": {\"period_s\": %u.0, \"events\": %.0f, "
              "\"events_per_s\": %.1f, \"errors\": 0, \"latency_ns\": "
              "{\"min\": 5, \"mean\": %.3f, \"max\": 9, \"percentiles\": "
              "{\"95\": %.0f, \"99.9\": %.0f, \"100\": 9}}}, \"intervals\": [",
              r->test, r->more, n, r->rate * n, r->rate, mean, 2 * mean,
              3 * mean);
  for (unsigned i = 0; i < n; i++) {
    const double noise = 1 + 0.01 * ((i * 7) % 5 - 2.0);

    strbuf_addf(out,
                "%s{\"elapsed_s\": %u.0, \"period_s\": 1.0, \"events\": %.0f, "
                "\"errors\": 0, \"partial\": false, \"latency_ns\": {\"mean\": "
                "%.3f, \"percentiles\": {\"95\": %.0f, \"99.9\": %.0f}}}",
                i > 0 ? "," : "", i + 1, r->rate * noise, mean / noise,
                2 * mean / noise, 3 * mean / noise);
  }
  strbuf_adds(out, r->is_part ? "]}}]}" : "]}");
}

static int load(struct result_file *ret, const char *text, struct err *err)
{
  char path[] = "/tmp/bench-test-XXXXXX";
  const int fd = mkstemp(path);
  const ssize_t len = (ssize_t)strlen(text);
  int rc = -EIO;

  if (fd < 0)
    return rc;
  if (write(fd, text, (size_t)len) == len)
    rc = result_load(ret, path, err);
  (void)close(fd);
  (void)unlink(path);
  if (rc == 0)
    ret->path = ret->run.path = "FILE";
  return rc;
}

static void test_bad_files(void)
{
  static const struct {
    const char *text, *says;
  } bad[] = {
    { "", "truncated" },
    { "{", "truncated" },
    { "{\"schema\": \"bench/1\", \"run\": {\"te", "truncated" },
    { "hello", "not a JSON" },
    { "[1, 2]", "not a result" },
    { "{}", "not a result" },
    { "{\"schema\": 7}", "not a result" },
    { "{\"schema\": \"other/1\"}", "not a result" },
    { "{\"schema\": \"bench/2\"}", "bench/2" },
    { "{\"schema\": \"bench/1\"}", "names no test" },
    { "{\"schema\": \"bench/1\", \"run\": 3}", "names no test" },
    { "{\"schema\": \"bench-sweep/1\", \"steps\": [1]}", "no values" },
    { "{\"schema\": \"bench-sweep/1\", \"steps\": [{\"values\": {}, "
      "\"result\": {}}]}",
      "names no test" },
  };

  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    struct result_file f = { 0 };
    struct err err = { "" };

    OK(load(&f, bad[i].text, &err) == -EINVAL && strstr(err.text, bad[i].says),
       bad[i].text);
    OK(!strchr(err.text, '\n') && !f.json, "one line, nothing left");
  }
}

static void test_run(void)
{
  struct result_file f = { 0 };
  struct strbuf text = { 0 };
  struct err err = { "" };

  document(
    &text,
    &(struct run){ 1000, "cpu",
                   ", \"list\": {\"value\": [\"50\", \"99\"], \"source\": "
                   "\"command_line\"}, \"on\": {\"value\": true}, \"half\": "
                   "{\"value\": 0.5}, \"none\": {\"value\": null}" },
    3);
  OK(load(&f, strbuf_str(&text), &err) == 0 && !f.is_sweep, "a run");
  OK(f.run.events == 3000 && f.run.n_intervals == 3 && isnan(f.run.cpus_used),
     "its figures; what is missing is not a number");
  OK(result_percentile(&f.run, "99.9") == 3e6 &&
       isnan(result_percentile(&f.run, "50")),
     "percentiles");
  OK(!result_histogram(&f.run), "no histogram");
  strbuf_clear(&text);
  OK(result_option(&f.run, "list", &text) &&
       result_option(&f.run, "on", &text) &&
       result_option(&f.run, "half", &text),
     "options");
  OK_STR(strbuf_str(&text), "50,99on0.5", "a list, a switch, a number");
  OK(!result_option(&f.run, "none", &text) &&
       !result_option(&f.run, "no", &text),
     "no value");
  result_file_done(&f);
  strbuf_done(&text);
}

static const struct comparison *find(const struct comparisons *c,
                                     const char *name)
{
  for (size_t i = 0; i < c->n; i++) {
    if (strcmp(c->of[i].name, name) == 0)
      return &c->of[i];
  }
  return NULL;
}

static void compare(struct run base, struct run other,
                    void (*check)(const struct comparisons *c, int rc,
                                  const struct err *err))
{
  struct result_file f[2] = { { 0 } };
  struct groups g[2] = { { 0 } };
  struct comparisons c = { 0 };
  struct strbuf text = { 0 };
  struct err err = { "" };
  int rc;

  document(&text, &base, 20);
  (void)load(&f[0], strbuf_str(&text), &err);
  strbuf_clear(&text);
  document(&text, &other, 20);
  (void)load(&f[1], strbuf_str(&text), &err);
  for (int i = 0; i < 2; i++)
    (void)groups_init(&g[i], &f[i], &err);
  rc = comparisons_init(&c, &g[0].of[0], &g[1].of[0], &err);
  check(&c, rc, &err);
  comparisons_done(&c);
  for (int i = 0; i < 2; i++) {
    groups_done(&g[i]);
    result_file_done(&f[i]);
  }
  strbuf_done(&text);
}

static bool gate_is(const struct comparisons *c, double share, enum gate gate)
{
  return gate_of(comparisons_decisive(c), share) == gate;
}

static bool verdict_is_at(const struct comparisons *c, const char *name,
                          double share, enum verdict verdict)
{
  return verdict_of(find(c, name), share) == verdict;
}

static bool verdict_is(const struct comparisons *c, const char *name,
                       enum verdict verdict)
{
  return verdict_is_at(c, name, VERDICT_SHARE, verdict);
}

static void is_same(const struct comparisons *c, int rc, const struct err *err)
{
  (void)err;
  OK(rc == 0 && find(c, "events/s") && !find(c, "events/s")->r.differs &&
       !find(c, "mean")->r.differs && !find(c, "p95")->r.differs,
     "the same figures do not differ");
  OK(strcmp(find(c, "p99.9")->reason, "too few events") == 0 &&
       !find(c, "p99.9")->known,
     "a percentile that hangs on few events is left alone");
  OK(strcmp(find(c, "p100")->reason, "too few events") == 0 &&
       !find(c, "p100")->known,
     "and the largest latency, which hangs on one");
  OK(!find(c, "client CPU/event")->known, "what is missing is not compared");
  OK(c->n_differences == 0, "nothing else differs");
  OK(gate_is(c, 0.05, GATE_PASSED), "it is not slower");
  OK(verdict_is(c, "events/s", VERDICT_SAME), "but the same within 5 %");
  OK(verdict_is(c, "p99.9", VERDICT_INCONCLUSIVE), "unknown is inconclusive");
  OK(verdict_is_at(c, "events/s", 0.001, VERDICT_INCONCLUSIVE) &&
       gate_is(c, 0.001, GATE_UNKNOWN),
     "nobody knows whether within 0.1 %");
  OK(verdict_unnoticed(find(c, "events/s")) > 0.001 &&
       verdict_unnoticed(find(c, "events/s")) < 0.05,
     "the slowdown that would have gone unnoticed");
}

static void is_slower(const struct comparisons *c, int rc,
                      const struct err *err)
{
  (void)err;
  OK(rc == 0 && verdict_is(c, "events/s", VERDICT_SLOWER) &&
       verdict_is(c, "mean", VERDICT_SLOWER),
     "20 % slower, in rate and latency");
  OK(gate_is(c, 0.05, GATE_SLOWER) && gate_is(c, 0.2, GATE_UNKNOWN) &&
       gate_is(c, 0.4, GATE_PASSED),
     "certainly by 5 %, perhaps by 20 %, certainly not by 40 %");
  OK(c->n_differences == 1 &&
       strcmp(c->differences[0].what, "option fast") == 0,
     "options that differ are listed");
}

#define PLACE(name) ", \"pgsql-options\": {\"value\": \"search_path=" name "\"}"

static void is_elsewhere(const struct comparisons *c, int rc,
                         const struct err *err)
{
  (void)err;
  OK(rc == 0 && c->n_differences == 1, "a run in another schema");
}

static void is_same_part(const struct comparisons *c, int rc,
                         const struct err *err)
{
  (void)err;
  OK(rc == 0 && c->n_differences == 0, "each part has a schema of its own");
}

static void is_slower_in_latency(const struct comparisons *c, int rc,
                                 const struct err *err)
{
  (void)err;
  OK(rc == 0 && !find(c, "events/s")->r.differs && gate_is(c, 0.5, GATE_SLOWER),
     "with the same --rate latency counts");
}

static void is_slower_in_rate(const struct comparisons *c, int rc,
                              const struct err *err)
{
  (void)err;
  OK(rc == 0 && gate_is(c, 0.4, GATE_SLOWER),
     "with another --rate throughput counts");
}

static void is_not_slower(const struct comparisons *c, int rc,
                          const struct err *err)
{
  (void)err;
  OK(rc == 0 && gate_is(c, 0.05, GATE_PASSED),
     "higher latency at a higher --rate is not slower");
}

static void is_still(const struct comparisons *c, int rc, const struct err *err)
{
  const struct comparison *rate = find(c, "events/s");

  (void)err;
  OK(rc == 0 && rate->known && rate->r.ratio == 0 &&
       verdict_is(c, "events/s", VERDICT_SLOWER),
     "nothing is less than something");
  OK(gate_is(c, 0.99, GATE_SLOWER), "and slower by any share");
}

static void has_no_base(const struct comparisons *c, int rc,
                        const struct err *err)
{
  (void)err;
  OK(rc == 0 && !find(c, "events/s")->known && gate_is(c, 0.05, GATE_UNKNOWN),
     "with nothing there is no comparison");
}

static void is_refused(const struct comparisons *c, int rc,
                       const struct err *err)
{
  OK(rc == -EINVAL && !c->of && strstr(err->text, "different tests"),
     "different tests are not compared");
}

/* A gate of 15 %: an interval that crosses the limit decides nothing, wherever
 * the ratio is. */
static void test_gate(void)
{
  static const struct {
    enum compare_kind kind;
    double low, ratio, high;
    enum gate gate;
    const char *what;
  } rows[] = {
    { COMPARE_THROUGHPUT, 0.86, 0.90, 0.94, GATE_PASSED, "a rate within" },
    { COMPARE_THROUGHPUT, 0.78, 0.82, 0.86, GATE_UNKNOWN,
      "a rate beyond, perhaps" },
    { COMPARE_THROUGHPUT, 0.84, 0.88, 0.92, GATE_UNKNOWN,
      "a rate within, perhaps" },
    { COMPARE_THROUGHPUT, 0.76, 0.80, 0.84, GATE_SLOWER, "a rate beyond" },
    { COMPARE_THROUGHPUT, 1.80, 2.00, 2.20, GATE_PASSED, "a higher rate" },
    { COMPARE_LATENCY, 1.06, 1.10, 1.14, GATE_PASSED, "a latency within" },
    { COMPARE_LATENCY, 1.14, 1.18, 1.22, GATE_UNKNOWN,
      "a latency beyond, perhaps" },
    { COMPARE_LATENCY, 1.08, 1.12, 1.16, GATE_UNKNOWN,
      "a latency within, perhaps" },
    { COMPARE_LATENCY, 1.16, 1.20, 1.24, GATE_SLOWER, "a latency beyond" },
    { COMPARE_LATENCY, 0.45, 0.50, 0.55, GATE_PASSED, "a lower latency" },
  };

  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    const struct comparison c = { .kind = rows[i].kind,
                                  .known = true,
                                  .r = { .ratio = rows[i].ratio,
                                         .low = rows[i].low,
                                         .high = rows[i].high,
                                         .differs = true } };

    OK(gate_of(&c, 0.15) == rows[i].gate, rows[i].what);
  }
}

static void test_long_names(void)
{
  /*
   * The last character that is shown begins within the limit, and ends after
   * it.
   */
  char name[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                "\xc3\xa4zzzzzz";
  struct comparison one = { .name = name, .kind = COMPARE_CLASS };
  const struct comparisons c = { .of = &one, .n = 1 };
  struct strbuf out = { 0 };

  compare_print(&c, VERDICT_SHARE, true, &out);
  OK(strstr(strbuf_str(&out), "| xxxxxxxx") &&
       strstr(strbuf_str(&out), "x... |"),
     "names are cut between characters");
  strbuf_done(&out);
}

static void test_sweep(void)
{
  struct strbuf text = { 0 }, name = { 0 };
  struct result_file f = { 0 };
  struct groups g = { 0 };
  struct err err = { "" };

  strbuf_adds(&text, "{\"schema\": \"bench-sweep/1\", \"steps\": [");
  for (int i = 0; i < 4; i++) {
    strbuf_addf(&text,
                "%s{\"values\": {\"n\": \"%d\"}, \"exit_status\": %d, "
                "\"result\": ",
                i > 0 ? "," : "", i % 2, i == 3);
    document(&text, &(struct run){ 100 * (i + 1), "cpu", "", 0, false }, 2);
    strbuf_adds(&text, "}");
  }
  strbuf_adds(&text, "]}");
  OK(load(&f, strbuf_str(&text), &err) == 0 && f.is_sweep && f.n_steps == 4 &&
       f.n_combinations == 2,
     "a sweep with repeats");
  OK(groups_init(&g, &f, &err) == 0 && g.n == 2, "has a group per value");
  OK(g.of[0].n == 2 && g.of[1].n == 1 && g.of[1].failed == 1,
     "without the step that failed");
  group_describe(&g.of[1], &name);
  OK_STR(strbuf_str(&name), "n=1", "the name of a group");
  OK(groups_find(&g, g.of[1].values) == &g.of[1] && !groups_find(&g, NULL),
     "groups are found by their values");
  groups_done(&g);
  result_file_done(&f);
  strbuf_done(&name);
  strbuf_done(&text);
}

#define RATE(N) ", \"rate\": {\"value\": " N "}"

int main(void)
{
  const struct run usual = { 1000, "cpu", "", 0, false };
  const struct run still = { 0, "cpu", "", 0, false };
  const struct run at_1000 = { 1000, "cpu", RATE("1000"), 1e6, false };
  const struct run at_500 = { 500, "cpu", RATE("500"), 5e5, false };

  test_bad_files();
  test_run();
  compare(usual, usual, is_same);
  compare(usual,
          (struct run){ 800, "cpu", ", \"fast\": {\"value\": 2}", 0, false },
          is_slower);
  compare((struct run){ 1000, "cpu", PLACE("a"), 0, false },
          (struct run){ 1000, "cpu", PLACE("b"), 0, false }, is_elsewhere);
  compare((struct run){ 1000, "cpu", PLACE("a"), 0, true },
          (struct run){ 1000, "cpu", PLACE("b"), 0, true }, is_same_part);
  compare(usual, (struct run){ 1000, "memory", "", 0, false }, is_refused);
  compare(usual, still, is_still);
  compare(still, usual, has_no_base);
  compare(still, still, has_no_base);
  compare(at_1000, at_1000, is_same);
  compare(at_1000, (struct run){ 1000, "cpu", RATE("1000"), 2e6, false },
          is_slower_in_latency);
  compare(at_1000, (struct run){ 0, "cpu", RATE("1000"), 0, false }, is_still);
  compare(at_1000, at_500, is_slower_in_rate);
  compare(at_500, at_1000, is_not_slower);
  test_gate();
  test_long_names();
  test_sweep();
  return TAP_EXIT();
}
