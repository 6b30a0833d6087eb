/*
 * test_cluster.c - the meetings of a job: all processes are threads of this
 * test, and the engine is a fake one.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/wait.h"
#include "nodes/cluster.h"
#include "nodes/post.h"
#include "tests/unit/fake_link.h"
#include "tests/unit/tap.h"

enum {
  PROCESSES = 4
};

/* The state of one process, and what it has seen. */
struct process {
  pthread_t thread;
  unsigned rank;
  bool not_ready; /* it is number 2 and not ready */
  bool stops;     /* number 1 tells the others to stop */
  bool silent;    /* number 3 dies before the end */
  bool dies;      /* number 3 cannot be reached from now on */
  bool gives_up;  /* number 3 leaves before there is a vote */

  char host_of_last[256];
  char plan[64];
  bool votes_right;
  int start_rc;
  bool start_explained;
  uint64_t start_ns;
  _Atomic uint32_t stopped; /* the number that came with it */
  _Atomic uint32_t stops_heard;
  uint64_t skew_ns;
  bool knows_start[PROCESSES];
  int status;
  bool lost_3;
};

static void stop_arrived(void *arg, const struct post_message *l)
{
  struct process *p = arg;
  int32_t number = 0;

  if (l->len == sizeof(number))
    memcpy(&number, l->bytes, sizeof(number));
  atomic_store(&p->stopped, (uint32_t)number);
  wait_wake_all(&p->stopped);
  (void)atomic_fetch_add(&p->stops_heard, 1);
  wait_wake_all(&p->stops_heard);
}

static void share(struct process *p, struct cluster *c)
{
  static const char text[] = "the plan";
  const void *bytes = "";
  struct err err;
  size_t len = 0;

  if (p->rank == 0) {
    OK(cluster_share(c, text, sizeof(text), &err) == 0, "the plan is shared");
    memcpy(p->plan, text, sizeof(text));
  } else if (cluster_plan(c, &bytes, &len, &err) == 0 &&
             len < sizeof(p->plan)) {
    memcpy(p->plan, bytes, len);
  }
}

/* Every process learns what all others have said. */
static void vote(struct process *p, struct cluster *c)
{
  unsigned char all[PROCESSES];

  cluster_vote(c, (unsigned char)(p->rank + 10), all);
  p->votes_right = true;
  for (unsigned i = 0; i < PROCESSES; i++) {
    const bool gone = p->gives_up && i == 3;

    p->votes_right = p->votes_right && all[i] == (gone ? CLUSTER_GONE : i + 10);
  }
}

/* Number 3 dies.  No message tells the others, but they notice it. */
static void die(struct process *p, struct cluster *c)
{
  const uint64_t limit = clock_now_ns() + 60 * NS_PER_S;

  if (p->rank == 3) {
    (void)pthread_mutex_lock(&fake.lock);
    fake.of[3].silent = fake.of[3].dead = true;
    (void)pthread_mutex_unlock(&fake.lock);
    post_hurry(cluster_post(c), clock_now_ns());
    return;
  }
  while (atomic_load(&p->stops_heard) == 0 && clock_now_ns() < limit)
    wait_while(&p->stops_heard, 0, limit);
  if (p->rank == 0)
    cluster_tell_stop(c, 0);
}

static void run_together(struct process *p, struct cluster *c)
{
  const struct post_events events = { p, stop_arrived };

  post_listen(cluster_post(c), &events);
  while (clock_now_ns() < p->start_ns)
    ;
  cluster_started(c, clock_now_ns());
  if (p->stops && p->rank == 1)
    cluster_tell_stop(c, 15);
  /* Process 0 passes the stop on, as a run does. */
  while (p->stops && p->rank != 1 && atomic_load(&p->stopped) == 0)
    wait_while(&p->stopped, 0, clock_now_ns() + NS_PER_S);
  if (p->stops && p->rank == 0)
    cluster_tell_stop(c, (int)atomic_load(&p->stopped));
  if (p->silent && p->rank == 3) {
    (void)pthread_mutex_lock(&fake.lock);
    fake.of[3].silent = true;
    (void)pthread_mutex_unlock(&fake.lock);
    post_hurry(cluster_post(c), clock_now_ns());
  } else if (p->silent) {
    post_hurry(cluster_post(c), clock_now_ns() + 200 * NS_PER_MS);
  }
  if (p->dies)
    die(p, c);
  cluster_finish(c);
  post_listen(cluster_post(c), NULL);
  if (p->rank == 0) {
    int64_t off;

    for (unsigned i = 0; i < PROCESSES; i++)
      p->knows_start[i] = cluster_start_error(c, i, &off);
    p->skew_ns = cluster_skew(c);
  }
}

static void *process_main(void *arg)
{
  struct process *p = arg;
  struct cluster *c;
  struct err err = { "" };

  if (cluster_join(&c, &fake_link, PROCESSES, "1.2.3", &err) < 0) {
    p->status = -1;
    return NULL;
  }
  p->rank = cluster_rank(c);
  (void)snprintf(p->host_of_last, sizeof(p->host_of_last), "%s",
                 cluster_host(c, PROCESSES - 1));
  share(p, c);
  cluster_meet(c);
  if (p->gives_up && p->rank == 3) {
    p->status = cluster_leave(c, 1);
    return NULL;
  }
  vote(p, c);
  p->start_rc = cluster_start(c, !(p->not_ready && p->rank == 2), &p->start_ns,
                              &err);
  p->start_explained = err.text[0] != '\0';
  if (p->start_rc == 0)
    run_together(p, c);
  p->status = cluster_leave(c, p->rank == 2 ? 7 : 0);
  return NULL;
}

/*
 * The array has the processes in the order of their ranks, whatever order they
 * joined in.
 */
static void run_job(struct process *p, const struct process *like)
{
  struct process all[PROCESSES];

  fake_start(PROCESSES, 0, 0);
  for (unsigned i = 0; i < PROCESSES; i++) {
    all[i] = *like;
    (void)pthread_create(&all[i].thread, NULL, process_main, &all[i]);
  }
  for (unsigned i = 0; i < PROCESSES; i++)
    (void)pthread_join(all[i].thread, NULL);
  for (unsigned i = 0; i < PROCESSES; i++)
    p[all[i].rank] = all[i];
}

static void test_good(void)
{
  const struct process like = { .stops = true };
  struct process p[PROCESSES];
  bool same = true, hosts = true, stopped = true;

  run_job(p, &like);
  for (unsigned i = 0; i < PROCESSES; i++) {
    same &= strcmp(p[i].plan, "the plan") == 0;
    hosts &= p[i].host_of_last[0] != '\0';
    stopped &= i == 1 || atomic_load(&p[i].stopped) == 15;
    OK(p[i].start_rc == 0, "everybody starts");
    OK(p[0].knows_start[i], "process 0 has heard of every start");
    /*
     * There is only one clock, so the difference is the error of the estimate.
     */
    OK(p[i].start_ns - p[0].start_ns < NS_PER_MS ||
         p[0].start_ns - p[i].start_ns < NS_PER_MS,
       "the common start is the same moment everywhere");
  }
  OK(same, "all have the plan");
  OK(hosts, "all know all names");
  OK(stopped, "a stop reaches all");
  OK(p[0].status == 7, "process 0 learns the first status that is not 0");
  OK(p[1].status == 0 && p[2].status == 7, "the others keep their own");
  OK(fake.left == PROCESSES, "all have left the job in order");
}

/* A process that gives up keeps no other process waiting. */
static void test_vote(void)
{
  const struct process all = { .stops = true };
  const struct process three = { .gives_up = true };
  struct process p[PROCESSES];

  run_job(p, &all);
  for (unsigned i = 0; i < PROCESSES; i++)
    OK(p[i].votes_right, "everybody knows all words");
  run_job(p, &three);
  for (unsigned i = 0; i < 3; i++)
    OK(p[i].votes_right, "and who has none");
  OK(p[0].start_rc < 0, "there is no start without it");
}

static void test_not_ready(void)
{
  const struct process like = { .not_ready = true };
  struct process p[PROCESSES];
  bool nobody = true;

  run_job(p, &like);
  for (unsigned i = 0; i < PROCESSES; i++)
    nobody &= p[i].start_rc < 0;
  OK(nobody, "nobody starts when one is not ready");
  OK(p[0].start_explained, "process 0 says why");
  OK(!p[1].start_explained && !p[3].start_explained, "the others do not");
  OK(fake.left == PROCESSES, "all have left the job in order");
}

/* cluster_finish() ends for all, although one process has fallen silent. */
static void test_hurry(void)
{
  const struct process like = { .silent = true };
  struct process p[PROCESSES];

  run_job(p, &like);
  OK(p[1].start_rc == 0, "it had started");
  OK(p[0].status == 7 || p[0].status == 1,
     "a process that says nothing has failed");
  OK(fake.left < PROCESSES, "and nobody waits for the engine's own end");
}

static void test_death(void)
{
  const struct process like = { .dies = true };
  struct process p[PROCESSES];

  run_job(p, &like);
  for (unsigned i = 0; i < 3; i++) {
    OK(atomic_load(&p[i].stops_heard) == 1, "who dies stops all, once");
    OK(atomic_load(&p[i].stopped) == 0, "and not as if by a signal");
  }
  OK(p[0].status != 0, "the job has failed");
}

static void test_refusals(void)
{
  struct cluster *c;
  struct err err = { "" };

  fake_start(0, 0, 0);
  OK(cluster_join(&c, &fake_link, 2, "1", &err) < 0, "no job");
  OK(strstr(err.text, "there is no job") != NULL, "in the engine's words");
  fake_start(1, 0, 0);
  OK(cluster_join(&c, &fake_link, 3, "1", &err) < 0, "another engine's job");
  OK(strstr(err.text, "3 processes were launched") != NULL, "is explained");
}

int main(void)
{
  test_good();
  test_vote();
  test_not_ready();
  test_hurry();
  test_death();
  test_refusals();
  return TAP_EXIT();
}
