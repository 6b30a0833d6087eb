/*
 * crowd.c - in which way should loops await their answers?
 */
#include "run/crowd.h"

#include "base/minmax.h"
#include "run/machine.h"

enum {
  IDLE_PART = 20, /* less than that part of the time is not idle */
};

void crowd_init(struct crowd *c, unsigned cpus, enum loop_way first,
                uint64_t now_ns)
{
  *c = (struct crowd){
    .cpus = cpus, .first = first, .kept = first, .keep = CROWD_KEEP
  };
  atomic_init(&c->way, (int)first);
  atomic_init(&c->used_until_ns, now_ns);
}

static enum loop_way way_of(const struct crowd *c)
{
  return (enum loop_way)atomic_load_explicit(&c->way, memory_order_relaxed);
}

/* Until the next step, all loops do it so. */
static void go_on(struct crowd *c, enum loop_way way, uint64_t due_ns)
{
  atomic_store_explicit(&c->way, (int)way, memory_order_relaxed);
  atomic_store_explicit(&c->due_ns, due_ns, memory_order_relaxed);
}

static bool was_idle(const struct crowd *c, const struct crowd_reading *now)
{
  const uint64_t idle = grown_u64(now->idle_ns, c->since.idle_ns);
  const uint64_t busy = grown_u64(now->busy_ns, c->since.busy_ns);

  return idle * IDLE_PART >= idle + busy;
}

/* ---- the ways in a trial ---- */

static unsigned count_ways(const struct crowd *c)
{
  return LOOP_WAYS - (unsigned)c->first;
}

/* Forwards and backwards in turn, so that none is always the first. */
static enum loop_way way_of_turn(const struct crowd *c)
{
  const unsigned n = count_ways(c);
  const unsigned round = c->trial.turn / n, place = c->trial.turn % n;

  return (enum loop_way)((unsigned)c->first +
                         (round % 2 == 0 ? place : n - 1 - place));
}

/* Answers per nanosecond. */
static double rate(const struct crowd_turn *t)
{
  return (double)t->work.answers / (double)t->took_ns;
}

static void add_turn(struct crowd_trial *t, enum loop_way way,
                     const struct crowd_turn *turn)
{
  struct crowd_turn *of = t->of[way];
  unsigned i = t->turns[way]++;

  for (; i > 0 && rate(turn) > rate(&of[i - 1]); i--)
    of[i] = of[i - 1];
  of[i] = *turn;
  t->answers += turn->work.answers;
}

/* Answers for the time of the processors, where what the clients spend of it
 * counts twice. */
static double worth_of(const struct crowd *c, const struct crowd_turn *sum)
{
  const uint64_t ns = c->cpus * sum->took_ns + sum->work.spent_ns;

  return ns == 0 ? 0 : (double)sum->work.answers / (double)ns;
}

/* The best turn and the worst one are left out, since what made them so may not
 * be the way; of two turns, the better one counts. */
static double worth(const struct crowd *c, enum loop_way way)
{
  const struct crowd_trial *t = &c->trial;
  const unsigned n = t->turns[way];
  const unsigned begin = n > 2 ? 1 : 0, end = n > 2 ? n - 1 : 1;
  struct crowd_turn sum = { 0 };

  for (unsigned i = begin; i < end; i++) {
    const struct crowd_turn *turn = &t->of[way][i];

    sum.took_ns += turn->took_ns;
    sum.work.answers += turn->work.answers;
    sum.work.spent_ns += turn->work.spent_ns;
  }
  return worth_of(c, &sum);
}

/* Have enough answers come to tell a difference? */
static bool tells(const struct crowd_trial *t)
{
  return t->answers >= CROWD_LEAST;
}

/* The highest worth, less that part of it. */
static double worth_less(const struct crowd *c, unsigned part)
{
  double most = 0;

  for (enum loop_way w = c->first; w < LOOP_WAYS; w++)
    most = worth(c, w) > most ? worth(c, w) : most;
  return most - most / part;
}

static enum loop_way best(const struct crowd *c)
{
  const double least = worth_less(c, CROWD_LOSS);
  enum loop_way found = c->first;

  for (enum loop_way w = c->first; w < LOOP_WAYS; w++) {
    if (!c->trial.lost[w] && worth(c, w) > least)
      found = w;
  }
  return found;
}

static void keep(struct crowd *c, enum loop_way way)
{
  c->kept = way;
  c->behind = 0;
  c->second_worth = 0;
  for (enum loop_way w = way + 1; w < LOOP_WAYS; w++) {
    if (worth(c, w) > c->second_worth) {
      c->second = w;
      c->second_worth = worth(c, w);
    }
  }
}

/* How many are left of those that can still be the best? */
static unsigned drop_losers(struct crowd *c)
{
  const double least = worth_less(c, CROWD_FAR);
  unsigned left = 0;

  for (enum loop_way w = c->first; w < LOOP_WAYS; w++) {
    c->trial.lost[w] = worth(c, w) < least;
    left += !c->trial.lost[w];
  }
  return left;
}

/* ---- steps ---- */

static void period(struct crowd *c, enum loop_way way,
                   const struct crowd_reading *now)
{
  c->phase = CROWD_PERIOD;
  c->since = *now;
  go_on(c, way, now->at_ns + CROWD_PERIOD_NS);
}

static void begin_turn(struct crowd *c, uint64_t now_ns)
{
  c->phase = CROWD_CHANGE;
  go_on(c, way_of_turn(c), now_ns + CROWD_CHANGE_NS);
}

static struct crowd_turn turn_since(const struct crowd_reading *since,
                                    const struct crowd_reading *now)
{
  return (struct crowd_turn){
    .took_ns = now->at_ns - since->at_ns,
    .work.answers = grown_u64(now->work.answers, since->work.answers),
    .work.spent_ns = grown_u64(now->work.spent_ns, since->work.spent_ns),
  };
}

static void count_turn(struct crowd *c, const struct crowd_reading *now)
{
  const struct crowd_turn turn = turn_since(&c->counts_since, now);

  add_turn(&c->trial, way_of(c), &turn);
}

/* False: that was the last one. */
static bool next_turn(struct crowd *c)
{
  const unsigned n = count_ways(c);
  struct crowd_trial *t = &c->trial;

  do {
    t->turn++;
    if (t->turn == CROWD_FIRST * n && tells(t) && drop_losers(c) == 1)
      return false;
  } while (t->turn < CROWD_ROUNDS * n && t->lost[way_of_turn(c)]);
  return t->turn < CROWD_ROUNDS * n;
}

static void begin_trial(struct crowd *c, const struct crowd_reading *now)
{
  c->since = *now;
  c->trial = (struct crowd_trial){ 0 };
  begin_turn(c, now->at_ns);
}

static void end_trial(struct crowd *c, const struct crowd_reading *now)
{
  const bool told = tells(&c->trial);

  if (told && !was_idle(c, now)) {
    keep(c, best(c));
  } else { /* what the other ways were worth means nothing */
    c->kept = c->first;
    c->second_worth = 0;
  }
  c->left = told ? c->keep : CROWD_SOON;
  if (told)
    c->keep = (unsigned)min_u64(2 * c->keep, CROWD_KEEP_MAX);
  period(c, c->kept, now);
}

/* Is the way that is kept worse than the second one was in the trial? */
static void compare(struct crowd *c, const struct crowd_reading *now)
{
  const struct crowd_turn period = turn_since(&c->since, now);

  if (worth_of(c, &period) >= c->second_worth) {
    c->behind = 0;
  } else if (++c->behind == CROWD_BEHIND) {
    c->kept = c->second;
    c->second_worth = 0;
  }
}

static void after_period(struct crowd *c, const struct crowd_reading *now)
{
  if (was_idle(c, now)) {
    period(c, c->first, now);
  } else if (c->left > 0) {
    c->left--;
    compare(c, now);
    period(c, c->kept, now);
  } else {
    begin_trial(c, now);
  }
}

static void after_change(struct crowd *c, const struct crowd_reading *now)
{
  c->phase = CROWD_TURN;
  c->counts_since = *now;
  go_on(c, way_of(c), now->at_ns + CROWD_TURN_NS);
}

static void after_turn(struct crowd *c, const struct crowd_reading *now)
{
  count_turn(c, now);
  if (next_turn(c))
    begin_turn(c, now->at_ns);
  else
    end_trial(c, now);
}

static void (*const after[])(struct crowd *, const struct crowd_reading *) = {
  [CROWD_PERIOD] = after_period,
  [CROWD_CHANGE] = after_change,
  [CROWD_TURN] = after_turn,
};

static void step(struct crowd *c, const char *root, uint64_t now_ns,
                 const struct crowd_work *work)
{
  uint64_t used_ns[LOOP_WAYS];
  struct machine_counts m;
  struct crowd_reading now;

  crowd_used(c, now_ns, used_ns);
  atomic_store_explicit(&c->used_ns[way_of(c)], used_ns[way_of(c)],
                        memory_order_relaxed);
  atomic_store_explicit(&c->used_until_ns, now_ns, memory_order_relaxed);
  machine_read_times(root, &m);
  now = (struct crowd_reading){
    .at_ns = now_ns,
    .idle_ns = m.idle_ns,
    .busy_ns = m.busy_ns + m.steal_ns,
    .work = *work,
  };
  if (m.known && c->begun)
    after[c->phase](c, &now);
  else
    period(c, c->first, &now);
  c->begun = m.known;
}

void crowd_used(const struct crowd *c, uint64_t now_ns,
                uint64_t ret_ns[LOOP_WAYS])
{
  const uint64_t until_ns = atomic_load_explicit(&c->used_until_ns,
                                                 memory_order_relaxed);

  for (unsigned w = 0; w < LOOP_WAYS; w++)
    ret_ns[w] = atomic_load_explicit(&c->used_ns[w], memory_order_relaxed);
  ret_ns[way_of(c)] += grown_u64(now_ns, until_ns);
}

static bool is_due(const struct crowd *c, uint64_t now_ns)
{
  return now_ns >= atomic_load_explicit(&c->due_ns, memory_order_relaxed);
}

enum loop_way crowd_look(struct crowd *c, const char *root, uint64_t now_ns,
                         struct crowd_work (*work)(const void *ctx),
                         const void *ctx)
{
  if (is_due(c, now_ns) &&
      !atomic_flag_test_and_set_explicit(&c->reading, memory_order_acquire)) {
    if (is_due(c, now_ns)) { /* no other thread has been quicker */
      const struct crowd_work so_far = work(ctx);

      step(c, root, now_ns, &so_far);
    }
    atomic_flag_clear_explicit(&c->reading, memory_order_release);
  }
  return way_of(c);
}
