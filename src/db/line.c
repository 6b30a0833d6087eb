/*
 * line.c - the queue of the clients that share a session.
 */
#include "db/line.h"

#include <stddef.h>

#include "db/env.h"
#include "db/line_parts.h"
#include "loop/fiber.h"

/* ---- the queue ---- */

static void wake(const struct line_place *at)
{
  if (at && at->fiber)
    fiber_wake(at->fiber);
}

static void append(struct line *l, struct line_place *at)
{
  *at = (struct line_place){ .prev = l->last, .queued = true };
  if (at->prev)
    at->prev->next = at;
  else
    l->first = at;
  l->last = at;
}

static void take_out(struct line *l, struct line_place *at)
{
  struct line_place *next = at->next;

  if (at->prev)
    at->prev->next = next;
  else
    l->first = next;
  if (next)
    next->prev = at->prev;
  else
    l->last = at->prev;
  *at = (struct line_place){ NULL };
  wake(next);
}

/* Somebody else has the line without a place in the queue. */
static bool is_taken(const struct line *l, const struct line_place *at)
{
  return l->alone && l->alone != at;
}

static bool may_enter(const struct line *l, const struct line_place *at)
{
  return !at->prev && !is_taken(l, at);
}

static bool may_add(const struct line *l, const struct line_place *at)
{
  return (!at->prev || at->prev->sent) && !is_taken(l, at);
}

/* Sleep until it is true.  False: this is no place where a client can wait. */
static bool wait_until(const struct line *l, struct line_place *at,
                       bool (*is_true)(const struct line *l,
                                       const struct line_place *at))
{
  while (!is_true(l, at)) {
    struct fiber *f = fiber_parkable();

    if (!f)
      return false;
    at->fiber = f;
    fiber_sleep();
    at->fiber = NULL;
  }
  return true;
}

/* ---- alone ---- */

bool line_is_open(const struct db_env *env)
{
  return env->line->open && !env->line->broken;
}

unsigned line_failures(const struct db_env *env)
{
  return atomic_load_explicit(&env->line->failures, memory_order_relaxed);
}

bool line_is_mine(const struct db_env *env)
{
  return env->line && env->line->alone == &env->place;
}

bool line_enter(struct db_env *env)
{
  struct line *l = env->line;
  struct line_place *at = &env->place;

  if (!l)
    return true;
  if (l->alone == at) {
    l->depth++;
    return true;
  }
  append(l, at);
  if (!wait_until(l, at, may_enter)) {
    take_out(l, at);
    return false;
  }
  l->alone = at;
  l->depth = 1;
  l->begun = false;
  return true;
}

void line_leave(struct db_env *env)
{
  struct line *l = env->line;

  if (!l || --l->depth > 0)
    return;
  l->alone = NULL;
  l->opening = false;
  take_out(l, &env->place);
}

bool line_grab(struct db_env *env)
{
  struct line *l = env->line;

  if (l->first || l->alone)
    return false;
  l->alone = &env->place;
  l->depth = 1;
  l->begun = false;
  return true;
}

void line_let_go(struct db_env *env)
{
  struct line *l = env->line;

  l->alone = NULL;
  l->depth = 0;
  wake(l->first);
}

/* ---- together ---- */

bool line_join(struct db_env *env)
{
  struct line *l = env->line;

  append(l, &env->place);
  /* Its answer comes after those of the others. */
  if ((!env->place.prev || fiber_parkable()) &&
      wait_until(l, &env->place, may_add))
    return true;
  take_out(l, &env->place);
  return false;
}

void line_added(struct db_env *env)
{
  env->place.sent = true;
  wake(env->place.next);
}

void line_await(struct db_env *env)
{
  struct line_place *at = &env->place;

  while (at->prev) {
    at->fiber = fiber_here();
    fiber_sleep();
    at->fiber = NULL;
  }
}

void line_quit(struct db_env *env)
{
  take_out(env->line, &env->place);
}
