/*
 * mysql_logins.c - sessions of MySQL and MariaDB that are opened without the
 * client library: they are as the library would have made them, and fail as the
 * library fails.
 *
 * Arguments are options of the driver, of an account with a password if it is
 * reached by TCP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "db/password.h"
#include "db/process.h"
#include "drivers/mysql/session.h"
#include "suite.h"

/* Opens the session again, by one way or the other. */
static int again(struct conn *c, bool raw, struct outcome *out)
{
  *out = (struct outcome){ 0 };
  c->session->may_be_raw = raw;
  return password_connect(&c->env->process->password, c->session,
                          &c->env->process->limiter, false,
                          clock_now_ns() + 10 * NS_PER_S, out);
}

static void close_session(struct conn *c)
{
  c->driver->disconnect(c->session);
}

/* ---- success ---- */

/* What a session is like, row by row. */
static void describe(struct conn *c, struct strbuf *to)
{
  static const char sql[] =
    "SELECT @@character_set_client, @@character_set_results, "
    "@@collation_connection, @@sql_mode, @@autocommit, DATABASE(), USER(), "
    "(SELECT VARIABLE_VALUE FROM information_schema.SESSION_STATUS "
    "WHERE VARIABLE_NAME = 'Ssl_cipher')";
  struct mysql_session *s = session_of(c->session);
  struct outcome out = { 0 };
  sql_value values[8];

  strbuf_addf(to, "dialect %u tcp %d bulk %d id %d", c->session->dialect,
              s->tcp, s->wire.bulk, s->id != 0);
  if (c->driver->query(c->session, sql, sizeof(sql) - 1, &out) < 0 ||
      !c->driver->fetch(c->session, values)) {
    strbuf_addf(to, " failed: %s", out.msg ? out.msg : "no row");
    return;
  }
  for (size_t i = 0; i < 8; i++) {
    strbuf_adds(to, " ");
    if (values[i].ptr)
      strbuf_add(to, values[i].ptr, values[i].len);
  }
}

static void successes(struct conn *c)
{
  struct strbuf own = { 0 }, library = { 0 };
  struct outcome out;

  ok(session_of(c->session)->mysql == NULL, "a session without the library");
  close_session(c);
  ok(again(c, false, &out) == 0 && session_of(c->session)->mysql,
     "a session with it");
  describe(c, &library);
  close_session(c);
  ok(again(c, true, &out) == 0 && !session_of(c->session)->mysql,
     "and another one without");
  describe(c, &own);
  ok_str(strbuf_str(&own), strbuf_str(&library), "they are alike");
  close_session(c);
  strbuf_done(&own);
  strbuf_done(&library);
}

/* ---- failures ---- */

/* The library's number of the system can be that of an earlier call. */
static void drop_number(char *text)
{
  char *at = strrchr(text, '(');

  if (at && at[1 + strspn(at + 1, "0123456789")] == ')')
    *at = '\0';
}

static void alike(struct conn *c, const char *what)
{
  struct outcome own, library;
  char text[1024], theirs[1024], state[6] = "";
  int rc = again(c, true, &own);

  (void)snprintf(text, sizeof(text), "%s", own.msg ? own.msg : "");
  memcpy(state, own.state, sizeof(own.state));
  ok(rc < 0 && again(c, false, &library) < 0, "%s", what);
  (void)snprintf(theirs, sizeof(theirs), "%s", library.msg);
  drop_number(text);
  drop_number(theirs);
  ok_str(text, theirs, "the same text");
  ok_str(state, library.state, "the same state");
  ok(own.code == library.code && own.permanent == library.permanent &&
       own.no_server == library.no_server && own.lost == library.lost,
     "the same code and consequences");
}

static void failures(struct conn *c, struct mysql_cfg *cfg)
{
  static const char *const nowhere[] = { "/nowhere/socket" };
  static const char *const closed[] = { "1" };
  const struct mysql_cfg right = *cfg;

  cfg->db = "no_such_database";
  alike(c, "a database that does not exist");
  *cfg = right;
  cfg->password = "wrong";
  alike(c, "a wrong password");
  *cfg = right;
  cfg->user = "nobody_of_this_name";
  cfg->password = "wrong";
  alike(c, "a user who does not exist");
  *cfg = right;
  if (cfg->sockets.n > 0)
    cfg->sockets = (struct opt_list){ 1, (const char **)(uintptr_t)nowhere };
  else
    cfg->ports = (struct opt_list){ 1, (const char **)(uintptr_t)closed };
  alike(c, "no server");
  *cfg = right;
}

/* Our own login could not, for one session: the others do not try. */
static void given_up(struct rig *r)
{
  struct mysql_cfg *cfg = r->cfg;
  struct outcome out;

  cfg->compression = true;
  ok(again(r->con, true, &out) == 0 && session_of(r->con->session)->mysql,
     "the library opens what our own login cannot");
  cfg->compression = false;
  for (int i = 0; i < 2; i++) {
    close_session(r->con);
    ok(again(r->con, true, &out) == 0 && session_of(r->con->session)->mysql,
       "and the sessions after it");
  }
}

int main(int argc, char **argv)
{
  const struct rig_settings set = { .argc = argc, .argv = argv };
  struct outcome out;
  struct rig r;

  if (!rig_open(&r, &set)) {
    printf("Bail out! cannot connect\n");
    return 1;
  }
  successes(r.con);
  failures(r.con, r.cfg);
  ok(again(r.con, true, &out) == 0 && !session_of(r.con->session)->mysql,
     "failures do not end the logins without the library");
  close_session(r.con);
  given_up(&r);
  rig_close(&r);
  return tap_end();
}
