/*
 * looks.c - what the sessions of a server do.
 */
#include "monitor/looks.h"

#include <string.h>

#include "base/clock.h"
#include "monitor/link.h"
#include "monitor/source.h"

static void count_wait(struct server_waits *w, const char *name, size_t len,
                       uint64_t sessions)
{
  unsigned i = 0;

  if (len >= SERVER_WAIT_NAME)
    len = SERVER_WAIT_NAME - 1;
  while (i < w->n &&
         (strncmp(w->of[i].name, name, len) != 0 || w->of[i].name[len] != '\0'))
    i++;
  if (i == SERVER_WAITS)
    return;
  if (i == w->n) {
    memcpy(w->of[i].name, name, len);
    w->of[i].name[len] = '\0';
    w->of[i].sessions = 0;
    w->n++;
  }
  w->of[i].sessions += sessions;
}

static void take_session(void *ctx, const sql_value *v, unsigned n)
{
  struct server_waits *w = ctx;
  double sessions = 0, locked = 0;

  if (n < 4 || !v[0].ptr || v[0].len == 0 || !reading_number(&v[2], &sessions))
    return;
  (void)reading_number(&v[3], &locked);
  switch (*v[0].ptr) {
  case 'c':
    w->checkpoints++;
    break;
  case 'v':
    w->vacuums += (uint64_t)sessions;
    break;
  default:
    w->waiting += (uint64_t)locked;
    if (v[1].ptr)
      count_wait(w, v[1].ptr, v[1].len, (uint64_t)sessions);
  }
}

/* One by one: the server needs less time for that than for all at once. */
bool looks_take(struct link *l, const struct monitor_source *s,
                struct server_access *access, struct server_gaps *gaps,
                struct server_waits *to)
{
  const uint64_t begun = clock_now_ns();

  for (size_t i = 0; i < s->n_fast; i++) {
    if (!(access->fast & 1u << i) ||
        link_query_often(l, s->fast[i].sql, take_session, to))
      continue;
    if (l->lost)
      return false;
    access->fast &= ~(1u << i);
    server_gaps_add(gaps, s->fast[i].subject, l->why);
  }
  to->looks += access->fast != 0;
  to->took_ns += clock_now_ns() - begun;
  return true;
}

static void level(struct server_reading *r, enum server_figure f, uint64_t sum,
                  uint64_t looks)
{
  r->has[f] = true;
  r->value[f] = (double)sum / (double)looks;
}

void looks_levels(const struct monitor_source *s,
                  const struct server_access *access,
                  const struct server_waits *w, struct server_reading *ret)
{
  for (size_t i = 0; i < s->n_fast && w->looks > 0; i++) {
    const char *kinds = s->fast[i].kinds;

    if (!(access->fast & 1u << i))
      continue;
    if (strchr(kinds, 'w'))
      level(ret, SERVER_LOCK_WAITING, w->waiting, w->looks);
    if (strchr(kinds, 'v') && access->sees_all)
      level(ret, SERVER_VACUUM_RUNNING, w->vacuums, w->looks);
    if (strchr(kinds, 'c') && access->sees_all)
      level(ret, SERVER_CHECKPOINT_RUNNING, w->checkpoints, w->looks);
  }
}

void looks_add(struct server_waits *to, const struct server_waits *more)
{
  to->looks += more->looks;
  to->took_ns += more->took_ns;
  to->waiting += more->waiting;
  to->checkpoints += more->checkpoints;
  to->vacuums += more->vacuums;
  for (unsigned i = 0; i < more->n; i++)
    count_wait(to, more->of[i].name, strlen(more->of[i].name),
               more->of[i].sessions);
}
