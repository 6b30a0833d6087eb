/*
 * lane_flight.c - statements of lanes in flight: each is sent behind those of
 * other clients, and its answer is read behind theirs.
 */
#include <stdio.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "db/lane_parts.h"
#include "db/line.h"
#include "loop/fiber.h"

static bool is_counted(const struct lane_call *call)
{
  const struct db_env *env = call->lane->base.env;

  return env->counted && *env->counted && env->recorder;
}

/* The driver sends by itself, too. */
static void count_sends(const struct lane_call *call)
{
  struct line *l = call->lane->line;
  const uint64_t sends = l->driver->pipe->sends(l->session);

  if (is_counted(call))
    line_figure(&l->figures.sends, sends - l->sends);
  l->sends = sends;
}

/* The session may have become one that a library serves. */
static int begin(const struct lane_call *call)
{
  struct line *l = call->lane->line;
  const struct driver_pipe *d = l->driver->pipe;
  const char *why = NULL;

  (void)lane_lend(call->lane); /* nobody reads */
  if (!d->possible(l->session, &why)) {
    (void)snprintf(call->lane->text, sizeof(call->lane->text), LANE_UNSUITABLE,
                   why ? why : "it has no server");
    call->out->api_error = call->lane->text;
    return -1;
  }
  l->begun = d->begin(l->session, call->out) == 0;
  l->sends = d->sends(l->session);
  return l->begun ? 0 : -1;
}

/* The session stays lent to who reads from it. */
static int add(const struct lane_call *call)
{
  struct line *l = call->lane->line;
  const struct driver_pipe *d = l->driver->pipe;
  struct session *s = l->session;
  int rc = 0;

  if (!l->begun)
    rc = begin(call);
  if (rc == 0)
    rc = call->prepared ? d->execute(call->prepared->prepared, call->out)
                        : d->query(s, call->sql, call->len, call->out);
  if (rc < 0)
    return lane_failed(call->lane, call->out);
  if (!d->mark_apart(s)) {
    *call->out = (struct outcome){ .lost = true, .msg = "not enough memory" };
    return lane_failed(call->lane, call->out);
  }
  if (is_counted(call))
    line_figure(&l->figures.statements, 1);
  return 0;
}

/*
 * The reader sends before it waits, so that requests of clients whose answers
 * have come together are sent together.  One that waits already has to be
 * helped, after others had time to add theirs.
 */
static void help_reader(const struct lane_call *call)
{
  struct line *l = call->lane->line;

  if (!l->reading)
    return;
  fiber_yield();
  if (!l->reading || l->broken)
    return;
  (void)l->driver->pipe->push(l->session, false);
  count_sends(call);
}

static int read_answer(const struct lane_call *call)
{
  struct line *l = call->lane->line;
  const struct driver_pipe *d = l->driver->pipe;
  struct lane_prepared *p = call->prepared;
  struct outcome *out = call->out;
  struct outcome late = { 0 };
  struct session *s = lane_lend(call->lane);
  bool more;
  int rc;

  s->unread = call->lane->base.unread; /* for the reader only */
  rc = d->receive(s, p ? p->prepared : NULL, call->sql, call->len, out);
  more = out->more;
  if (UNLIKELY(rc < 0))
    (void)lane_failed(call->lane, out);
  else if (out->counter == COUNTER_READ && !lane_keep_rows(call->lane, out))
    rc = lane_no_memory(call);
  if (UNLIKELY(more) && d->rest(s, &late) < 0)
    rc = -1;
  if (!late.lost && !out->lost) {
    struct outcome end = { 0 };

    if (d->end_apart(s, &end) < 0) {
      rc = -1;
      late = end;
    }
  }
  if (UNLIKELY(late.state[0] || late.lost || late.code != 0)) {
    lane_forget_rows(call->lane);
    *out = late;
    return lane_failed(call->lane, call->out);
  }
  return rc;
}

/*
 * An answer that has come with that of another client is there since that one
 * was read, and one that was in the socket when its client had its turn can be
 * there since the last look of the loop.  An answer of which a part was still
 * to come is one for which its own client has waited, and which the loop knows.
 */
static void note_arrival(struct line *l, uint64_t since_ns)
{
  const uint64_t came_ns = fiber_take_arrival();

  if (came_ns != 0)
    l->came_ns = came_ns;
  if (l->came_ns != 0 && (came_ns == 0 || since_ns > came_ns))
    fiber_note_lag(since_ns > l->came_ns ? since_ns - l->came_ns : 0);
}

static int receive(const struct lane_call *call)
{
  struct line *l = call->lane->line;
  uint64_t since_ns; /* it waits for nobody any more */
  int rc;

  (void)lane_lend(call->lane);
  l->reading = true;
  (void)fiber_take_arrival();
  since_ns = clock_now_ns();
  if (!l->driver->pipe->has_arrived(l->session))
    (void)l->driver->pipe->push(l->session, true);
  rc = read_answer(call);
  l->reading = false;
  note_arrival(l, since_ns);
  count_sends(call);
  call->lane->base.dialect = l->session->dialect;
  return lane_check_after(call, rc);
}

int lane_execute_in_flight(const struct lane_call *call)
{
  struct lane *lane = call->lane;
  struct db_env *env = lane->base.env;
  struct line *l = lane->line;
  uint64_t sent_ns;
  int rc;

  if (!line_join(env))
    return lane_cannot_wait(call->out);
  if (UNLIKELY(lane_is_stale(lane))) {
    rc = lane_lost(lane, call->out);
  } else if ((rc = add(call)) == 0) {
    sent_ns = lane_time(lane);
    line_added(env);
    help_reader(call);
    line_await(env);
    lane_count_time(lane, sent_ns);
    rc = UNLIKELY(l->broken) ? lane_lost(lane, call->out) : receive(call);
  }
  line_quit(env);
  return rc;
}
