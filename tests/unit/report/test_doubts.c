/*
 * test_doubts.c - when figures are called doubtful, and when not.
 */
#include "base/clock.h"
#include "base/compiler.h"
#include "report/doubts.h"
#include "stats/report.h"
#include "stats/trend.h"
#include "tests/unit/tap.h"

/* A run that nothing is wrong with: half of two processors. */
struct fixture {
  struct client_use client;
  struct report_setup setup;
  struct report report;
  struct trend trend;
  struct doubt_input in;
  struct doubts doubts;
};

static void make(struct fixture *f)
{
  memset(f, 0, sizeof(*f));
  f->client = (struct client_use){ .wall_ns = 10 * NS_PER_S,
                                   .user_ns = 8 * NS_PER_S,
                                   .system_ns = 2 * NS_PER_S,
                                   .queue_known = true,
                                   .cpus = 2 };
  f->setup.percentile = 95;
  f->report.events = 1000;
  f->in = (struct doubt_input){ .measures_others = true,
                                .threads = 4,
                                .clock_cost_ns = 25,
                                .client = &f->client,
                                .setup = &f->setup,
                                .report = &f->report,
                                .trend = &f->trend };
}

/* The codes, each with ! when it is for the terminal too. */
static const char *codes(struct fixture *f)
{
  static char text[512];

  doubts_find(&f->doubts, &f->in);
  text[0] = '\0';
  for (size_t i = 0; i < f->doubts.n; i++) {
    strcat(text, f->doubts.of[i].code);
    strcat(text, f->doubts.of[i].shown ? "! " : " ");
  }
  return text;
}

static void test_client(void)
{
  struct fixture f;

  make(&f);
  OK_STR(codes(&f), "", "nothing is wrong");
  f.client.user_ns = 17 * NS_PER_S;
  OK_STR(codes(&f), "client_cpu! ", "95 % of the processors");
  f.in.measures_others = false;
  OK_STR(codes(&f), "", "as a benchmark of processors should");

  make(&f);
  f.client.quota = 1.05;
  OK_STR(codes(&f), "client_quota! ", "95 % of the quota");
  f.client.quota = 1.5;
  OK_STR(codes(&f), "", "two thirds of it");

  make(&f);
  f.client.queue_ns = 5 * NS_PER_S;
  OK_STR(codes(&f), "run_queue! ", "an eighth of the time on run queues");
  f.client.queue_known = false;
  OK_STR(codes(&f), "", "unless that is not known");
  f.client.queue_known = true;
  f.client.wall_ns = NS_PER_S / 2;
  OK_STR(codes(&f), "", "or the run was too short");

  make(&f);
  f.in.arrivals = 100000;
  f.in.backlog = 1001;
  OK_STR(codes(&f), "backlog! ", "one event in a hundred waits");
  f.in.backlog = 1000;
  OK_STR(codes(&f), "", "not more than that");
  f.in.arrivals = 20;
  f.in.backlog = 4;
  OK_STR(codes(&f), "", "one for each thread may");

  make(&f);
  f.in.clock_cost_ns = 900;
  OK_STR(codes(&f), "slow_clock! ", "a clock that is a system call");
}

static void test_samples(void)
{
  static const double more[] = { 99, 99.9, 100 };
  struct fixture f;

  make(&f);
  f.report.events = 19;
  OK_STR(codes(&f), "few_samples ", "19 events have no 95th percentile");
  f.setup.percentile_given = true;
  OK_STR(codes(&f), "few_samples! ", "which is said to who asked");
  f.report.events = 20;
  OK_STR(codes(&f), "", "20 have one");
  f.report.events = 0;
  OK_STR(codes(&f), "", "no events: nobody is misled");
  f.report.events = 999;
  f.setup.percentiles = more;
  f.setup.n_percentiles = 3;
  OK_STR(codes(&f), "few_samples! ", "999 events have no 99.9th one");
  OK(strstr(f.doubts.of[0].text, "999 events") &&
       strstr(f.doubts.of[0].text, "percentile 99.9:"),
     "text");
  f.in.is_part = true;
  OK_STR(codes(&f), "", "those of one of several processes tell nothing");
  doubts_add_samples(&f.doubts, &f.setup, 1000);
  OK(f.doubts.n == 0, "all of them have enough");
  doubts_add_samples(&f.doubts, &f.setup, 999);
  OK(f.doubts.n == 1 && strstr(f.doubts.of[0].text, "999 events"), "or not");
}

/* The rank is rounded: with less than half an event beyond it, the percentile
 * is the largest latency. */
static void test_samples_said(void)
{
  static const char largest[] = "it is the largest latency";
  static const char beyond[] = "fewer than one event is beyond it";
  static const struct {
    double percentile;
    uint64_t events;
    const char *says;
  } row[] = {
    { 96, 15, beyond }, { 96, 13, beyond },  { 96, 12, largest },
    { 95, 11, beyond }, { 95, 10, largest }, { 95, 9, largest },
    { 99, 51, beyond }, { 99, 49, largest }, { 50, 1, largest },
    { 96, 1, largest },
  };

  for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
    const struct report_setup setup = { .percentile = row[i].percentile };
    struct doubts d = { 0 };

    doubts_add_samples(&d, &setup, row[i].events);
    OK(d.n == 1 && strstr(d.of[0].text, row[i].says), row[i].says);
  }
}

/* Rates per second, `n` of them, after `skip` moments. */
static bool trend_of(const double *rates, int n, double *ret)
{
  struct trend t;
  double events = 0;

  trend_start(&t, NS_PER_S, 0);
  for (int i = 0; i < n; i++) {
    events += rates[i];
    trend_note(&t, (uint64_t)(i + 2) * NS_PER_S, (uint64_t)events);
  }
  return trend_find(&t, ret);
}

static void test_trend(void)
{
  double rate[1000], change = 0;
  struct trend none = { 0 };

  trend_note(&none, 5, 5);
  OK(!trend_find(&none, &change), "nothing was noted");
  for (int i = 0; i < 1000; i++)
    rate[i] = 1000 + i % 7;
  OK(!trend_of(rate, 40, &change), "steady");
  OK(!trend_of(rate, 1000, &change), "steady for long");
  for (int i = 0; i < 1000; i++)
    rate[i] = 1000 + 30 * i;
  OK(trend_of(rate, 40, &change) && change > 0.1 && change < 0.3, "growing");
  OK(!trend_of(rate, 19, &change), "but not long enough to know");
  OK(trend_of(rate, 1000, &change) && change > 0.3 && change < 0.5,
     "growing for long");
  for (int i = 0; i < 40; i++)
    rate[i] = 10000 - 200 * i;
  OK(trend_of(rate, 40, &change) && change < -0.1, "falling");
  for (int i = 0; i < 40; i++)
    rate[i] = i < 5 ? 100 * (i + 1) : 1000 + i % 3;
  OK(!trend_of(rate, 40, &change), "grew at the beginning only");
  for (int i = 0; i < 40; i++)
    rate[i] = 1000 + (i * 23 % 41) * 20;
  OK(!trend_of(rate, 40, &change), "noise");
}

static void test_trend_doubt(void)
{
  struct fixture f;

  make(&f);
  trend_start(&f.trend, 0, 0);
  for (uint64_t i = 1; i <= 40; i++)
    trend_note(&f.trend, i * NS_PER_S, i * i * 100);
  OK_STR(codes(&f), "trend! ", "a run that was too short");
  OK(strstr(f.doubts.of[0].text, "growing"), "text");
}

int main(void)
{
  test_client();
  test_samples();
  test_samples_said();
  test_trend();
  test_trend_doubt();
  return TAP_EXIT();
}
