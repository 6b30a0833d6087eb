/*
 * test_crowd.c - may loops sleep for several answers?  From files that are
 * written here.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/crowd.h"
#include "tests/unit/run/machine_rig.h"
#include "tests/unit/tap.h"

static char root[] = "/tmp/bench-crowd-XXXXXX";
static char file[sizeof(root) + 16];

/* A machine with one processor, its ticks so far, and what its server has
 * answered. */
struct clock {
  struct crowd crowd;
  uint64_t now_ns;
  unsigned busy, idle, stolen;
  uint64_t answers;
};

static uint64_t answers_of(const void *ctx)
{
  const struct clock *c = ctx;

  return c->answers;
}

static bool look(struct clock *c, const char *below)
{
  return crowd_look(&c->crowd, below, c->now_ns, answers_of, c);
}

static void write_times(const struct clock *c)
{
  FILE *f = fopen(file, "w");

  MUST(f != NULL);
  MUST(fprintf(f, "cpu  1 1 1 1 1 1 1 1 0 0\ncpu%d %u 0 0 %u 0 0 0 %u 0 0\n",
               allowed_cpu(), c->busy, c->idle, c->stolen) > 0);
  MUST(fclose(f) == 0);
}

/* A period passes, with so many ticks and answers; then: is it allowed? */
static bool after(struct clock *c, unsigned busy, unsigned idle,
                  unsigned answers)
{
  c->now_ns += CROWD_PERIOD_NS;
  c->busy += busy;
  c->idle += idle;
  c->answers += answers;
  write_times(c);
  return look(c, root);
}

/* A period without an idle processor. */
static bool worked(struct clock *c, unsigned answers)
{
  return after(c, 20, 0, answers);
}

/* So many periods until it is allowed. */
static unsigned periods_until_allowed(struct clock *c)
{
  unsigned n = 1;

  while (!worked(c, 1000))
    n++;
  return n;
}

static void test_idle(void)
{
  struct clock c = { .now_ns = 1 };

  OK(!look(&c, root), "nothing can be read");
  OK(!after(&c, 100, 1000, 1000), "the first reading says nothing");
  OK(after(&c, 96, 4, 1000), "a short rest is none");
  OK(!after(&c, 95, 5, 1000), "a processor has been idle");
  OK(!after(&c, 0, 20, 1000), "and is still");
  c.stolen += 20;
  OK(!after(&c, 0, 0, 1000) && worked(&c, 1000),
     "time that a hypervisor takes is not idle");
  c.now_ns += CROWD_PERIOD_NS;
  OK(!look(&c, "/nonexistent"), "nothing can be read any more");
}

static void test_tries(void)
{
  struct clock c = { .now_ns = 1 };
  unsigned n = 0;

  (void)after(&c, 1, 1, 0);
  OK(worked(&c, 1000), "it is tried");
  OK(worked(&c, 1000), "and kept if as many answers come");
  while (worked(&c, 1))
    n++;
  OK(n == CROWD_KEEP - 1, "for some time, whatever happens");
  OK(worked(&c, 1000) && worked(&c, 1000 - 1000 / CROWD_LOSS),
     "then it is tried again");
  while (worked(&c, 1))
    ;
  OK(worked(&c, 1000) && !worked(&c, 900), "and given up if fewer come");
}

static void test_rests(void)
{
  struct clock c = { .now_ns = 1 };
  unsigned n = 0;

  (void)after(&c, 1, 1, 0);
  (void)worked(&c, 1000);
  (void)worked(&c, 0);
  OK(periods_until_allowed(&c) == 2, "it rests");
  (void)worked(&c, 0);
  OK(periods_until_allowed(&c) == 3, "longer each time that it was in vain");
  (void)after(&c, 0, 20, 1000);
  OK(periods_until_allowed(&c) == 5, "or a processor was idle");
  for (int i = 0; i < 10; i++) {
    (void)worked(&c, 0);
    n = periods_until_allowed(&c);
  }
  OK(n == CROWD_REST_MAX + 1, "but not for ever");
  (void)worked(&c, 1000);
  while (worked(&c, 1000))
    ;
  (void)worked(&c, 1000);
  (void)worked(&c, 0);
  OK(periods_until_allowed(&c) == 2, "until it was worth while");
}

static void test_period(void)
{
  struct clock c = { .now_ns = 1 };

  (void)after(&c, 1, 1, 0);
  MUST(worked(&c, 1000));
  MUST(unlink(file) == 0);
  c.now_ns += CROWD_PERIOD_NS - 1;
  OK(look(&c, root), "nothing is read within a period");
  c.now_ns++;
  OK(!look(&c, root), "then it is");
}

/* ---- several threads ---- */

enum {
  LOOKS = 2000,
};

/* NULL: it was never allowed. */
static void *look_often(void *arg)
{
  struct clock *c = arg;
  bool allowed = false;

  for (uint64_t i = 1; i <= LOOKS; i++)
    allowed |= crowd_look(&c->crowd, root, i * CROWD_PERIOD_NS, answers_of, c);
  return allowed ? c : NULL;
}

static void test_threads(void)
{
  struct clock c = { .now_ns = 1 };
  void *allowed = NULL;
  pthread_t other;

  (void)after(&c, 1, 1, 0);
  MUST(pthread_create(&other, NULL, look_often, &c) == 0);
  OK(look_often(&c) == NULL, "a file that does not change is no work");
  MUST(pthread_join(other, &allowed) == 0);
  OK(allowed == NULL, "for all threads");
}

int main(void)
{
  char folder[sizeof(root) + 8];

  MUST(mkdtemp(root) != NULL);
  (void)snprintf(folder, sizeof(folder), "%s/proc", root);
  (void)snprintf(file, sizeof(file), "%s/proc/stat", root);
  MUST(mkdir(folder, 0700) == 0);
  test_idle();
  test_tries();
  test_rests();
  test_period();
  test_threads();
  (void)unlink(file);
  (void)rmdir(folder);
  (void)rmdir(root);
  return TAP_EXIT();
}
