/*
 * light.c - sessions without libpq.
 *
 * libpq keeps 35 KiB for a connection, which it needs to log in and to say what
 * the connection is like.  Statements are executed without it (wire.h), so a
 * session that will do nothing else can do without it from then on, and
 * thousands of them fit into little memory.  If nobody asks what it is like, it
 * can log in without libpq, too, which with SCRAM costs a hundredth: libpq
 * computes the key of the password each time.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "db/env.h"
#include "drivers/pgsql/arrival.h"
#include "drivers/pgsql/session.h"
#include "drivers/pgsql/wire.h"
#include "drivers/pgsql/wire_answer.h"
#include "drivers/wire/detach.h"
#include "drivers/wire/keepalive.h"
#include "loop/loop.h"

/* From now on the session has this socket, and no library.  The wire hears all
 * changes of settings. */
static void be_light(struct pgsql_session *p, int fd)
{
  p->fd = fd;
  atomic_store_explicit(&p->fd_to_cut, fd, memory_order_relaxed);
  p->light = true;
  p->wire.small = true;
  p->settings_moved = true;
  p->base.blocks = 0;
}

/* ---- from the start ---- */

static bool is_possible(const struct session *s)
{
  const struct pgsql_cfg *cfg = s->cfg;

  return s->may_be_light && cfg->protocol != PGSQL_LIBRARY &&
         !atomic_load_explicit(&s->env->process->library_logs_in,
                               memory_order_relaxed);
}

void pgsql_light_never(struct session *s)
{
  atomic_store_explicit(&s->env->process->library_logs_in, true,
                        memory_order_relaxed);
}

/*
 * What the server itself has said is final, and so is a login that it has not
 * proven its part of.  Other failures may be those of one
 * address among several, and the library knows best what they mean.
 */
static bool is_final(const struct pgsql_arrival *a)
{
  return a->greet.forged || (a->greet.refused && a->greet.state[0] != '\0');
}

/* Half of the time: the rest is the library's. */
static uint64_t half_way(uint64_t until_ns)
{
  const uint64_t now = clock_now_ns();

  return now < until_ns ? now + (until_ns - now) / 2 : until_ns;
}

/* The arrival's socket, and what the server has told, are the session's. */
static void adopt(struct pgsql_session *p, struct pgsql_arrival *a)
{
  const struct pgsql_greet *g = &a->greet;

  be_light(p, a->trip.fd);
  a->trip.fd = -1;
  (void)wire_keep_alive(p->fd);
  p->plain_chosen = p->plain = true;
  p->encoding = pg_char_to_encoding(g->encoding);
  pgsql_set_dialect(p, g->backslash ? "off" : "on");
  p->can_cancel = g->can_cancel;
  memcpy(p->cancel, g->cancel, sizeof(p->cancel));
}

enum visit_rc pgsql_light_connect(struct session *s, uint64_t until_ns,
                                  struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(s);
  struct visit visit = { .until_ns = half_way(until_ns) };
  struct pgsql_arrival a;
  enum visit_rc rc;

  if (!is_possible(s))
    return VISIT_CANNOT;
  rc = pgsql_arrive(&a, s, &visit, out);
  if (rc == VISIT_CANNOT)
    pgsql_light_never(s);
  else if (rc == VISIT_FAILED && !is_final(&a))
    rc = VISIT_CANNOT;
  else if (rc == VISIT_DONE && wire_buffer_have(&a.trip.in) > 0)
    rc = VISIT_CANNOT; /* the library reads on */
  else if (rc == VISIT_DONE)
    adopt(p, &a);
  pgsql_arrival_done(&a);
  return rc;
}

/* ---- later ---- */

void pgsql_lighten(struct session *s)
{
  struct pgsql_session *p = pgsql_of(s);
  int fd;

  if (p->light || !p->plain || p->broken || p->rows || p->ahead.result ||
      p->closing.len > 0)
    return;
  pgsql_wire_lend(p);
  fd = wire_detach(p->fd);
  if (fd < 0)
    return;
  if (!p->settings_moved)
    p->encoding = PQclientEncoding(p->conn);
  loop_forget(p->fd);
  PQfinish(p->conn);
  PQclear(p->failed);
  PQclear(p->goodbye);
  p->conn = NULL;
  p->failed = p->goodbye = NULL;
  be_light(p, fd);
}

/* ---- what a light session does ---- */

void pgsql_light_close(struct pgsql_session *p)
{
  static const uint8_t terminate[] = { 'X', 0, 0, 0, 4 };

  loop_forget(p->fd);
  (void)send(p->fd, terminate, sizeof(terminate), MSG_DONTWAIT | MSG_NOSIGNAL);
  (void)close(p->fd);
}

bool pgsql_light_run(struct pgsql_session *p, const char *sql)
{
  struct outcome out = { 0 };
  const bool ran = pgsql_wire_query(p, sql, strlen(sql), &out) == 0 &&
                   pgsql_wire_drain(p, &out) == 0;

  if (!ran && out.lost && out.msg != strbuf_str(&p->last_text))
    pgsql_note_last_words(p, out.state, out.msg);
  pgsql_wire_end(&p->wire);
  return ran;
}

static int prepare(struct pgsql_prepared *st, const char *sql,
                   struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(st->base.session);
  struct pgsql_wire_answer a = { .parsed = true };

  if (p->broken || !pgsql_wire_is_clear(p))
    return pgsql_wire_fail(p, &a, true, out);
  if (!pgsql_wire_send_parse(st, sql))
    return pgsql_no_memory(out);
  if (!pgsql_wire_read(p, &a, out))
    return pgsql_wire_fail(p, &a, true, out);
  return a.failed ? pgsql_wire_fail(p, &a, false, out) : 0;
}

/* The rows of an open result stay; the answer is received beside them. */
int pgsql_light_prepare(struct pgsql_prepared *st, const char *sql,
                        struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(st->base.session);
  struct pgsql_wire *w = &p->wire;
  const struct pgsql_wire before = *w;
  int rc;

  if (w->rows_left == 0)
    return prepare(st, sql, out);
  w->in = (struct wire_buffer){ 0 };
  rc = prepare(st, sql, out);
  if (rc < 0 && out->msg) {
    strbuf_clear(&p->text);
    strbuf_add(&p->text, out->msg, strnlen(out->msg, PGSQL_TEXT - 1));
    out->msg = strbuf_str(&p->text);
  }
  wire_buffer_done(&w->in);
  w->in = before.in;
  w->row_at = before.row_at;
  w->rows_left = before.rows_left;
  w->n_fields = before.n_fields;
  return rc;
}
