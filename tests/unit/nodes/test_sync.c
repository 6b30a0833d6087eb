/*
 * test_sync.c - offsets of clocks, from made-up samples and over a
 * network that is slower in one direction; shares of the work.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "nodes/cluster.h"
#include "nodes/engine.h"
#include "nodes/nodes.h"
#include "nodes/post.h"
#include "tests/unit/fake_link.h"
#include "tests/unit/tap.h"

static void test_estimate(void)
{
  const struct sync_sample s[] = {
    { 1000, 501500, 3000 },  /* delayed on the way back */
    { 5000, 505100, 5200 },  /* the best */
    { 9000, 509700, 10000 }, /* delayed on the way there */
  };
  const struct sync_sample behind = { 1000000, 400100, 1000200 };
  struct sync_offset o = cluster_sync_estimate(s, ARRAY_SIZE(s));

  OK(o.offset_ns == 500000, "the sample with the shortest trip counts");
  OK(o.error_ns == 100, "it may be wrong by half of the trip");
  OK(cluster_sync_there(&o, 7) == 500007, "a moment is translated");
  o = cluster_sync_estimate(&behind, 1);
  OK(o.offset_ns == -600000, "a clock may be behind");
  OK(cluster_sync_there(&o, 1000000) == 400000, "a moment of that one, too");
}

static void test_skew(void)
{
  const uint64_t moments[] = { 500, 300, 900, 400 };

  OK(cluster_sync_skew(moments, 4) == 600, "from the first to the last");
  OK(cluster_sync_skew(moments, 1) == 0, "one alone has no skew");
  OK(cluster_sync_skew(moments, 0) == 0, "nor has nobody");
}

static void *join(void *arg)
{
  struct err err;

  (void)post_new(arg, &fake_link, &err);
  return NULL;
}

/* Both clocks are the same here, so the true offset is 0. */
static void test_measure(uint64_t there_ns, uint64_t back_ns)
{
  struct post *p[2] = { NULL, NULL }, *first;
  struct sync_offset o = { 0, 0 };
  struct err err;
  pthread_t other;
  int64_t off;

  fake_start(2, there_ns, back_ns);
  (void)pthread_create(&other, NULL, join, &p[1]);
  OK(post_new(&p[0], &fake_link, &err) == 0, "joined");
  (void)pthread_join(other, NULL);
  first = post_rank(p[0]) == 0 ? p[0] : p[1];

  OK(cluster_sync_measure(first, 1, &o) == 0, "the offset is measured");
  off = o.offset_ns < 0 ? -o.offset_ns : o.offset_ns;
  OK((uint64_t)off <= o.error_ns, "the error is no larger than promised");
  OK(o.error_ns >= (there_ns + back_ns) / 2, "which covers the whole trip");
  post_free(p[0], false);
  post_free(p[1], false);
}

static void test_lost(void)
{
  struct post *p[2] = { NULL, NULL }, *first;
  struct sync_offset o = { 1, 2 };
  struct err err;
  pthread_t other;

  fake_start(2, 0, 0);
  (void)pthread_create(&other, NULL, join, &p[1]);
  (void)post_new(&p[0], &fake_link, &err);
  (void)pthread_join(other, NULL);
  first = post_rank(p[0]) == 0 ? p[0] : p[1];
  (void)pthread_mutex_lock(&fake.lock);
  fake.of[1].silent = true;
  (void)pthread_mutex_unlock(&fake.lock);
  post_hurry(first, clock_now_ns() + 20 * NS_PER_MS);
  OK(cluster_sync_measure(first, 1, &o) == -ETIMEDOUT, "no answer");
  OK(o.offset_ns == 1 && o.error_ns == 2, "leaves the result alone");
  post_free(p[0], false);
  post_free(p[1], false);
}

static void test_split(void)
{
  struct split_threads t = { 0, 0 };

  OK(split_threads(4, 2, 3, &t) == 0 && t.first == 8 && t.all == 12,
     "process 2 of 3 has the workers 8 to 11 of 12");
  OK(split_threads(1000000, 0, 4000, &t) == -ERANGE, "too many");
  OK(t.first == 8 && t.all == 12, "leaves the result alone");
}

static const char *const *variables;

static char *variable(const char *name)
{
  for (const char *const *v = variables; *v; v += 2) {
    if (strcmp(*v, name) == 0)
      return (char *)(uintptr_t)v[1];
  }
  return NULL;
}

static struct launch launched(const char *const *list)
{
  variables = list;
  return launch_find(variable);
}

static void test_launch(void)
{
  static const char *const ompi[] = { "OMPI_COMM_WORLD_RANK",
                                      "2",
                                      "OMPI_COMM_WORLD_SIZE",
                                      "3",
                                      "OMPI_MCA_orte_bound_at_launch",
                                      "1",
                                      NULL };
  static const char *const mpich[] = { "PMI_RANK", "0", "PMI_SIZE", "2", NULL };
  static const char *const one[] = { "PMI_RANK", "0", "PMI_SIZE", "1", NULL };
  static const char *const odd[] = { "PMI_RANK", "x", "PMI_SIZE", "2", NULL };
  static const char *const none[] = { NULL };
  struct launch l = launched(ompi);

  OK(l.rank == 2 && l.size == 3 && l.bound, "Open MPI is recognised");
  OK_STR(l.engine, "Open MPI", "by name");
  l = launched(mpich);
  OK(l.rank == 0 && l.size == 2 && !l.bound, "MPICH is recognised");
  OK_STR(l.engine, "MPICH", "by name");
  OK(!launched(one).engine, "one process is no job");
  OK(!launched(odd).engine, "nonsense is no job");
  OK(!launched(none).engine, "nothing is no job");
}

int main(void)
{
  test_estimate();
  test_skew();
  test_measure(0, 0);
  test_measure(2 * NS_PER_MS, 500 * NS_PER_US);
  test_lost();
  test_split();
  test_launch();
  return TAP_EXIT();
}
