/*
 * test_post.c - which processes are considered lost: one life of a post, at
 * times that the test chooses.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "base/wait.h"
#include "nodes/post.h"
#include "tests/unit/fake_link.h"
#include "tests/unit/tap.h"

/* Waiting takes no time: the clock jumps to the end of the wait. */
static uint64_t ahead_ns;
static void (*on_wait)(void); /* called meanwhile; may be NULL */

uint64_t __real_clock_now_ns(void);
uint64_t __wrap_clock_now_ns(void);
void __wrap_wait_while(_Atomic uint32_t *word, uint32_t value,
                       uint64_t until_ns);

uint64_t __wrap_clock_now_ns(void)
{
  return __real_clock_now_ns() + ahead_ns;
}

void __wrap_wait_while(_Atomic uint32_t *word, uint32_t value,
                       uint64_t until_ns)
{
  const uint64_t now = clock_now_ns();

  (void)word, (void)value;
  if (until_ns > now)
    ahead_ns += until_ns - now;
  if (on_wait)
    on_wait();
}

/* Process 0 of two, and what the other one needs to send. */
struct job {
  struct post *post;
  void *other;
  uint64_t now;
  unsigned stops; /* stops that process 0 has received */
  struct post_events events;
};

static void stop_arrived(void *arg, const struct post_message *l)
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

/* The thread checks once, that much later. */
static void later(struct job *j, uint64_t ns)
{
  j->now += ns;
  while (post_carry(j->post, j->now))
    ;
}

/* Would a wait for the other process be given up? */
static bool gives_up(struct job *j)
{
  const uint64_t limit = clock_now_ns() + NS_PER_MS;
  struct post_message *l = post_receive(j->post, POST_READY, 1, limit);

  free(l);
  return !l && post_lost(j->post, 1);
}

static void test_standstill(void)
{
  struct job j;

  job_start(&j);
  other_says(&j, POST_BEAT);
  later(&j, NS_PER_S);
  later(&j, 17 * NS_PER_S); /* all were frozen and silent */
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

/* No more messages are expected from it, but its end is awaited. */
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

static struct job *frozen;
static unsigned waits;

/*
 * All processes stand still for an hour; some seconds later the other one sends
 * a message.
 */
static void stand_still(void)
{
  waits++;
  if (waits == 3)
    ahead_ns += 3600 * NS_PER_S;
  if (waits == 6) {
    other_says(frozen, POST_READY);
    later(frozen, NS_PER_S);
  }
}

static void test_await(void)
{
  unsigned left_s = 10;
  struct post_message *l;
  uint64_t since;
  struct job j;

  job_start(&j);
  frozen = &j;
  on_wait = stand_still;
  l = post_await(j.post, POST_READY, 1, &left_s);
  on_wait = NULL;
  OK(l && left_s > 0 && left_s < 10,
     "after a standstill the rest of the patience is left");
  free(l);
  left_s = 10;
  since = clock_now_ns();
  OK(!post_await(j.post, POST_READY, 1, &left_s) && left_s == 0 &&
       clock_now_ns() - since >= 10 * NS_PER_S,
     "which comes to its end");
  other_says(&j, POST_READY);
  later(&j, NS_PER_S);
  l = post_await(j.post, POST_READY, 1, &left_s);
  OK(l && left_s == 0, "what is there is found without any");
  free(l);
  left_s = 10;
  fake.of[1].dead = true;
  later(&j, 2 * NS_PER_S);
  OK(!post_await(j.post, POST_READY, 1, &left_s) && left_s == 10,
     "none is spent on who is lost");
  job_end(&j);
}

int main(void)
{
  test_standstill();
  test_silence();
  test_leaving();
  test_unreachable();
  test_await();
  return TAP_EXIT();
}
