/*
 * test_crowd.c - are all processors at work?  From files that are written here.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/thread.h"
#include "run/crowd.h"
#include "tests/unit/tap.h"

static char root[] = "/tmp/bench-crowd-XXXXXX";
static char file[sizeof(root) + 16];

/* The first processor on which this test may run. */
static int allowed_cpu(void)
{
  cpu_set_t set;

  CPU_ZERO(&set);
  (void)sched_getaffinity(0, sizeof(set), &set);
  for (int i = 0; i < CPUS_MAX; i++) {
    if (CPU_ISSET(i, &set))
      return i;
  }
  return 0;
}

/* A machine with one processor, and its ticks so far. */
struct clock {
  struct crowd crowd;
  uint64_t now_ns;
  unsigned busy, idle, stolen;
};

/* A period passes; then: is it crowded? */
static bool after(struct clock *c, unsigned busy, unsigned idle)
{
  FILE *f = fopen(file, "w");

  MUST(f != NULL);
  c->now_ns += CROWD_PERIOD_NS;
  c->busy += busy;
  c->idle += idle;
  MUST(fprintf(f, "cpu  1 1 1 1 1 1 1 1 0 0\ncpu%d %u 0 0 %u 0 0 0 %u 0 0\n",
               allowed_cpu(), c->busy, c->idle, c->stolen) > 0);
  MUST(fclose(f) == 0);
  return crowd_look(&c->crowd, root, c->now_ns);
}

/* So many periods at work until it is crowded again. */
static unsigned periods_until_crowded(struct clock *c)
{
  unsigned n = 1;

  while (!after(c, 20, 0))
    n++;
  return n;
}

static void test_idle(void)
{
  struct clock c = { .now_ns = 1 };

  OK(!crowd_look(&c.crowd, root, 1), "nothing can be read");
  OK(!after(&c, 100, 1000), "the first reading says nothing");
  OK(after(&c, 20, 0), "all processors are at work");
  OK(after(&c, 96, 4), "a short rest is none");
  OK(!after(&c, 95, 5), "one has been idle");
  c.stolen += 20;
  OK(after(&c, 0, 0), "time that a hypervisor takes is not idle");
  OK(!crowd_look(&c.crowd, "/nonexistent", c.now_ns + CROWD_PERIOD_NS),
     "nothing can be read any more");
}

static void test_patience(void)
{
  struct clock c = { .now_ns = 1 };
  unsigned n = 0;

  (void)after(&c, 1, 1);
  for (int i = 0; i < 5; i++)
    (void)after(&c, 0, 20);
  OK(periods_until_crowded(&c) == 1, "idle times before that do not matter");
  (void)after(&c, 0, 20);
  OK(periods_until_crowded(&c) == 2, "each time it takes longer");
  (void)after(&c, 0, 20);
  (void)after(&c, 0, 20);
  OK(periods_until_crowded(&c) == 4, "twice as long");
  for (int i = 0; i < 10; i++) {
    (void)after(&c, 0, 20);
    n = periods_until_crowded(&c);
  }
  OK(n == CROWD_WAIT_MAX, "but not for ever");
}

static void test_period(void)
{
  struct clock c = { .now_ns = 1 };

  (void)after(&c, 1, 1);
  MUST(after(&c, 20, 0));
  MUST(unlink(file) == 0);
  OK(crowd_look(&c.crowd, root, c.now_ns + CROWD_PERIOD_NS - 1),
     "nothing is read within a period");
  OK(!crowd_look(&c.crowd, root, c.now_ns + CROWD_PERIOD_NS), "then it is");
}

/* ---- several threads ---- */

enum {
  LOOKS = 2000,
};

/* NULL: it was never crowded. */
static void *look_often(void *arg)
{
  struct crowd *c = arg;
  bool crowded = false;

  for (uint64_t i = 1; i <= LOOKS; i++)
    crowded |= crowd_look(c, root, i * CROWD_PERIOD_NS);
  return crowded ? c : NULL;
}

static void test_threads(void)
{
  struct clock c = { .now_ns = 1 };
  void *crowded = NULL;
  pthread_t other;

  (void)after(&c, 1, 1);
  MUST(pthread_create(&other, NULL, look_often, &c.crowd) == 0);
  OK(look_often(&c.crowd) == NULL, "a file that does not change is no work");
  MUST(pthread_join(other, &crowded) == 0);
  OK(crowded == NULL, "for all threads");
}

int main(void)
{
  char folder[sizeof(root) + 8];

  MUST(mkdtemp(root) != NULL);
  (void)snprintf(folder, sizeof(folder), "%s/proc", root);
  (void)snprintf(file, sizeof(file), "%s/proc/stat", root);
  MUST(mkdir(folder, 0700) == 0);
  test_idle();
  test_patience();
  test_period();
  test_threads();
  (void)unlink(file);
  (void)rmdir(folder);
  (void)rmdir(root);
  return TAP_EXIT();
}
