/*
 * test_crowd.c - in which way do loops await their answers?  From files that
 * are written here.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "run/crowd.h"
#include "tests/unit/run/machine_rig.h"
#include "tests/unit/tap.h"

#define TICK_NS (10 * NS_PER_MS)

static char root[] = "/tmp/bench-crowd-XXXXXX";
static char file[sizeof(root) + 16];

/* A machine with one processor, its ticks so far, and what its server has
 * answered. */
struct clock {
  struct crowd crowd;
  uint64_t now_ns;
  uint64_t busy, idle, stolen;
  struct crowd_work work;
};

/* Answers in a millisecond, by way, and what each costs the clients. */
struct speed {
  unsigned of[LOOP_WAYS];
  unsigned cost_ns[LOOP_WAYS];
};

#define SAME_COST    \
  {                  \
    1000, 1000, 1000 \
  }

static const struct speed even = { { 100, 100, 100 }, SAME_COST };
static const struct speed few = { { 4, 5, 7 }, SAME_COST };

static struct crowd_work work_of(const void *ctx)
{
  const struct clock *c = ctx;

  return c->work;
}

static enum loop_way look(struct clock *c, const char *below)
{
  return crowd_look(&c->crowd, below, c->now_ns, work_of, c);
}

static enum loop_way way_of(struct clock *c)
{
  return (enum loop_way)atomic_load(&c->crowd.way);
}

static void write_times(const struct clock *c)
{
  FILE *f = fopen(file, "w");

  MUST(f != NULL);
  MUST(fprintf(f, "cpu  1 1 1 1 1 1 1 1 0 0\ncpu%d %lu 0 0 %lu 0 0 0 %lu 0 0\n",
               allowed_cpu(), (unsigned long)c->busy, (unsigned long)c->idle,
               (unsigned long)c->stolen) > 0);
  MUST(fclose(f) == 0);
}

/* The time until the next step passes; it is added to *spent. */
static enum loop_way pass(struct clock *c, const struct speed *s,
                          uint64_t *spent)
{
  const uint64_t ns = atomic_load(&c->crowd.due_ns) - c->now_ns;
  const uint64_t answers = ns / NS_PER_MS * s->of[way_of(c)];

  c->now_ns += ns;
  *spent += ns / TICK_NS;
  c->work.answers += answers;
  c->work.spent_ns += answers * s->cost_ns[way_of(c)];
  write_times(c);
  return look(c, root);
}

/* A period without an idle processor. */
static enum loop_way work(struct clock *c)
{
  return pass(c, &even, &c->busy);
}

static enum loop_way rest(struct clock *c)
{
  return pass(c, &even, &c->idle);
}

static bool tries(const struct clock *c)
{
  return c->crowd.phase != CROWD_PERIOD;
}

/* The first reading, and a period until the first trial. */
static struct clock *meet(struct clock *c, enum loop_way first)
{
  *c = (struct clock){ .now_ns = 1 };
  crowd_init(&c->crowd, 1, first, c->now_ns);
  write_times(c);
  MUST(look(c, root) == first && !tries(c));
  (void)work(c);
  MUST(tries(c));
  return c;
}

/* The whole trial. */
static enum loop_way try_all(struct clock *c, const struct speed *s)
{
  while (tries(c))
    (void)pass(c, s, &c->busy);
  return way_of(c);
}

static enum loop_way found(enum loop_way first, struct speed s)
{
  struct clock c;

  return try_all(meet(&c, first), &s);
}

/* So many periods until the next trial. */
static unsigned periods(struct clock *c)
{
  unsigned n = 0;

  for (; !tries(c); n++)
    (void)work(c);
  return n;
}

/* ---- when ---- */

static void test_idle(void)
{
  struct clock c = { .now_ns = 1 };

  crowd_init(&c.crowd, 1, LOOP_AT_ONCE, c.now_ns);
  OK(look(&c, root) == LOOP_AT_ONCE, "nothing can be read");
  c.now_ns += CROWD_PERIOD_NS;
  write_times(&c);
  OK(look(&c, root) == LOOP_AT_ONCE && !tries(&c),
     "the first reading says nothing");
  OK(rest(&c) == LOOP_AT_ONCE && !tries(&c), "a processor has been idle");
  c.idle += 2;
  OK(work(&c) == LOOP_AT_ONCE && !tries(&c), "or was for a part of the time");
  OK(pass(&c, &even, &c.stolen) == LOOP_AT_ONCE && tries(&c),
     "time that a hypervisor takes is not idle: a trial");
  MUST(work(&c) == LOOP_AT_ONCE && work(&c) == LOOP_TOGETHER);
  c.now_ns += CROWD_PERIOD_NS;
  OK(look(&c, "/nonexistent") == LOOP_AT_ONCE && !tries(&c),
     "nothing can be read any more");
}

static void test_idle_later(void)
{
  struct clock c;

  MUST(try_all(meet(&c, LOOP_AT_ONCE), &even) == LOOP_GATHERED);
  OK(rest(&c) == LOOP_AT_ONCE && !tries(&c),
     "what was found does not hold while a processor is idle");
  OK(work(&c) == LOOP_GATHERED && !tries(&c), "and holds again later");
  (void)meet(&c, LOOP_AT_ONCE);
  while (tries(&c))
    (void)pass(&c, &even, way_of(&c) == LOOP_TOGETHER ? &c.idle : &c.busy);
  OK(way_of(&c) == LOOP_AT_ONCE, "one was idle in the trial");
}

static void test_period(void)
{
  struct clock c;
  unsigned n = 0;

  MUST(try_all(meet(&c, LOOP_AT_ONCE), &even) == LOOP_GATHERED);
  OK(periods(&c) == CROWD_KEEP + 1, "it is kept for some time");
  (void)try_all(&c, &few);
  OK(periods(&c) == CROWD_SOON + 1, "and for less if that means nothing");
  (void)try_all(&c, &even);
  OK(periods(&c) == 2 * CROWD_KEEP + 1, "then for longer");
  for (int i = 0; i < 5; i++) {
    (void)try_all(&c, &even);
    n = periods(&c);
  }
  OK(n == CROWD_KEEP_MAX + 1, "but not for ever");
  (void)try_all(&c, &even);
  MUST(unlink(file) == 0);
  c.now_ns += CROWD_PERIOD_NS - 1;
  OK(look(&c, root) == LOOP_GATHERED, "nothing is read within a period");
  c.now_ns++;
  OK(look(&c, root) == LOOP_AT_ONCE, "then it is");
}

/* ---- which ---- */

/* All ways cost the same. */
static enum loop_way quickest(enum loop_way first, unsigned at_once,
                              unsigned together, unsigned gathered)
{
  return found(first,
               (struct speed){ { at_once, together, gathered }, SAME_COST });
}

static void test_best(void)
{
  OK(quickest(LOOP_AT_ONCE, 100, 85, 85) == LOOP_AT_ONCE &&
       quickest(LOOP_AT_ONCE, 85, 100, 85) == LOOP_TOGETHER &&
       quickest(LOOP_AT_ONCE, 85, 85, 100) == LOOP_GATHERED,
     "the one with most answers");
  OK(quickest(LOOP_AT_ONCE, 100, 87, 85) == LOOP_TOGETHER &&
       quickest(LOOP_AT_ONCE, 100, 86, 85) == LOOP_AT_ONCE &&
       quickest(LOOP_AT_ONCE, 100, 87, 87) == LOOP_GATHERED,
     "of those that are as good, the last one");
  OK(quickest(LOOP_TOGETHER, 110, 100, 85) == LOOP_TOGETHER &&
       quickest(LOOP_TOGETHER, 110, 85, 100) == LOOP_GATHERED,
     "the first one may be impossible");
  OK(quickest(LOOP_AT_ONCE, 4, 5, 7) == LOOP_AT_ONCE &&
       quickest(LOOP_AT_ONCE, 5, 5, 7) == LOOP_GATHERED,
     "too few answers tell nothing");
}

/* An answer takes 10 us of the processor by the first way, and 11.8 us by the
 * second one; they cost the clients that much of it. */
static enum loop_way found_for(unsigned first_ns, unsigned second_ns)
{
  return found(LOOP_AT_ONCE,
               (struct speed){ { 100, 85, 50 }, { first_ns, second_ns, 0 } });
}

static void test_cheapest(void)
{
  OK(found_for(5000, 5400) == LOOP_AT_ONCE &&
       found_for(5000, 5350) == LOOP_TOGETHER,
     "what the clients spend counts twice");
  OK(found_for(100, 10) == LOOP_AT_ONCE, "but not if that is next to nothing");
  OK(found(LOOP_AT_ONCE,
           (struct speed){ { 60, 100, 60 }, { 2000, 4000, 2000 } }) ==
       LOOP_TOGETHER,
     "many more answers may cost twice as much");
}

/* The ways of the turns of a trial, as digits. */
static const char *turns_of(struct speed s)
{
  static char text[CROWD_ROUNDS * LOOP_WAYS + 1];
  struct clock c;
  size_t n = 0;

  (void)meet(&c, LOOP_AT_ONCE);
  while (tries(&c)) {
    if (c.crowd.phase == CROWD_TURN && n < sizeof(text) - 1)
      text[n++] = (char)('0' + way_of(&c));
    (void)pass(&c, &s, &c.busy);
  }
  text[n] = '\0';
  return text;
}

static void test_turns(void)
{
  OK_STR(turns_of(even), "012210012210",
         "they take turns, forwards and backwards");
  OK_STR(turns_of((struct speed){ { 100, 81, 82 }, SAME_COST }), "0122100220",
         "but for those that lose by far");
  OK_STR(turns_of((struct speed){ { 100, 100, 100 }, { 4000, 4000, 1000 } }),
         "012210", "and that may be all others");
  OK_STR(turns_of((struct speed){ { 10, 10, 13 }, SAME_COST }), "012210012210",
         "if there are enough answers to tell");
}

/* What comes in the time of a change counts for none. */
static void test_change(void)
{
  struct clock c;

  (void)meet(&c, LOOP_AT_ONCE);
  for (unsigned n = 0; tries(&c); n++) {
    const struct speed s = n % 2 == 0 ? (struct speed){ { 0, 100000, 0 } }
                                      : (struct speed){ { 100, 10, 10 } };

    (void)pass(&c, &s, &c.busy);
  }
  OK(way_of(&c) == LOOP_AT_ONCE, "answers to requests of the way before");
}

/* In the turns of the second way whose bits are set, all stands still for some
 * time; or more answers come than it can bring. */
static enum loop_way found_with(unsigned stalls, unsigned bursts)
{
  static const struct speed s = { { 85, 100, 85 }, SAME_COST };
  static const struct speed burst = { { 85, 300, 85 }, SAME_COST };
  struct clock c;
  unsigned turn = 1;

  (void)meet(&c, LOOP_AT_ONCE);
  while (tries(&c)) {
    const bool counts = c.crowd.phase == CROWD_TURN &&
                        way_of(&c) == LOOP_TOGETHER;

    if (counts && (stalls & turn)) {
      c.now_ns += 10 * CROWD_TURN_NS;
      write_times(&c);
      (void)look(&c, root);
    } else {
      (void)pass(&c, counts && (bursts & turn) ? &burst : &s, &c.busy);
    }
    turn <<= counts;
  }
  return way_of(&c);
}

static void test_odd_turns(void)
{
  MUST(found_with(0, 0) == LOOP_TOGETHER);
  OK(found_with(1 << 0, 0) == LOOP_TOGETHER &&
       found_with(1 << 3, 0) == LOOP_TOGETHER,
     "a turn in which all stands still does not count");
  OK(found_with(1 << 0 | 1 << 1, 0) != LOOP_TOGETHER,
     "but if that happens in each of the first ones, the way has lost");
  OK(found_with(1 << 0 | 1 << 3, 1 << 2) != LOOP_TOGETHER,
     "nor does one with far more answers than others");
}

/* Periods until another way is kept, up to that of the next trial. */
static unsigned periods_of(struct clock *c, const struct speed *s)
{
  const enum loop_way kept = way_of(c);
  unsigned n = 0;

  while (!tries(c) && way_of(c) == kept && n < CROWD_KEEP) {
    (void)pass(c, s, &c->busy);
    n++;
  }
  return n;
}

/* At once is the best in the trial, then together. */
static struct clock *meet_second(struct clock *c)
{
  static const struct speed s = { { 120, 100, 90 }, SAME_COST };

  MUST(try_all(meet(c, LOOP_AT_ONCE), &s) == LOOP_AT_ONCE);
  return c;
}

static void test_second(void)
{
  static const struct speed as_good = { { 100, 100, 100 }, SAME_COST };
  static const struct speed worse = { { 99, 50, 50 }, SAME_COST };
  static const struct speed none = { { 0, 0, 0 }, SAME_COST };
  static const struct speed dearer = { { 100, 50, 50 }, { 1200, 0, 0 } };
  struct clock c;

  OK(periods_of(meet_second(&c), &as_good) == CROWD_KEEP,
     "the best one is kept while it is as good as the second one was");
  OK(periods_of(meet_second(&c), &worse) == CROWD_BEHIND &&
       way_of(&c) == LOOP_TOGETHER,
     "if it is worse for some time, that takes its place");
  OK(periods_of(&c, &worse) == CROWD_KEEP + 1 - CROWD_BEHIND && tries(&c),
     "until the next trial");
  OK(periods_of(meet_second(&c), &dearer) == CROWD_BEHIND,
     "so it is if it costs the clients more");
  for (int i = 0; i < 2 * CROWD_BEHIND; i++)
    (void)pass(meet_second(&c), i % CROWD_BEHIND == 0 ? &as_good : &worse,
               &c.busy);
  OK(way_of(&c) == LOOP_AT_ONCE, "but not for a moment");
  (void)try_all(meet(&c, LOOP_AT_ONCE), &even);
  OK(way_of(&c) == LOOP_GATHERED && periods_of(&c, &worse) == CROWD_KEEP,
     "the last way has no second one");
  (void)try_all(meet(&c, LOOP_AT_ONCE), &few);
  for (int i = 0; i < CROWD_BEHIND; i++)
    (void)pass(&c, &none, &c.busy);
  OK(way_of(&c) == LOOP_AT_ONCE && !tries(&c),
     "nor has one that was kept because too few answers came");
}

static void test_used(void)
{
  static const struct speed s = { { 100, 80, 80 }, SAME_COST };
  const uint64_t turn_ns = CROWD_CHANGE_NS + CROWD_TURN_NS;
  uint64_t ns[LOOP_WAYS];
  struct clock c;

  MUST(try_all(meet(&c, LOOP_AT_ONCE), &s) == LOOP_AT_ONCE);
  crowd_used(&c.crowd, c.now_ns + 5, ns);
  OK(ns[LOOP_TOGETHER] == CROWD_FIRST * turn_ns &&
       ns[LOOP_GATHERED] == CROWD_FIRST * turn_ns,
     "how long each was used");
  OK(ns[LOOP_AT_ONCE] == CROWD_PERIOD_NS + CROWD_FIRST * turn_ns + 5,
     "until now");
}

/* ---- several threads ---- */

enum {
  LOOKS = 2000,
};

/* NULL: it was always the first one. */
static void *look_often(void *arg)
{
  struct clock *c = arg;
  bool other = false;

  for (uint64_t i = 1; i <= LOOKS; i++)
    other |= crowd_look(&c->crowd, root, i * CROWD_PERIOD_NS, work_of, c) !=
             LOOP_AT_ONCE;
  return other ? c : NULL;
}

static void test_threads(void)
{
  struct clock c = { .now_ns = 1 };
  void *one = NULL;
  pthread_t thread;

  crowd_init(&c.crowd, 1, LOOP_AT_ONCE, c.now_ns);
  write_times(&c);
  MUST(pthread_create(&thread, NULL, look_often, &c) == 0);
  OK(look_often(&c) == NULL, "a file that does not change is no work");
  MUST(pthread_join(thread, &one) == 0);
  OK(one == NULL, "for all threads");
}

int main(void)
{
  char folder[sizeof(root) + 8];

  MUST(mkdtemp(root) != NULL);
  (void)snprintf(folder, sizeof(folder), "%s/proc", root);
  (void)snprintf(file, sizeof(file), "%s/proc/stat", root);
  MUST(mkdir(folder, 0700) == 0);
  test_idle();
  test_idle_later();
  test_period();
  test_best();
  test_cheapest();
  test_turns();
  test_change();
  test_odd_turns();
  test_second();
  test_used();
  test_threads();
  (void)unlink(file);
  (void)rmdir(folder);
  (void)rmdir(root);
  return TAP_EXIT();
}
