/*
 * test_post.c - which processes are taken for lost: one life of a post, at
 * moments that the test chooses.
 */
#include <string.h>

#include "base/clock.h"
#include "base/wait.h"
#include "cluster/post_internal.h"
#include "fake_link.h"
#include "tap.h"

/* Process 0 of two, and what the other one needs for sending. */
struct job {
  struct post *post;
  void *other;
  uint64_t now;
  unsigned stops; /* that process 0 has heard of */
  struct post_events events;
};

static void stop_arrived(void *arg, const struct letter *l)
{
  (void)l;
  ++*(unsigned *)arg;
}

static void job_start(struct job *j)
{
  unsigned rank, size;
  char why[64];

  fake_start(2, 0, 0);
  *j = (struct job){ .post = post_alloc(&fake_link) };
  j->events = (struct post_events){ &j->stops, stop_arrived };
  OK(post_join(j->post) == 0, "joined");
  (void)fake_link.open(&j->other, &rank, &size, why, sizeof(why));
  OK(post_rank(j->post) == 0 && rank == 1 && size == 2, "a job of two");
  post_listen(j->post, &j->events);
  j->now = clock_now_ns();
}

static void job_end(struct job *j)
{
  post_listen(j->post, NULL);
  post_release(j->post, false);
}

static void other_says(struct job *j, enum post_kind kind)
{
  const struct post_header h = { .kind = (uint32_t)kind };
  void *request;

  (void)fake_link.send(j->other, 0, &h, sizeof(h), &request);
}

/* The thread looks once, so much later. */
static void later(struct job *j, uint64_t ns)
{
  j->now += ns;
  while (post_carry(j->post, j->now))
    ;
}

/* Would somebody who waits for the other one be told that it does not come? */
static bool gives_up(struct job *j)
{
  const uint64_t limit = clock_now_ns() + NS_PER_MS;
  struct letter *l = post_receive(j->post, POST_READY, 1, limit);

  free(l);
  return !l && post_lost(j->post, 1);
}

static void test_standstill(void)
{
  struct job j;

  job_start(&j);
  other_says(&j, POST_BEAT);
  later(&j, NS_PER_S);
  later(&j, 17 * NS_PER_S); /* all were frozen: nobody has said anything */
  OK(!gives_up(&j), "after a standstill nobody is lost");
  later(&j, NS_PER_S);
  OK(!gives_up(&j), "the other one gets time to go on");
  other_says(&j, POST_BEAT);
  later(&j, 3600 * NS_PER_S);
  OK(!gives_up(&j) && j.stops == 0, "however long it was");
  job_end(&j);
}

static void test_silence(void)
{
  struct job j;

  job_start(&j);
  other_says(&j, POST_BEAT);
  later(&j, NS_PER_S);
  for (int i = 0; i < 14; i++)
    later(&j, NS_PER_S);
  OK(!gives_up(&j) && j.stops == 0, "14 seconds are not too long");
  for (int i = 0; i < 3; i++)
    later(&j, NS_PER_S);
  OK(gives_up(&j), "who says nothing for 15 seconds is lost");
  OK(j.stops == 1, "which ends the work of all, and is told once");
  other_says(&j, POST_BEAT);
  later(&j, NS_PER_S);
  OK(!gives_up(&j), "until it is heard of again");
  job_end(&j);
}

/* Nothing more is expected of it, but it is waited for. */
static void test_leaving(void)
{
  struct job j;

  job_start(&j);
  other_says(&j, POST_LEAVING);
  for (int i = 0; i < 20; i++)
    later(&j, NS_PER_S);
  OK(post_lost(j.post, 1), "who is about to leave may be lost, too");
  OK(j.stops == 0, "and that ends nobody's work");
  job_end(&j);
}

static void test_unreachable(void)
{
  struct job j;

  job_start(&j);
  fake.of[1].dead = true;
  later(&j, 2 * NS_PER_S);
  OK(gives_up(&j) && j.stops == 1, "who cannot be reached is lost at once");
  job_end(&j);
}

int main(void)
{
  test_standstill();
  test_silence();
  test_leaving();
  test_unreachable();
  return TAP_EXIT();
}
