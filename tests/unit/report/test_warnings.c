/*
 * test_warnings.c - when figures are called doubtful, and when not.
 */
#include <math.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "report/form.h"
#include "report/warnings.h"
#include "stats/rand/rng.h"
#include "stats/report.h"
#include "stats/trend.h"
#include "tests/unit/tap.h"
#include "tools/numbers.h"

/* A run without any problem: half of two processors are used. */
struct fixture {
  struct client_use client;
  struct report_setup setup;
  struct report report;
  struct trend trend;
  struct warning_input in;
  struct warnings warnings;
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
  f->report.kind = REPORT_FINAL;
  f->in = (struct warning_input){ .measures_others = true,
                                  .threads = 4,
                                  .clock_cost_ns = 25,
                                  .limit_ns = UINT64_MAX,
                                  .client = &f->client,
                                  .setup = &f->setup,
                                  .report = &f->report,
                                  .trend = &f->trend };
}

/* Returns the codes, each with ! if it is for the terminal too. */
static const char *codes(struct fixture *f)
{
  static char text[512];

  warnings_find(&f->warnings, &f->in);
  text[0] = '\0';
  for (size_t i = 0; i < f->warnings.n; i++) {
    strcat(text, f->warnings.of[i].code);
    strcat(text, f->warnings.of[i].shown ? "! " : " ");
  }
  return text;
}

/* Does the text of the only doubt contain this, and no colon? */
static bool says(const struct fixture *f, const char *text)
{
  const bool found = f->warnings.n == 1 &&
                     strstr(f->warnings.of[0].text, text) &&
                     !strchr(f->warnings.of[0].text, ':');

  if (!found && f->warnings.n > 0)
    printf("# %s\n", f->warnings.of[0].text);
  return found;
}

static void test_client(void)
{
  struct fixture f;

  make(&f);
  OK_STR(codes(&f), "", "nothing is wrong");
  f.client.user_ns = 17 * NS_PER_S;
  OK_STR(codes(&f), "client_cpu! ", "95 % of the processors");
  OK(says(&f, "bench used 95% of the 2 CPUs"), "text");
  f.in.may_carry = true;
  f.in.threads = 16;
  OK(codes(&f) && !strstr(f.warnings.of[0].text, "--clients"),
     "eight threads per processor are not many");
  f.in.threads = 64;
  OK(codes(&f) && says(&f, "several client machines; --threads=2 --clients=64 "
                           "carries 64 clients on 2 threads"),
     "clients for many threads");
  f.in.may_carry = false;
  OK(codes(&f) && !strstr(f.warnings.of[0].text, "--clients"),
     "not for a test without clients");
  f.in.in_process = true;
  OK_STR(codes(&f), "", "as an embedded database should");
  f.in.measures_others = f.in.in_process = false;
  OK_STR(codes(&f), "", "as a benchmark of processors should");

  make(&f);
  f.client.user_ns = 17 * NS_PER_S / 50;
  f.client.system_ns = 2 * NS_PER_S / 50;
  f.client.wall_ns = NS_PER_S / 5;
  OK_STR(codes(&f), "client_cpu! ", "also in a short run");
  f.client.wall_ns--;
  OK_STR(codes(&f), "", "unless it is over at once");

  make(&f);
  f.in.arrivals = 100000;
  f.in.backlog = 1001;
  f.in.rate = 10000;
  f.report.period_ns = 10 * NS_PER_S;
  f.report.events = 98999;
  OK_STR(codes(&f), "backlog! ", "one event in a hundred waits");
  OK(says(&f, "--rate=10000 was not sustained (about 9900/s reached), 1001 of "
              "100000 scheduled events never started; lower --rate"),
     "text");
  OK(says(&f, "or use more --threads"), "what to change");
  f.in.clients = true;
  OK(codes(&f) && says(&f, "or use more --clients"), "clients, if it has them");
  f.in.clients = false;
  f.report.events = 100000;
  OK_STR(codes(&f), "", "more events than that rate has were due by chance");
  f.report.events = 98999;
  f.in.rate = 0;
  f.in.profile = true;
  (void)codes(&f);
  OK(says(&f, "--load-profile was not sustained (about 9900/s reached), 1001 "
              "of 100000 scheduled events never started; lower its rates"),
     "a profile has no one rate");
  f.in.backlog = 1000;
  OK_STR(codes(&f), "", "not more than that");
  f.in.arrivals = 20;
  f.in.backlog = 4;
  OK_STR(codes(&f), "", "one for each thread may");

  make(&f);
  f.in.clock_cost_ns = 900;
  OK_STR(codes(&f), "slow_clock! ", "a clock that is a system call");
}

/* Other programs have used that many of the fixture's two processors. */
static void others(struct fixture *f, double cpus)
{
  struct client_use *c = &f->client;

  c->machine.known = true;
  c->machine.busy_ns = c->user_ns + c->system_ns +
                       (uint64_t)(cpus * (double)c->wall_ns);
}

/*
 * A test of the processors: two threads on two processors, for two seconds, of
 * which they got 40 %.
 */
static void make_disturbed(struct fixture *f)
{
  make(f);
  f->in.measures_others = false;
  f->in.threads = 2;
  f->client.wall_ns = 2 * NS_PER_S;
  f->client.user_ns = 16 * NS_PER_S / 10;
  f->client.system_ns = 0;
  f->client.queue_ns = 24 * NS_PER_S / 10;
  others(f, 1.2);
}

static void test_others(void)
{
  static const struct report_form bandwidth = { .outcome = "the bandwidth is" };
  static const struct report_form times = { .measures_times = true };
  struct fixture f;

  make_disturbed(&f);
  OK_STR(codes(&f), "other_programs! ", "the score is wrong by more than half");
  OK(says(&f, "other programs used 1.2 of the 2 CPUs during the run, so "
              "events per second are about 60 % too low; stop them"),
     "text");
  f.report.form = &bandwidth;
  (void)codes(&f);
  OK(says(&f, "run, so the bandwidth is about 60 % too low"),
     "what is too low");
  f.report.form = &times;
  (void)codes(&f);
  OK(says(&f, "run, so times may be too long; stop them"), "or too long");
  f.report.form = NULL;
  (void)strcpy(f.client.machine.busiest, "cc1");
  (void)codes(&f);
  OK(says(&f, "(the busiest was cc1)"), "who it was");
  f.in.threads = 4;
  f.client.queue_ns += 4 * NS_PER_S;
  OK_STR(codes(&f), "other_programs! ", "more threads");
  OK(says(&f, "about 60 % too low"), "do not change what is missing");
  f.in.rate = 100;
  (void)codes(&f);
  OK(says(&f, "during the run, so latencies are inflated; stop them"),
     "a rate that was asked for is no score");
  f.in.rate = 0;

  others(&f, 0);
  OK_STR(codes(&f), "", "own threads that wait for each other are no reason");
  f.client.machine.known = false;
  OK_STR(codes(&f), "", "without counters of the machine nobody knows");

  make_disturbed(&f);
  f.in.threads = 1;
  f.client.user_ns = 2 * NS_PER_S;
  f.client.queue_ns = 0;
  others(&f, 1);
  OK_STR(codes(&f), "", "others who used a processor that was free");

  make_disturbed(&f);
  f.client.user_ns = 384 * NS_PER_S / 100;
  f.client.queue_ns = 16 * NS_PER_S / 100;
  others(&f, 0.08);
  OK_STR(codes(&f), "", "4 % were lost: that is an idle machine");

  make_disturbed(&f);
  f.client.wall_ns = NS_PER_S / 4;
  f.client.user_ns = 41 * NS_PER_S / 100;
  f.client.queue_ns = 9 * NS_PER_S / 100;
  others(&f, 0.36);
  OK_STR(codes(&f), "", "18 % of a short run, which is nine ticks");

  make_disturbed(&f);
  f.in.is_part = true;
  f.client.machine.sibling_ns = 24 * NS_PER_S / 10;
  OK_STR(codes(&f), "", "other processes of the same run");
}

static void test_shares(void)
{
  struct fixture f;

  make(&f);
  f.in.clients = true;
  f.report.events_mean = 32000;
  f.report.events_stddev = 8200;
  f.report.max_ns = 2986 * NS_PER_MS;
  OK_STR(codes(&f), "unfair! ", "a quarter, and what chance adds");
  OK(says(&f, "clients got unequal shares of the server (events per client "
              "vary by 26% of their mean), so percentiles are those of a few "
              "clients; the longest wait was 2.99 s; use a longer --time"),
     "text: as many threads as clients");
  f.client.loops.threads = 1;
  OK(codes(&f) && says(&f, "use more --threads, or compare with --threads"),
     "one thread on two CPUs");
  f.client.loops.threads = 2;
  OK(codes(&f) && says(&f, "use a longer --time"), "a thread for each CPU");
  f.report.events_stddev = 8000;
  OK_STR(codes(&f), "", "not more than that");
  f.report.events_mean = 4;
  f.report.events_stddev = 2.9;
  OK_STR(codes(&f), "", "few events vary by chance");
  f.report.events_stddev = 3.1;
  OK_STR(codes(&f), "unfair! ", "but not so much");
  f.in.rate = 10;
  OK_STR(codes(&f), "", "with a rate nobody is owed a share");
  f.in.rate = 0;
  f.setup.n_members = 2;
  OK_STR(codes(&f), "", "nor in a mix");
  f.setup.n_members = 0;
  f.report.events_stddev = 0;
  f.report.elapsed_ns = 3000 * NS_PER_MS;
  OK_STR(codes(&f), "unfair! ", "one was not served at all");
  OK(says(&f, "an event took 2.99 s, as long as the run"), "text");
  f.in.clients = false;
  OK_STR(codes(&f), "", "threads are the system's business");
}

/* Rates divide by a time in which no more events could start. */
static void test_tail(void)
{
  struct fixture f;

  make(&f);
  f.in.limit_ns = 2 * NS_PER_S;
  f.report.elapsed_ns = 2890 * NS_PER_MS;
  OK_STR(codes(&f), "long_tail! ", "the last event took long");
  OK(says(&f, "the last event ended 0.89 s after the time limit, and rates "
              "count that time, so they are up to 31% too low"),
     "text");
  f.in.winds_up = true;
  OK_STR(codes(&f), "", "unless that is work of the test");
  f.in.winds_up = false;
  f.report.kind = REPORT_FORCED;
  OK_STR(codes(&f), "", "or an end by force, which has a message");
  f.report.kind = REPORT_FINAL;
  f.report.elapsed_ns = 2051 * NS_PER_MS;
  OK_STR(codes(&f), "long_tail! ", "two percent");
  f.report.elapsed_ns = 2049 * NS_PER_MS;
  OK_STR(codes(&f), "", "a hiccup");
  f.in.limit_ns = 10 * NS_PER_S;
  f.report.elapsed_ns = 10200 * NS_PER_MS;
  OK_STR(codes(&f), "", "less than two percent");
  f.in.limit_ns = UINT64_MAX;
  OK_STR(codes(&f), "", "no limit");
}

/* What a pause explains is not explained by anything else. */
static void test_pause(void)
{
  struct fixture f;

  make_disturbed(&f);
  f.in.rate = 100;
  f.in.arrivals = 1000;
  f.in.backlog = 500;
  f.client.queue_ns = 4 * NS_PER_S;
  others(&f, 1);
  OK_STR(codes(&f), "other_programs! backlog! ", "without one");
  f.client.paused_ns = 1500 * NS_PER_MS;
  OK_STR(codes(&f), "paused! ", "with one");
  OK(says(&f, "bench was suspended for 1.5 s"), "and how long it was");
}

/* Of so many measured events, p99 was 3 ms, and 1 ms without delays. */
static void delayed(struct fixture *f, uint64_t events)
{
  f->client.delays = (struct client_delays){ .events = events,
                                             .p99_ns = 3 * NS_PER_MS,
                                             .rest_p99_ns = NS_PER_MS,
                                             .took_ns = events * NS_PER_MS,
                                             .added_ns = events * 20000 };
}

/* What the client's own machine adds to latencies, and who is to blame. */
static void test_delays(void)
{
  struct fixture f;

  make(&f);
  delayed(&f, 1000);
  others(&f, 0.9);
  (void)strcpy(f.client.machine.busiest, "cc1");
  OK_STR(codes(&f), "other_programs! ", "p99 has tripled");
  OK(says(&f, "waiting for a CPU of this machine raised p99 from 1 to 3 "
              "ms, because other programs used the CPUs (of 2 CPUs, "
              "bench used 1.0, other programs 0.9); stop the other programs "
              "(the busiest was cc1)"),
     "text");
  f.client.delays.p99_ns = 1130 * NS_PER_US;
  OK_STR(codes(&f), "other_programs! ", "13 %");
  f.client.delays.p99_ns = 1110 * NS_PER_US;
  OK_STR(codes(&f), "", "11 % of 1000 events may be chance");
  f.client.delays.events = 1000000;
  OK_STR(codes(&f), "other_programs! ", "of a million it is not");
  f.client.delays.p99_ns = 1090 * NS_PER_US;
  OK_STR(codes(&f), "", "9 % of them do not matter");
  f.client.delays.added_ns = f.client.delays.took_ns / 5;
  OK_STR(codes(&f), "other_programs! ", "a quarter of the mean");
  OK(says(&f, "raised the mean latency by 25%, because other programs"),
     "text");
  f.client.delays.added_ns = 0;
  f.report.sum_ns = 40 * NS_PER_S;
  f.client.queue_ns = 8 * NS_PER_S;
  OK_STR(codes(&f), "other_programs! ", "or a quarter that no sample has hit");
  f.report.sum_ns = 30 * NS_PER_S;
  OK_STR(codes(&f), "", "threads that pause may have waited then");
  delayed(&f, 11);
  OK_STR(codes(&f), "other_programs! ", "few events: a large effect counts");
  delayed(&f, 10);
  OK_STR(codes(&f), "", "unless they are very few");
  f.client.delays.events = 0;
  OK_STR(codes(&f), "", "none was measured");

  make(&f);
  delayed(&f, 1000);
  others(&f, 0.9);
  f.client.machine.server_ns = 8 * NS_PER_S;
  (void)strcpy(f.client.machine.server, "mariadbd");
  OK_STR(codes(&f), "run_queue! ", "a server on the same machine");
  OK(says(&f, "because mariadbd uses the same CPUs (of 2 CPUs, bench used 1.0, "
              "mariadbd 0.8, other programs 0.1); run mariadbd on another "
              "machine or use fewer threads"),
     "text");
  f.in.clients = true;
  OK(codes(&f) && says(&f, "or use fewer clients"), "it is they that are many");

  make(&f);
  delayed(&f, 1000);
  OK_STR(codes(&f), "run_queue! ", "more threads than processors");
  OK(says(&f,
          "because 4 threads share them (of 2 CPUs, bench used 1.0); use no "
          "more than 2 threads"),
     "text");
  f.in.may_carry = true;
  f.in.threads = 17;
  OK(codes(&f) && says(&f, "(of 2 CPUs, bench used 1.0); --threads=2 "
                           "--clients=17 carries 17 clients on 2 threads"),
     "many threads could be clients");
  f.in.threads = 2;
  OK_STR(codes(&f), "run_queue! ", "no cause is known");
  OK(says(&f, "to 3 ms (of 2 CPUs, bench used 1.0); repeat the run"),
     "then it is not named");
  f.client.loops.threads = 1;
  OK_STR(codes(&f), "client_loop! ", "a thread that carries all clients");
  OK(says(&f, "because 1 thread carried all clients (of 2 CPUs, bench used "
              "1.0); use more --threads, or more CPUs"),
     "text");
  f.client.loops.threads = 0;
  f.client.delays.timer_ns = f.client.delays.added_ns;
  OK_STR(codes(&f), "late_wakeups! ", "threads that wake up late");
  OK(says(&f, "bench doctor looks at governor"), "text");
  others(&f, 1.9);
  OK_STR(codes(&f), "other_programs! ",
         "no governor where others were at work");

  make_disturbed(&f);
  delayed(&f, 1000);
  f.in.rate = 100;
  OK_STR(codes(&f), "other_programs! ", "one cause, one doubt");
  others(&f, 0);
  f.client.delays.timer_ns = f.client.delays.added_ns;
  OK_STR(codes(&f), "late_wakeups! ", "also in a test of processors");
  f.client.wall_ns = NS_PER_S / 6;
  OK_STR(codes(&f), "", "unless it is over at once");
}

/* bench has used a tenth of the two CPUs, a server on this machine and other
 * programs the rest; no thread of the run had to wait. */
static void shared(struct fixture *f, double server, double strangers)
{
  make(f);
  f->client.user_ns = 2 * NS_PER_S;
  f->client.system_ns = 0;
  others(f, server + strangers);
  f->client.machine.server_ns = (uint64_t)(server * 10e9);
  (void)strcpy(f->client.machine.server, "mariadbd");
  (void)strcpy(f->client.machine.busiest, "cc1");
}

/* The client is idle: only the server waits for CPUs. */
static void test_starved_server(void)
{
  struct fixture f;

  shared(&f, 0.07, 1.73);
  OK_STR(codes(&f), "other_programs! ", "a server that hardly gets a CPU");
  OK(says(&f, "other programs used 1.7 of the 2 CPUs and none was idle, so "
              "mariadbd had to share them, which inflates latencies; stop them "
              "and repeat the run (the busiest was cc1)"),
     "text");
  shared(&f, 1.4, 0.4);
  OK_STR(codes(&f), "other_programs! ", "a fifth of the CPUs");
  shared(&f, 1.42, 0.38);
  OK_STR(codes(&f), "", "less is no reason");
  shared(&f, 1.8, 0);
  OK_STR(codes(&f), "", "a server may use all CPUs");
  f.client.machine.server_ns -= 5 * NS_PER_S;
  f.client.machine.interrupts_ns = 2 * NS_PER_S;
  OK_STR(codes(&f), "", "interrupts of its packets belong to no program");
  shared(&f, 0.1, 1.58);
  OK_STR(codes(&f), "", "an idle CPU was left");
  shared(&f, 0, 1.8);
  OK_STR(codes(&f), "", "no server was seen on this machine");
  shared(&f, 0.1, 1.7);
  delayed(&f, 1000);
  OK_STR(codes(&f), "other_programs! ", "the client waited too: one warning");
  OK(says(&f, "waiting for a CPU of this machine raised p99"), "the exact one");
}

static void test_quota(void)
{
  struct fixture f;

  make(&f);
  f.client.quota = 1.05;
  OK_STR(codes(&f), "client_quota! ", "95 % of the quota");
  OK(says(&f, "the client may be what was measured"), "text");
  f.client.quota = 1.5;
  OK_STR(codes(&f), "", "two thirds of it");
  f.client.machine.throttled_ns = 2 * NS_PER_S;
  OK_STR(codes(&f), "client_quota! ", "in bursts, and stopped in between");

  make_disturbed(&f);
  f.client.user_ns = NS_PER_S / 2;
  f.client.quota = 0.25;
  others(&f, 0);
  f.client.machine.throttled_ns = 3 * NS_PER_S;
  OK_STR(codes(&f), "client_quota! ", "a score under a quota");
  OK(says(&f, "the control group of bench may use 0.25 of the 2 CPUs and was "
              "stopped for 3.0 s to keep to that, so the figures are those of "
              "the quota"),
     "text");
  f.client.paused_ns = 5 * NS_PER_S;
  OK_STR(codes(&f), "client_quota! ", "it holds the whole process up");
  f.client.paused_ns = 7 * NS_PER_S;
  OK_STR(codes(&f), "paused! ", "but not for twice the time");
  f.client.paused_ns = 0;
  f.in.threads = 1;
  f.client.quota = 1;
  f.client.user_ns = 2 * NS_PER_S;
  f.client.queue_ns = 0;
  OK_STR(codes(&f), "", "one that is as large as the run is no limit");
}

static void test_steal_and_speed(void)
{
  struct fixture f;

  make_disturbed(&f);
  f.client.user_ns = 4 * NS_PER_S;
  f.client.queue_ns = 0;
  others(&f, 0);
  f.client.machine.steal_ns = NS_PER_S;
  OK_STR(codes(&f), "steal! ", "a hypervisor that has given others a fifth");
  OK(says(&f, "0.5 of the 2 CPUs during the run (steal), so events per second "
              "are about 20 % too low"),
     "text");
  f.client.machine.steal_ns = NS_PER_S / 10;
  OK_STR(codes(&f), "", "or 2 %");

  f.client.machine.mhz = 1200;
  f.client.machine.base_mhz = 2600;
  OK_STR(codes(&f), "frequency! ", "slower than guaranteed");
  OK(says(&f, "ran at 1.20 GHz at the end of the run, their base frequency is "
              "2.60 GHz"),
     "text");
  f.client.machine.mhz = 2500;
  OK_STR(codes(&f), "", "nearly as fast");
  f.client.machine.mhz = 800;
  f.client.user_ns = NS_PER_S / 2;
  OK_STR(codes(&f), "", "an idle processor is slow");
  f.client.machine.heat = 3;
  OK_STR(codes(&f), "frequency! ", "heat");
  OK(says(&f, "slowed the CPUs down 3 times during the run, so events per "
              "second are too low"),
     "text");

  make_disturbed(&f);
  others(&f, 0);
  f.client.machine.first_ghz = 3.4;
  f.client.machine.last_ghz = 3.2;
  OK_STR(codes(&f), "", "clocks vary");
  f.client.machine.last_ghz = 2.6;
  OK_STR(codes(&f), "frequency! ", "but not so much");
  OK(says(&f, "slowed down from 3.40 to 2.60 GHz during the run"), "text");
  make(&f);
  f.client.machine.first_ghz = 3.4;
  f.client.machine.last_ghz = 2.6;
  OK_STR(codes(&f), "", "where a server is measured, it is not the client's");
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
  OK(says(&f, "999 events are too few for p99.9, "), "text");
  f.report.events = 10;
  OK_STR(codes(&f), "few_samples! ", "several percentiles are one doubt");
  OK(says(&f, "10 events are too few for p99, p99.9, p95, which is simply the "
              "maximum here; at least 1000 are needed"),
     "text");
  f.setup.percentile = 99;
  (void)codes(&f);
  OK(says(&f, "few for p99, p99.9, which is"), "each of them once");
  f.setup.percentile = 95;
  f.report.events = 999;
  f.in.is_part = true;
  OK_STR(codes(&f), "", "those of one of several processes tell nothing");
  warnings_add_samples(&f.warnings, &f.setup, 1000);
  OK(f.warnings.n == 0, "all of them have enough");
  warnings_add_samples(&f.warnings, &f.setup, 999);
  OK(f.warnings.n == 1 && strstr(f.warnings.of[0].text, "999 events"),
     "or not");
}

/* The names of a hundred percentiles do not fit. */
static void test_samples_many(void)
{
  double pct[100];
  const struct report_setup setup = { .percentiles = pct,
                                      .n_percentiles = 100 };
  struct warnings d = { 0 };

  for (int i = 0; i < 100; i++)
    pct[i] = 99 + i / 200.0;
  warnings_add_samples(&d, &setup, 10);
  OK(d.n == 1 && strstr(d.of[0].text, "p99.02 and others, which is"), "cut");
}

/* The rank is rounded: with less than half an event beyond it, the percentile
 * is the largest latency. */
static void test_samples_said(void)
{
  static const char largest[] = "which is simply the maximum here; at least";
  static const char beyond[] = "beyond which there is less than one event";
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
    struct warnings d = { 0 };

    warnings_add_samples(&d, &setup, row[i].events);
    OK(d.n == 1 && strstr(d.of[0].text, row[i].says), row[i].says);
  }
}

typedef bool find_fn(const struct trend *t, double *ret);

/* Rates per second, `n` of them. */
static bool found_in(find_fn *find, const double *rates, int n, double *ret)
{
  struct trend t;
  double events = 0;

  trend_start(&t, NS_PER_S, 0);
  for (int i = 0; i < n; i++) {
    events += rates[i];
    trend_note(&t, (uint64_t)(i + 2) * NS_PER_S, (uint64_t)events);
  }
  return find(&t, ret);
}

static bool trend_of(const double *rates, int n, double *ret)
{
  return found_in(trend_find, rates, n, ret);
}

static bool apart(const double *rates, int n, double *ret)
{
  return found_in(trend_begins_apart, rates, n, ret);
}

static void test_begin(void)
{
  double rate[128], change = 0;
  struct fixture f;

  for (int i = 0; i < 128; i++)
    rate[i] = 1000 + i % 7;
  OK(!apart(rate, 10, &change) && !apart(rate, 128, &change), "steady");
  for (int i = 0; i < 128; i++)
    rate[i] = 1000 * (1 - 0.6 * exp(-i / 2.0));
  OK(apart(rate, 10, &change) && change < -0.05 && change > -0.3, "cold, 10 s");
  OK(!apart(rate, 8, &change), "too short");
  OK(!apart(rate, 128, &change), "without effect on a long run");
  for (int i = 0; i < 40; i++)
    rate[i] = i < 12 ? 1500 : 1000 + i % 3;
  OK(apart(rate, 40, &change) && change > 0.1, "fast at the beginning");
  make(&f);
  trend_start(&f.trend, 0, 0);
  for (uint64_t i = 1; i <= 12; i++)
    trend_note(&f.trend, i * NS_PER_S, i < 5 ? 100 * i : 400 + 1000 * (i - 4));
  OK_STR(codes(&f), "no_warmup! ", "a cold cache");
  f.in.warms_up = true;
  OK_STR(codes(&f), "", "a warm-up was wanted");
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
  OK(trend_of(rate, 1000, &change) && change > 0.3 && change < 0.5,
     "growing for long");
  for (int i = 0; i < 40; i++)
    rate[i] = 10000 - 200 * i;
  OK(trend_of(rate, 40, &change) && change < -0.1, "falling");
  for (int i = 0; i < 12; i++)
    rate[i] = 952 - 70 * i;
  OK(trend_of(rate, 12, &change) && change < -0.1, "falling for 12 seconds");
  OK(trend_of(rate, 8, &change) && change < -0.1, "eight intervals will do");
  OK(!trend_of(rate, 7, &change), "seven are too few");
  for (int i = 0; i < 40; i++)
    rate[i] = i < 5 ? 100 * (i + 1) : 1000 + i % 3;
  OK(!trend_of(rate, 40, &change), "grew at the beginning only");
  for (int i = 0; i < 40; i++)
    rate[i] = 1000 + (i * 23 % 41) * 20;
  OK(!trend_of(rate, 40, &change), "noise");
}

static double normal(struct rng *rng)
{
  return numbers_normal_quantile(rng_double(rng) * 0.999998 + 1e-6);
}

/*
 * Makes that many runs without a trend, whose noise has this standard deviation
 * and correlation from second to second.  Returns how many seem to have a
 * trend.
 */
static unsigned false_alarms(find_fn *find, int n, double noise, double memory,
                             unsigned runs)
{
  double rate[128], change;
  unsigned alarms = 0;
  struct rng rng;

  rng_seed(&rng, 11, RNG_INTERNAL, (uint64_t)n);
  for (unsigned i = 0; i < runs; i++) {
    double x = normal(&rng);

    for (int t = 0; t < n; t++) {
      rate[t] = 10000 * fmax(0.01, 1 + noise * x);
      x = memory * x + sqrt(1 - memory * memory) * normal(&rng);
    }
    alarms += found_in(find, rate, n, &change);
  }
  return alarms;
}

static void test_trend_false_alarms(void)
{
  static const int seconds[] = { 8, 9, 12, 16, 20, 40, 100 };
  static const double noises[] = { 0.03, 0.1, 0.3 };

  for (size_t i = 0; i < ARRAY_SIZE(seconds); i++) {
    for (size_t k = 0; k < ARRAY_SIZE(noises); k++) {
      const unsigned white = false_alarms(trend_find, seconds[i], noises[k], 0,
                                          2000);
      const unsigned slow = false_alarms(trend_find, seconds[i], noises[k], 0.5,
                                         2000);
      const unsigned begin = false_alarms(trend_begins_apart, seconds[i],
                                          noises[k], 0.5, 2000);

      printf("# %d s, noise of %.0f %%: %u, %u of 2000\n", seconds[i],
             100 * noises[k], white, slow);
      OK(white <= 20, "at most 1 of 100 runs without a trend");
      OK(slow <= 60, "3 if their noise lasts");
      OK(begin <= 20, "at most 1 of 100 with another beginning");
    }
  }
}

static void test_trend_doubt(void)
{
  struct fixture f;

  make(&f);
  trend_start(&f.trend, 0, 0);
  for (uint64_t i = 1; i <= 40; i++)
    trend_note(&f.trend, i * NS_PER_S, i * i * 100);
  OK_STR(codes(&f), "trend! ", "a run that was too short");
  OK(strstr(f.warnings.of[0].text, "growing"), "text");
}

int main(void)
{
  test_client();
  test_others();
  test_pause();
  test_delays();
  test_starved_server();
  test_tail();
  test_shares();
  test_quota();
  test_steal_and_speed();
  test_samples();
  test_samples_many();
  test_samples_said();
  test_begin();
  test_trend();
  test_trend_false_alarms();
  test_trend_doubt();
  return TAP_EXIT();
}
