/*
 * seek.c - searches for a server in the lists of hosts and ports.
 */
#include "db/seek.h"

#include "base/minmax.h"
#include "base/thread.h"
#include "db/call.h"
#include "db/role_check.h"
#include "db/settled.h"
#include "db/transport.h"

enum {
  PAUSE_FIRST_MS = 20, /* between two servers; twice as long in each round */
  PAUSE_LAST_MS = 500,
  PAUSE_MS = 100, /* between two rounds of seek_writer() */
};

/* One more server was asked in vain. */
static void note_seen(const struct conn *c, struct strbuf *seen)
{
  strbuf_adds(seen, seen->len > 0 ? "; " : "");
  c->driver->target(c->session, seen);
  strbuf_adds(seen, ": ");
  if (c->out.other_role)
    strbuf_adds(seen, c->out.msg);
  else
    c->driver->connect_reason(c->session, &c->out, seen);
}

/* The lists begin again: `seen` has the last round. */
static void end_round(struct strbuf *round, struct strbuf *seen)
{
  strbuf_clear(seen);
  strbuf_adds(seen, strbuf_str(round));
  strbuf_clear(round);
}

uint64_t seek_share(uint64_t begin_ns, uint64_t until_ns, uint64_t now)
{
  const uint64_t all = until_ns > begin_ns ? until_ns - begin_ns : 0;
  const uint64_t rest = until_ns > now ? until_ns - now : 0;

  return max_u64(rest / 2, all / 4);
}

uint64_t seek_served(const struct conn *c)
{
  /* Not 0: that is the first connection of the process. */
  return atomic_load_explicit(&c->env->process->served, memory_order_relaxed) +
         settled_servers(c);
}

/* ---- a server with the role of --target ---- */

static int seek_role(struct conn *c, uint64_t until_ns, struct strbuf *seen)
{
  const size_t servers = settled_servers(c);
  struct strbuf round = { 0 };
  uint64_t begin = clock_now_ns(), now = begin, pause_ms = PAUSE_FIRST_MS, turn;
  int rc;

  for (unsigned i = 0;; i++) {
    c->session->attempt = i;
    rc = transport_open(c, now + seek_share(begin, until_ns, now), &turn);
    begin += turn; /* others had that time */
    until_ns += turn;
    if (rc == 0 || c->out.permanent || c->out.over)
      break;
    if (i > 0 && i % servers == 0) {
      end_round(&round, seen);
      pause_ms = min_u64(2 * pause_ms, PAUSE_LAST_MS);
    }
    note_seen(c, &round);
    now = clock_now_ns();
    call_pause(c, min_u64(now + transport_jittered(c, pause_ms), until_ns));
    now = clock_now_ns();
    if (now >= until_ns || (seen->len > 0 && env_is_over(c->env, now)))
      break;
  }
  if (rc == 0)
    c->first = c->session->attempt;
  if (rc == 0 || c->out.permanent)
    strbuf_clear(seen);
  else if (seen->len == 0)
    strbuf_adds(seen, strbuf_str(&round));
  strbuf_done(&round);
  return rc;
}

/* ---- a server that takes writes ---- */

static bool is_patient(const struct conn *c)
{
  const struct ignore_list *ignore = &c->handle->state->ignore;

  return ignore->connection || ignore->all || ignore->failover;
}

static enum seek_found try_one(struct conn *c, uint64_t until_ns, bool several)
{
  enum seek_found found = SEEK_NONE;

  if (transport_open(c, until_ns, NULL) < 0)
    return SEEK_NONE;
  if (!several || role_matters(c) || role_takes_writes(c, until_ns))
    return SEEK_WRITER;
  if (c->out.other_role)
    found = role_may_be_behind(c, until_ns) ? SEEK_REPLICA : SEEK_READ_ONLY;
  transport_drop(c);
  return found;
}

static void pause_until(uint64_t until_ns)
{
  const uint64_t now = clock_now_ns();

  thread_sleep_until(min_u64(now + (uint64_t)PAUSE_MS * NS_PER_MS, until_ns));
}

enum seek_found seek_writer(struct conn *c, struct strbuf *seen)
{
  const size_t servers = settled_servers(c);
  const bool patient = is_patient(c), several = servers > 1;
  const uint64_t begin = clock_now_ns(), until = transport_limit(c);
  enum seek_found best = SEEK_NONE, found = SEEK_NONE;
  struct strbuf round = { 0 };
  uint64_t now = begin;
  size_t refused = 0; /* for good, one after the other */

  for (unsigned i = 0; i < servers || (patient && now < until); i++) {
    if (i > 0 && i % servers == 0) {
      end_round(&round, seen);
      pause_until(until);
    }
    now = clock_now_ns();
    c->session->attempt = i;
    found = try_one(
      c, several ? now + seek_share(begin, until, now) : transport_limit(c),
      several);
    if (found == SEEK_WRITER || c->out.over)
      break;
    note_seen(c, &round);
    if (found > best) {
      best = found;
      c->first = i;
    }
    refused = c->out.permanent ? refused + 1 : 0;
    if (refused == servers) /* all of them */
      break;
    now = clock_now_ns();
  }
  if (found == SEEK_WRITER) {
    best = found;
    c->first = c->session->attempt;
  }
  if (seen->len == 0)
    strbuf_adds(seen, strbuf_str(&round));
  strbuf_done(&round);
  return best;
}

/* ---- the one server of a command ---- */

static enum seek_found seek_any(struct conn *c, struct strbuf *seen)
{
  if (!role_matters(c))
    return seek_writer(c, seen);
  return seek_role(c, transport_limit(c), seen) == 0 ? SEEK_WRITER : SEEK_NONE;
}

enum seek_found seek_one(struct conn *c, struct strbuf *seen)
{
  const uint64_t settled = settled_load(c);
  enum seek_found found;

  if (settled) {
    settled_aim(c, settled);
    if (transport_open(c, transport_limit(c), NULL) == 0)
      return SEEK_SETTLED;
  }
  c->session->number = 0;
  found = seek_any(c, seen);
  if (found == SEEK_REPLICA || found == SEEK_READ_ONLY) {
    /* Others of the command read what it may not have. */
    if (settled_writes(settled_load(c)))
      return SEEK_NONE;
    c->session->attempt = c->first;
    if (transport_open(c, transport_limit(c), NULL) < 0)
      return SEEK_NONE;
  }
  if (found != SEEK_NONE)
    settled_store(c, found == SEEK_WRITER);
  return found;
}

int seek_server(struct conn *c, uint64_t until_ns, struct strbuf *seen)
{
  return role_matters(c) ? seek_role(c, until_ns, seen)
                         : transport_open(c, until_ns, NULL);
}
