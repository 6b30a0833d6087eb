/*
 * seek.c - the first server of the lists that has the role of --target.
 */
#include "db/seek.h"

#include <string.h>

#include "base/minmax.h"
#include "db/call.h"
#include "db/role_check.h"
#include "db/transport.h"

enum {
  PAUSE_FIRST_MS = 20, /* between two servers; twice as long in each round */
  PAUSE_LAST_MS = 500,
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

/* Is the target of the session this one? */
static bool is_at(const struct conn *c, const struct strbuf *target)
{
  struct strbuf here = { 0 };
  bool same;

  c->driver->target(c->session, &here);
  same = strcmp(strbuf_str(&here), strbuf_str(target)) == 0;
  strbuf_done(&here);
  return same;
}

uint64_t seek_share(uint64_t begin_ns, uint64_t until_ns, uint64_t now)
{
  const uint64_t all = until_ns > begin_ns ? until_ns - begin_ns : 0;
  const uint64_t rest = until_ns > now ? until_ns - now : 0;

  return max_u64(rest / 2, all / 4);
}

size_t seek_servers(const struct conn *c)
{
  const struct driver *d = c->driver;

  return d->servers ? d->servers(c->handle->cfg) : 1;
}

uint64_t seek_served(const struct conn *c)
{
  /* Not 0: that is the first connection of the process. */
  return atomic_load_explicit(&c->env->process->served, memory_order_relaxed) +
         seek_servers(c);
}

static int seek_role(struct conn *c, uint64_t until_ns, struct strbuf *seen)
{
  struct strbuf first = { 0 }, round = { 0 };
  uint64_t begin = clock_now_ns(), now = begin, pause_ms = PAUSE_FIRST_MS, turn;
  int rc;

  for (unsigned i = 0;; i++) {
    c->session->attempt = i;
    rc = transport_open(c, now + seek_share(begin, until_ns, now), &turn);
    begin += turn; /* others had that time */
    until_ns += turn;
    if (rc == 0 || c->out.permanent)
      break;
    if (i == 0) {
      c->driver->target(c->session, &first);
    } else if (is_at(c, &first)) { /* the lists begin again */
      strbuf_clear(seen);
      strbuf_adds(seen, strbuf_str(&round));
      strbuf_clear(&round);
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
  strbuf_done(&first);
  strbuf_done(&round);
  return rc;
}

int seek_server(struct conn *c, uint64_t until_ns, struct strbuf *seen)
{
  return role_matters(c) ? seek_role(c, until_ns, seen)
                         : transport_open(c, until_ns, NULL);
}
