/*
 * test_load_curve.c - profiles: what is read, integrals and their inverses, and
 * arrivals that follow them.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "run/load_curve.h"
#include "run/schedule.h"
#include "tests/unit/tap.h"

#define S 1e9

static struct load_curve *parse(const char *text)
{
  struct load_curve *c = NULL;
  struct err err = { "" };

  if (load_curve_parse(&c, text, &err) < 0)
    printf("# %s: %s\n", text, err.text);
  MUST(c);
  return c;
}

static struct load_curve *points(const char *text)
{
  struct load_curve *c = NULL;
  struct err err = { "" };

  MUST(load_curve_points(&c, text, &err) == 0);
  return c;
}

/* Every kind of segment, alone and among others. */
static const char *const profiles[] = {
  "100x60s",
  "1000",
  "ramp:10..2000x30s",
  "ramp:2000..0x30s",
  "ramp:0..500x20s",
  "spike:100..3000x5s/20s",
  "200x10s,spike:3000x500ms/10s*3",
  "sine:1000+-50%/20s",
  "sine:300+-100%/7s*2",
  "sine:500+-200/3s",
  "100x5s,0x5s,ramp:100..1000x10s,spike:2000x1s/5s,sine:400+-90%/5s,50x1s",
  "ramp:100..1000x10s,700",
};

enum {
  PROFILES = sizeof(profiles) / sizeof(profiles[0])
};

static double count(const struct load_curve *c, double from_s, double until_s)
{
  struct load_place start = { 0 };

  return load_curve_count(c, &start, until_s * S) -
         load_curve_count(c, &start, from_s * S);
}

static bool near(double a, double b)
{
  return fabs(a - b) <= 1e-6 * fmax(1, fabs(b));
}

/* Integrals that a person can work out. */
static void test_integrals(void)
{
  struct load_curve *c = parse("100x60s");

  OK(near(count(c, 0, 1), 100) && near(count(c, 0, 90), 9000),
     "a rate, which goes on");
  load_curve_free(c);
  c = parse("ramp:10..200x10s");
  OK(near(count(c, 0, 10), 1050) && near(count(c, 0, 5), 287.5) &&
       near(count(c, 10, 15), 287.5),
     "a ramp, and again from its start");
  load_curve_free(c);
  c = parse("ramp:0..100x10s,100");
  OK(near(count(c, 0, 10), 500) && near(count(c, 10, 1010), 100000),
     "a last rate without a time");
  load_curve_free(c);
  c = parse("100x10s,spike:5000x5s/60s*2");
  OK(near(count(c, 10, 15), 25000) && near(count(c, 15, 70), 5500) &&
       near(count(c, 70, 130), 30500) && near(count(c, 130, 140), 1000),
     "spikes over the rate before them, twice, and the profile again");
  load_curve_free(c);
  c = parse("ramp:0..300x10s,spike:700..5000x1s/2s");
  OK(near(count(c, 10, 12), 5700), "a spike with a base of its own");
  load_curve_free(c);
  c = parse("sine:1000+-50%/20m");
  OK(near(count(c, 0, 1200), 1200000) &&
       near(count(c, 0, 600), 600000 + 500 * 1200 / M_PI) &&
       near(count(c, 300, 300.001), 1.5) && near(count(c, 900, 900.001), 0.5),
     "a wave that begins at its mean and goes up first");
  load_curve_free(c);
  c = points("time,rate\n# a day\n1700000000,10\r\n\n1700000010, 30\n"
             "1700000010,100\n1700000020,100\n");
  OK(near(load_curve_length_s(c), 20) && near(count(c, 0, 10), 200) &&
       near(count(c, 10, 20), 1000) && near(count(c, 20, 30), 200),
     "points of a file, with a step");
  load_curve_free(c);
}

/* The inverse of the integral, from many places, is the moment again. */
static void test_inverse(const char *text)
{
  struct load_curve *c = parse(text);
  struct load_place from = { 0 };
  double worst = 0;
  int checked = 0;

  for (int i = 0; i < 200; i++) {
    for (int k = 1; k < 100; k += 7) {
      const double at_ns = from.at_ns + (double)k * k * 0.05 * S + k;
      const double n = load_curve_count(c, &from, at_ns);
      const double next = load_curve_count(c, &from, at_ns + 1e6);
      struct load_place place = from;

      load_curve_advance(c, &place, n);
      /* Where the rate is nearly 0, many moments have the same integral. */
      if (next - n < 1e-3)
        continue;
      worst = fmax(worst, fabs(place.at_ns - at_ns));
      checked++;
    }
    load_curve_advance(c, &from, 13.7);
  }
  OK(checked > 1000 && worst < 100, text);
  printf("# %d moments, at most %.3g ns off\n", checked, worst);
  load_curve_free(c);
}

/* Many repetitions at once are as exact as one. */
static void test_far(void)
{
  struct load_curve *c = parse("ramp:0..100x10s,0x1s");
  struct load_place place = { 0 }, late = { 0 };

  load_curve_advance(c, &place, 500.0 * 86400 + 125);
  OK(fabs(place.at_ns / S - (11.0 * 86400 + 5)) < 1e-3, "a far moment");
  OK(near(load_curve_count(c, &late, place.at_ns), 500.0 * 86400 + 125),
     "and the number until then");
  load_curve_free(c);
}

enum {
  SECONDS = 60,
  RUNS = 20
};

/*
 * Arrivals of each second against the integral: sum((n - e)^2 / e), the seeds
 * are fixed.  Seconds without load have none.  The limit is four standard
 * deviations of the distribution above its mean, in both directions: too even
 * is as wrong as too uneven.
 */
static void test_arrivals(const char *text, uint64_t lead_ns)
{
  struct load_curve *c = parse(text);
  double chi = 0, n = 0;
  bool silent = true;

  for (uint64_t seed = 1; seed <= RUNS; seed++) {
    double seen[SECONDS] = { 0 };
    struct schedule *s;
    struct err err;

    MUST(schedule_new_curve(&s, c, lead_ns, seed, 0, 1, &err) == 0);
    schedule_start(s, 1000, UINT64_MAX, UINT64_MAX);
    for (;;) {
      const uint64_t due = schedule_take(s, 0) - 1000;

      if (due < lead_ns)
        continue;
      if ((due - lead_ns) / 1000000000 >= SECONDS)
        break;
      seen[(due - lead_ns) / 1000000000]++;
    }
    schedule_free(s);
    for (int i = 0; i < SECONDS; i++) {
      const double e = count(c, i, i + 1);

      if (e < 5) {
        silent = silent && seen[i] <= 25;
        continue;
      }
      chi += (seen[i] - e) * (seen[i] - e) / e;
      n++;
    }
  }
  OK(silent && n > 0 && fabs(chi - n) < 4 * sqrt(2 * n), text);
  printf("# chi-square %.1f of %.0f\n", chi, n);
  load_curve_free(c);
}

/* The test above must see arrivals that follow another curve. */
static void test_wrong_arrivals(void)
{
  struct load_curve *c = parse("ramp:10..2000x30s");
  double seen[SECONDS] = { 0 }, chi = 0;
  struct schedule *s;
  struct err err;

  MUST(schedule_new(&s, 1005, 1, 0, &err) == 0);
  schedule_start(s, 0, UINT64_MAX, UINT64_MAX);
  for (uint64_t due;
       (due = schedule_take(s, 0)) < SECONDS * UINT64_C(1000000000);)
    seen[due / 1000000000]++;
  schedule_free(s);
  for (int i = 0; i < SECONDS; i++)
    chi += pow(seen[i] - count(c, i, i + 1), 2) / count(c, i, i + 1);
  OK(chi > 100 * SECONDS, "the mean rate is not mistaken for the ramp");
  load_curve_free(c);
}

/* A profile whose rate never changes is --rate. */
static void test_constant(void)
{
  static const char *const same[] = { "333", "333x10s", "333x1s,333x2s*3" };

  for (int k = 0; k < 3; k++) {
    struct load_curve *c = parse(same[k]);
    struct schedule *a, *b;
    struct err err;
    int equal = 0;

    MUST(schedule_new(&a, 333.0 / 2, 7, 1, &err) == 0);
    MUST(schedule_new_curve(&b, c, 3000, 7, 1, 2, &err) == 0);
    schedule_start(a, 50, UINT64_MAX, UINT64_MAX);
    schedule_start(b, 50, UINT64_MAX, UINT64_MAX);
    for (int i = 0; i < 5000; i++)
      equal += schedule_take(a, 0) == schedule_take(b, 0);
    OK(equal == 5000, same[k]);
    schedule_free(a), schedule_free(b);
    load_curve_free(c);
  }
}

/* Arrivals until a moment, of one schedule or of several parts. */
static uint64_t arrivals(const struct load_curve *c, unsigned parts,
                         uint64_t until_ns)
{
  uint64_t n = 0;

  for (unsigned part = 0; part < parts; part++) {
    struct schedule *s;
    struct err err;

    MUST(schedule_new_curve(&s, c, 0, 3, part, parts, &err) == 0);
    schedule_start(s, 0, UINT64_MAX, UINT64_MAX);
    schedule_measure(s, 0);
    (void)schedule_waiting(s, until_ns);
    n += schedule_arrivals(s);
    schedule_free(s);
  }
  return n;
}

static void test_parts(void)
{
  struct load_curve *c = parse("ramp:0..4000x10s,sine:2000+-50%/10s");
  const uint64_t n = arrivals(c, 4, UINT64_C(20000000000));

  OK(fabs((double)n - 40000) < 4 * 200, "the sum of the parts is the profile");
  load_curve_free(c);
}

/* Nobody takes them: they are counted, not drawn. */
static void test_hopeless(void)
{
  struct load_curve *c = parse("ramp:0..1000000000x1h");
  const uint64_t n = arrivals(c, 1, UINT64_C(3600000000000));

  OK(fabs((double)n / 1.8e12 - 1) < 1e-4, "a hopeless load takes no time");
  load_curve_free(c);
}

static void test_lead(void)
{
  struct load_curve *c = parse("ramp:100..1000x10s"), *share;
  struct load_place start = { 0 };
  struct err err;

  MUST(load_curve_share(&share, c, 4 * S, 2, &err) == 0);
  OK(near(load_curve_count(share, &start, 4 * S), 200) &&
       near(load_curve_count(share, &start, 14 * S), 200 + 2750) &&
       near(load_curve_count(share, &start, 24 * S), 200 + 5500),
     "a warm-up has the first rate, once");
  load_curve_free(share);
  load_curve_free(c);
}

/* The shares of a whole wave would be right without their swing. */
static void test_share_of_wave(void)
{
  struct load_curve *c = parse("sine:1000+-50%/20m"), *share;
  struct load_place start = { 0 };
  struct err err;

  MUST(load_curve_share(&share, c, 0, 4, &err) == 0);
  OK(near(load_curve_count(share, &start, 600 * S),
          (600000 + 500 * 1200 / M_PI) / 4),
     "a share of a wave goes up and down with it");
  load_curve_free(share);
  load_curve_free(c);
}

static void refuse(bool file, const char *text, const char *why)
{
  struct load_curve *c = NULL;
  struct err err = { "" };
  int rc = file ? load_curve_points(&c, text, &err)
                : load_curve_parse(&c, text, &err);

  OK(rc == -22 && !c && strstr(err.text, why), file ? why : text);
  if (!strstr(err.text, why))
    printf("# %s\n", err.text);
}

static void test_refused(void)
{
  static const char *const bad[][2] = {
    { "", "RATExTIME" },
    { "x10s", "RATExTIME" },
    { "100x", "RATExTIME" },
    { "-1x10s", "RATExTIME" },
    { "1e10x10s", "RATExTIME" },
    { "nanx10s", "RATExTIME" },
    { "100x0s", "RATExTIME" },
    { "100x10d", "RATExTIME" },
    { "100,200x10s", "TIME for each" },
    { "100x10s,", "RATExTIME" },
    { "100x10s*0", "*N" },
    { "100*2", "before *N" },
    { "0", "TIME for a rate of 0" },
    { "0x10s", "above 0" },
    { "ramp:10-20x5s", "ramp:FROM..TOxTIME" },
    { "ramp:10..20", "ramp:FROM..TOxTIME" },
    { "spike:100x5s/60s", "spike:BASE" },
    { "1x1s,spike:100x60s/60s", "spike:BASE" },
    { "1x1s,spike:100x5s", "spike:BASE" },
    { "sine:100+-101%/10s", "sine:MEAN" },
    { "sine:100+-50%", "sine:MEAN" },
    { "sine:1e9+-1/10s", "sine:MEAN" },
    { "step:100x10s", "RATExTIME, ramp:" },
    { "1x4294967295s,1x1s", "4294967295 seconds" },
    { "1x1ms*1000000,1x1s", "1000000 segments" },
  };
  static const char *const bad_files[][2] = {
    { "", "two lines" },           { "0,1\n", "two lines" },
    { "0,1\n0,2\n", "two lines" }, { "time,rate\n0,1\n5;2\n", "line 3" },
    { "0,1\n5,x\n", "line 2" },    { "0,1\n5,2\n4,2\n", "line 3" },
    { "0,0\n5,0\n", "above 0" },   { "0,-1\n5,0\n", "line 1" },
  };

  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
    refuse(false, bad[i][0], bad[i][1]);
  for (size_t i = 0; i < sizeof(bad_files) / sizeof(bad_files[0]); i++)
    refuse(true, bad_files[i][0], bad_files[i][1]);
}

int main(void)
{
  test_integrals();
  for (int i = 0; i < PROFILES; i++)
    test_inverse(profiles[i]);
  test_far();
  for (int i = 0; i < PROFILES; i++)
    test_arrivals(profiles[i], i % 2 ? 2500000000 : 0);
  test_wrong_arrivals();
  test_constant();
  test_parts();
  test_share_of_wave();
  test_hopeless();
  test_lead();
  test_refused();
  return TAP_EXIT();
}
