/*
 * test_merge_outages.c - the outages of several processes: no client was served
 * when none of any process was.
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "nodes/merge.h"
#include "nodes/pack.h"
#include "report/text.h"
#include "stats/outage_report.h"
#include "tests/unit/tap.h"

enum {
  A_BASE = 5000, /* the measured starts of two processes, in ms */
  B_BASE = 700,
};

static const struct report_setup setup = { .percentile = 95.0 };

static uint64_t ms(double n)
{
  return (uint64_t)(n * NS_PER_MS);
}

/* Three stalls; the second one lasts from 2.0 to 4.0 s, and has an error. */
static const struct stall of_a[] = {
  { .from_ns = (A_BASE + 500) * NS_PER_MS,
    .to_ns = (A_BASE + 900) * NS_PER_MS,
    .clients = 1,
    .ended_by = 0 },
  { .from_ns = (A_BASE + 2000) * NS_PER_MS,
    .to_ns = (A_BASE + 4000) * NS_PER_MS,
    .clients = 3,
    .ended_by = 2,
    .arrivals = 200,
    .fault = { .at_ns = (A_BASE + 2100) * NS_PER_MS,
               .phase = FAULT_AT_COMMIT,
               .code = "57P01",
               .text = "terminating" } },
  { .from_ns = (A_BASE + 9000) * NS_PER_MS,
    .to_ns = (A_BASE + 9990) * NS_PER_MS,
    .clients = 3,
    .ended_by = -1 },
};
static const uint64_t longest_a[] = { 2400000000, 2100000000, 2200000000 };
static const uint64_t noticed_a[] = { 2300000000, 2000000000, 2150000000 };

/* 0.8 to 1.9 s, 1.95 to 2.05 s, 2.5 to 4.5 s, 9.5 to 10.0 s. */
static const struct stall of_b[] = {
  { .from_ns = (B_BASE + 800) * NS_PER_MS,
    .to_ns = (B_BASE + 1900) * NS_PER_MS,
    .clients = 2,
    .ended_by = 3 },
  { .from_ns = (B_BASE + 1950) * NS_PER_MS,
    .to_ns = (B_BASE + 2050) * NS_PER_MS,
    .clients = 2,
    .ended_by = 3 },
  { .from_ns = (B_BASE + 2500) * NS_PER_MS,
    .to_ns = (B_BASE + 4500) * NS_PER_MS,
    .clients = 4,
    .ended_by = 5,
    .arrivals = 400 },
  { .from_ns = (B_BASE + 9500) * NS_PER_MS,
    .to_ns = (B_BASE + 10000) * NS_PER_MS,
    .clients = 4,
    .ended_by = -1 },
};
static const uint64_t longest_b[] = { 2500000000 };
static const uint64_t noticed_b[] = { 2450000000 };

static const struct outage_report a = {
  .base_ns = A_BASE * NS_PER_MS,
  .end_ns = (A_BASE + 9990) * NS_PER_MS,
  .limit_ns = 100 * NS_PER_MS,
  .open_loop = true,
  .n_stalls = 3,
  .stalls = of_a,
  .clients = 3,
  .affected = 3,
  .still_down = 1,
  .outages = 4,
  .unserved_ns = 9000000000,
  .n_longest = 3,
  .longest_of = longest_a,
  .noticed_of = noticed_a,
  .phases = { [FAULT_AT_COMMIT] = 3, [FAULT_CONNECT] = 1 },
};
static const struct outage_report b = {
  .base_ns = B_BASE * NS_PER_MS,
  .end_ns = (B_BASE + 10000) * NS_PER_MS,
  .limit_ns = 100 * NS_PER_MS,
  .open_loop = true,
  .n_stalls = 4,
  .stalls = of_b,
  .clients = 4,
  .affected = 1,
  .outages = 1,
  .unserved_ns = 2500000000,
  .n_longest = 1,
  .longest_of = longest_b,
  .noticed_of = noticed_b,
  .phases = { [FAULT_AT_COMMIT] = 1 },
};

static bool is_stall(const struct stall *s, double from_ms, double to_ms,
                     unsigned clients, int64_t ended_by)
{
  return s->from_ns == ms(from_ms) && s->to_ns == ms(to_ms) &&
         s->clients == clients && s->ended_by == ended_by;
}

/* The report of several processes. */
static int merge(struct merge *m, const struct outage_report *const *of,
                 size_t n, struct report *ret)
{
  int rc = 0;

  merge_clear(m);
  for (size_t i = 0; i < n && rc == 0; i++) {
    const struct report one = { .kind = REPORT_FINAL, .outages = of[i] };

    rc = merge_add_report(m, &one);
  }
  *ret = (struct report){ .kind = REPORT_FINAL };
  merge_report(m, &setup, ret);
  return rc;
}

static void test_two(struct merge *m)
{
  const struct outage_report *const both[] = { &a, &b };
  const struct outage_report *o;
  struct report r;

  OK(merge(m, both, 2, &r) == 0 && r.outages, "two processes");
  o = r.outages;
  OK(o->n_stalls == 2 && o->count == 2, "what is too short is none");
  OK(o->base_ns == 0 && is_stall(&o->stalls[0], 2500, 4000, 7, 2),
     "from the later begin to the earlier end, with the clients of both");
  OK(is_stall(&o->stalls[1], 9500, 10000, 7, -1),
     "until the end of the last one");
  OK(o->stalls[0].arrivals == 150 + 300 && o->arrivals == 450,
     "each has its share of the arrivals");
  OK(o->stalls[0].fault.at_ns == ms(2100) &&
       o->stalls[0].fault.phase == FAULT_AT_COMMIT &&
       strcmp(o->stalls[0].fault.code, "57P01") == 0 &&
       strcmp(o->stalls[0].fault.text, "terminating") == 0,
     "the first error of any");
  OK(o->stalls[1].fault.at_ns == 0, "there was none");
  OK(o->stalled_ns == ms(2000) && o->longest_ns == ms(1500), "their sums");
  OK(o->clients == 7 && o->affected == 4 && o->still_down == 1 &&
       o->outages == 5 && o->unserved_ns == 11500000000,
     "clients are added up");
  OK(o->unavailable.median_ns == 2400000000 &&
       o->unavailable.max_ns == 2500000000 &&
       o->noticed.median_ns == 2300000000 && o->noticed.max_ns == 2450000000,
     "the spread is that of all");
  OK(o->phases[FAULT_AT_COMMIT] == 4 && o->phases[FAULT_CONNECT] == 1,
     "and so are the first errors");
  OK(o->limit_ns == ms(100) && o->open_loop, "what the options say");
}

static void test_few(struct merge *m)
{
  static const struct outage_report calm = { .end_ns = 10 * NS_PER_S,
                                             .limit_ns = 100 * NS_PER_MS,
                                             .clients = 2 };
  const struct outage_report *const one[] = { &a };
  const struct outage_report *const calmer[] = { &a, &calm, &b };
  const struct outage_report *const none[] = { NULL, NULL };
  struct report r;

  OK(merge(m, one, 1, &r) == 0 && r.outages->n_stalls == 3 &&
       is_stall(&r.outages->stalls[0], 500, 900, 1, 0),
     "those of one process are its own");
  OK(merge(m, calmer, 3, &r) == 0 && r.outages->count == 0 &&
       r.outages->clients == 9 && r.outages->affected == 4,
     "if one was served all the time there is no stall");
  OK(merge(m, none, 2, &r) == 0 && !r.outages, "a test without a service");
}

/* A process that has not kept all of its stalls. */
static void test_dropped(struct merge *m)
{
  struct outage_report many = b;
  const struct outage_report *const both[] = { &a, &many };
  struct strbuf text = { 0 };
  struct report r;

  many.count = many.n_stalls;
  OK(merge(m, both, 2, &r) == 0 && !r.outages->at_least, "all are known");
  many.count += 1;
  OK(merge(m, both, 2, &r) == 0 && r.outages->at_least &&
       r.outages->count == 2 && r.outages->longest_ns == ms(1500),
     "there may be more than those that were kept");
  text_outages(&text, r.outages);
  OK(strstr(strbuf_str(&text), " at least 2, together at least "),
     "and the text says so");
  strbuf_done(&text);
}

static int add_more(struct merge *m, const struct report *r)
{
  struct strbuf bytes = { 0 };
  struct unpack u;
  int rc;

  merge_pack(&bytes, r);
  u = unpack_start(strbuf_str(&bytes), bytes.len);
  rc = merge_add_more(m, &u);
  strbuf_done(&bytes);
  return rc;
}

/* A late process has two intervals in one line.  Nobody knows whether it was
 * stalled at the same time as the other. */
static void test_intervals(struct merge *m)
{
  const struct report one = { .kind = REPORT_INTERVAL,
                              .has_stalled = true,
                              .stalled_ns = NS_PER_S };
  struct report r = { .kind = REPORT_INTERVAL };

  merge_clear(m);
  OK(merge_add_report(m, &one) == 0 && merge_add_report(m, &one) == 0 &&
       add_more(m, &one) == 0,
     "intervals of two processes");
  merge_report(m, &setup, &r);
  OK(!r.has_stalled && r.stalled_ns == 0 && !r.outages,
     "what their stalls have in common is not known");
}

/* The outages come with the last report of a process, after a checkpoint. */
static void test_more(struct merge *m)
{
  const struct report checkpoint = { .kind = REPORT_CHECKPOINT };
  const struct report of_one = { .kind = REPORT_FINAL, .outages = &a };
  const struct report of_other = { .kind = REPORT_FINAL, .outages = &b };
  struct report r = { .kind = REPORT_FINAL };

  merge_clear(m);
  OK(merge_add_report(m, &of_one) == 0 &&
       merge_add_report(m, &checkpoint) == 0 && add_more(m, &of_other) == 0,
     "a process with two reports");
  merge_report(m, &setup, &r);
  OK(r.outages && r.outages->clients == 7 && r.outages->count == 2 &&
       is_stall(&r.outages->stalls[0], 2500, 4000, 7, 2),
     "has the outages of the second one");
}

/* Bytes that are cut off, wherever. */
static void test_cut(void)
{
  struct outage_sum s = { 0 };
  struct strbuf bytes = { 0 };
  unsigned bad = 0;

  merge_outages_pack(&bytes, &a);
  for (size_t n = 1; n < bytes.len; n++) {
    struct unpack u = unpack_start(strbuf_str(&bytes), n);

    bad += merge_outages_add(&s, &u) == -EBADMSG;
  }
  OK(bytes.len > 0 && bad == bytes.len - 1, "what is cut off is refused");
  OK(!outage_sum_report(&s), "and not added");
  outage_sum_clear(&s);
  strbuf_done(&bytes);
}

int main(void)
{
  struct merge *m = NULL;
  struct err err;

  if (merge_new(&m, &err) < 0)
    return 1;
  test_two(m);
  test_few(m);
  test_dropped(m);
  test_intervals(m);
  test_more(m);
  test_cut();
  merge_free(m);
  return TAP_EXIT();
}
