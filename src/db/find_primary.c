#include "db/find_primary.h"

#include "base/minmax.h"
#include "db/call.h"
#include "db/conn_state.h"
#include "db/driver.h"
#include "db/options.h"
#include "db/role.h"
#include "db/transport.h"
#include "loop/loop.h"

enum {
  PAUSE_FIRST_MS = 20, /* doubles in each round */
  PAUSE_LAST_MS = 500,
  PAUSE_MS = 100, /* between rounds of find_writer() */
};

static void find_note_seen(const struct conn *c, struct strbuf *seen)
{
  strbuf_adds(seen, seen->len > 0 ? "; " : "");
  c->driver->target(c->session, seen);
  strbuf_adds(seen, ": ");
  if (c->out.other_role)
    strbuf_adds(seen, c->out.msg);
  else
    c->driver->connect_reason(c->session, &c->out, seen);
}

static void find_end_round(struct strbuf *round, struct strbuf *seen)
{
  strbuf_clear(seen);
  strbuf_adds(seen, strbuf_str(round));
  strbuf_clear(round);
}

/* A silent server leaves half for others; the last attempts have a quarter. */
static uint64_t find_share_ns(uint64_t begin_ns, uint64_t until_ns,
                              uint64_t now)
{
  const uint64_t all = until_ns > begin_ns ? until_ns - begin_ns : 0;
  const uint64_t rest = until_ns > now ? until_ns - now : 0;

  return max_u64(rest / 2, all / 4);
}

uint64_t find_served(const struct conn *c)
{
  /* Never 0, which means the first connection of the process. */
  return atomic_load_explicit(&c->env->process->served, memory_order_relaxed) +
         role_servers(c);
}

static int find_role(struct conn *c, uint64_t until_ns, struct strbuf *seen)
{
  const size_t servers = role_servers(c);
  struct strbuf round = { 0 };
  uint64_t begin = clock_now_ns(), now = begin, pause_ms = PAUSE_FIRST_MS, turn;
  int rc;

  for (unsigned i = 0;; i++) {
    c->session->attempt = i;
    rc = transport_open(c, now + find_share_ns(begin, until_ns, now), &turn);
    begin += turn;
    until_ns += turn;
    if (rc == 0 || c->out.permanent || c->out.over)
      break;
    if (i > 0 && i % servers == 0) {
      find_end_round(&round, seen);
      pause_ms = min_u64(2 * pause_ms, PAUSE_LAST_MS);
    }
    find_note_seen(c, &round);
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

static bool find_is_patient(const struct conn *c)
{
  const struct ignore_list *ignore = &c->handle->state->ignore;

  return ignore->connection || ignore->all || ignore->failover;
}

static enum find_result find_try_one(struct conn *c, uint64_t until_ns,
                                     bool several)
{
  enum find_result found = FIND_NONE;

  if (transport_open(c, until_ns, NULL) < 0)
    return FIND_NONE;
  if (!several || role_matters(c) || role_takes_writes(c, until_ns))
    return FIND_WRITER;
  if (c->out.other_role)
    found = role_may_be_behind(c, until_ns) ? FIND_REPLICA : FIND_READ_ONLY;
  transport_drop(c);
  return found;
}

enum find_result find_writer(struct conn *c, struct strbuf *seen)
{
  const size_t servers = role_servers(c);
  const bool patient = find_is_patient(c), several = servers > 1;
  const uint64_t begin = clock_now_ns(), until = transport_limit(c);
  enum find_result best = FIND_NONE, found = FIND_NONE;
  struct strbuf round = { 0 };
  uint64_t now = begin;
  size_t refused = 0; /* in a row */

  for (unsigned i = 0; i < servers || (patient && now < until); i++) {
    if (i > 0 && i % servers == 0) {
      find_end_round(&round, seen);
      loop_sleep_until(
        min_u64(clock_now_ns() + (uint64_t)PAUSE_MS * NS_PER_MS, until));
    }
    now = clock_now_ns();
    c->session->attempt = i;
    found = find_try_one(
      c, several ? now + find_share_ns(begin, until, now) : transport_limit(c),
      several);
    if (found == FIND_WRITER || c->out.over)
      break;
    find_note_seen(c, &round);
    if (found > best) {
      best = found;
      c->first = i;
    }
    refused = c->out.permanent ? refused + 1 : 0;
    if (refused == servers)
      break;
    now = clock_now_ns();
  }
  if (found == FIND_WRITER) {
    best = found;
    c->first = c->session->attempt;
  }
  if (seen->len == 0)
    strbuf_adds(seen, strbuf_str(&round));
  strbuf_done(&round);
  return best;
}

enum find_result find_one_server(struct conn *c, struct strbuf *seen)
{
  const uint64_t settled = role_cache_load(c);
  enum find_result found = FIND_NONE;

  if (settled) {
    role_cache_aim(c, settled);
    if (transport_open(c, transport_limit(c), NULL) == 0)
      return FIND_CACHED;
  }
  c->session->number = 0;
  if (!role_matters(c))
    found = find_writer(c, seen);
  else if (find_role(c, transport_limit(c), seen) == 0)
    found = FIND_WRITER;
  if (found == FIND_REPLICA || found == FIND_READ_ONLY) {
    /* The others use a server that takes writes; a replica can lag behind. */
    if (role_cache_writes(role_cache_load(c)))
      return FIND_NONE;
    c->session->attempt = c->first;
    if (transport_open(c, transport_limit(c), NULL) < 0)
      return FIND_NONE;
  }
  if (found != FIND_NONE)
    role_cache_store(c, found == FIND_WRITER);
  return found;
}

int find_server(struct conn *c, uint64_t until_ns, struct strbuf *seen)
{
  return role_matters(c) ? find_role(c, until_ns, seen)
                         : transport_open(c, until_ns, NULL);
}

static const char *find_primary_why_not(const struct conn *c)
{
  if (role_servers(c) == 1)
    return "the server cannot be reached";
  return c->env->process->set.target == ROLE_REPLICA
           ? "no server of the lists can be reached and is a replica"
           : "no server of the lists can be reached and takes writes";
}

const char *find_server_after_run(struct driver_handle *h)
{
  struct strbuf seen = { 0 };
  struct conn *c;
  const char *why = NULL;

  if (!(h->driver->caps & DRIVER_SERVER))
    return NULL;
  c = conn_new(h, NULL);
  if (!c)
    return "not enough memory";
  c->session->number = find_served(c);
  h->env->awaited = find_writer(c, &seen) == FIND_WRITER;
  strbuf_done(&seen);
  if (!h->env->awaited)
    why = find_primary_why_not(c);
  transport_drop(c);
  c->state = CONN_FREED;
  conn_unref(c);
  return why;
}
