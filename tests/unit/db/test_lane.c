/*
 * test_lane.c - clients with statements in flight on one session: in which
 * order they are sent and answered, whose rows and errors they are, and who has
 * the session alone.
 */
#include "tests/unit/db/lane_rig.h"

static const char *const some[] = { "1213" };

/* What follows each of these marks in the log. */
static const char *after_marks(const char *log, char mark, char *ret)
{
  char *to = ret;

  for (const char *at = log; (at = strchr(at, mark)) != NULL;) {
    at++;
    while (*at && *at != ';')
      *to++ = *at++;
    *to++ = ' ';
  }
  *to = '\0';
  return ret;
}

static void test_order(void)
{
  struct wire *w = wire_new(NULL);
  const char *log = run(w, 3, ask_one);
  const struct line_sum sum = lines_sum(&w->scene.process.lines);
  const char *first_answer = strchr(log, '=');
  char sent[256], read[256];

  OK(strncmp(log, "connect;+", 9) == 0 &&
       comes_after(log, "=", "disconnect;") &&
       !comes_after(log, "+", "connect;+"),
     "one session, from the first client to the last");
  OK(first_answer && strstr(log, "+a0;") < first_answer &&
       strstr(log, "+b0;") < first_answer && strstr(log, "+c0;") < first_answer,
     "nobody waits for the answers of others before the send");
  OK_STR(after_marks(log, '+', sent), after_marks(log, '=', read),
         "answers come in the order of the requests");
  OK_STR(w->scene.client[0].text, "a0,a1,a2,", "the first client has its rows");
  OK_STR(w->scene.client[1].text, "b0,b1,b2,", "and the second");
  OK_STR(w->scene.client[2].text, "c0,c1,c2,", "and the third");
  OK(sum.statements == 9 && sum.sends > 0 && sum.sends < 9,
     "statements are counted, and sent together");
  wire_free(w);
}

static void ask_badly(struct client *c, unsigned n)
{
  if (c->number == 1 && n == 0) {
    ask(c, "E1");
    ask(c, "b0"); /* the event starts again */
  } else {
    ask_one(c, n);
  }
}

static void test_error(void)
{
  struct wire *w = wire_new(some);
  struct line_sum sum;

  (void)run(w, 2, ask_badly);
  sum = lines_sum(&w->scene.process.lines);
  OK(sum.statements == 7 && sum.sends <= 7, "all that were sent are counted");
  OK_STR(w->scene.client[0].text, "a0,a1,",
         "the error of another one is not there");
  OK_STR(w->scene.client[1].text, "I1213,b0,b1,", "it is its own client's");
  OK_STR(w->scene.client[2].text, "c0,c1,",
         "and not of who was sent behind it");
  wire_free(w);
}

/* All of it has succeeded, and the script asks for another attempt. */
static void ask_again(struct client *c, unsigned n)
{
  ask_one(c, n);
  env_undo_attempt(&c->env);
  ask_one(c, n);
}

static void test_restart(void)
{
  struct wire *w = wire_new(NULL);

  (void)run(w, 2, ask_again);
  OK_STR(w->scene.client[1].text, "b0,b0,b1,b1,",
         "an event that starts again has its statement again");
  wire_free(w);
}

/* The literals of a session that is open. */
static bool quote(struct session *s, const char *text, size_t len,
                  struct strbuf *to, const char **ret_why)
{
  (void)ret_why;
  strbuf_addf(to, "<%.*s of %s>", (int)len, text,
              s->dialect == EMUL_MYSQL ? "it" : "none");
  return true;
}

static void execute_text(struct client *c, unsigned n)
{
  struct stmt *st = stmt_prepare(c->con, "x?", 2);
  char text[] = "y";
  unsigned long len = 1;
  const sql_bind bind = { .type = SQL_TYPE_VARCHAR,
                          .buffer = text,
                          .data_len = &len };

  (void)n;
  MUST(st && stmt_bind(st, &bind, 1) == 0);
  (void)stmt_execute(st);
  (void)stmt_close(st);
}

static void test_quote(void)
{
  struct wire *w = wire_new(NULL);
  const char *log;

  w->scene.driver.dialect = 0; /* until it is connected */
  w->scene.driver.quote = quote;
  w->scene.process.set.ps_mode = PS_DISABLE;
  log = run(w, 1, execute_text);
  OK(count_of(log, "+x <y of it>;") == CLIENTS,
     "strings are quoted as the session has them");
  wire_free(w);
}

/* The last client does something of its own between its events. */
static void ask_between(struct client *c, unsigned n)
{
  ask_one(c, n);
  if (c->number != 2)
    return;
  c->event_open = false;
  ask(c, "alone");
  c->event_open = true;
}

static void test_alone(void)
{
  struct wire *w = wire_new(NULL);
  const char *log = run(w, 4, ask_between);

  OK(count_of(log, "alone;") == 4,
     "a statement outside of events has the session alone");
  OK_STR(w->scene.client[0].text, "a0,a1,a2,a3,", "and others go on");
  OK_STR(w->scene.client[1].text, "b0,b1,b2,b3,", "all of them");
  wire_free(w);
}

static void ask_too_much(struct client *c, unsigned n)
{
  ask_one(c, n);
  ask(c, "two");
  OK(c->con->pub.error == DB_ERROR_FATAL &&
       strcmp(conn_failure(c->con)->api_error,
              "--pipeline is for events of one statement, and this is the "
              "second one of an event: two") == 0,
     "a second statement");
  ask(c, "/* x */ START TRANSACTION");
  OK(strcmp(conn_failure(c->con)->api_error,
            "--pipeline is for events of one statement, and this one begins a "
            "transaction: /* x */ START TRANSACTION") == 0,
     "a transaction");
  OK(conn_reconnect(c->con) == 1 && conn_failure(c->con)->api_error,
     "a connection that others have cannot be replaced");
  OK(!conn_open(c->handle, NULL), "nor can there be a second one");
}

static void test_refused(void)
{
  struct wire *w = wire_new(NULL);
  const char *log = run(w, 1, ask_too_much);

  OK(!strstr(log, "two") && !strstr(log, "START"), "nothing of it was sent");
  wire_free(w);
}

static void test_no_place(void)
{
  struct wire *w = wire_new(NULL);
  struct client *c = &w->scene.client[0];

  c->con = conn_open(c->handle, NULL);
  MUST(c->con);
  MUST(line_enter(&w->scene.client[1].env));
  c->event_open = true;
  ask(c, "a0");
  OK(c->con->pub.error == DB_ERROR_FATAL &&
       strstr(conn_failure(c->con)->api_error, "cannot wait"),
     "who cannot be parked gets an error");
  line_leave(&w->scene.client[1].env);
  ask(c, "a1");
  OK(c->con->pub.error == DB_ERROR_NONE, "or goes on where nobody is before");
  for (unsigned i = 0; i < CLIENTS; i++)
    env_done(&w->scene.client[i].env);
  wire_free(w);
}

static void test_shares(void)
{
  struct lines l;

  OK(lines_count(2, 10, 3) == 4 && lines_count(1, 10, 10) == 1 &&
       lines_count(3, 10, 1) == 10,
     "how many connections there are");
  MUST(lines_init(&l, 2, 10, 3));
  OK(lines_find(&l, 0) == lines_find(&l, 4) &&
       lines_find(&l, 0) != lines_find(&l, 6) &&
       lines_find(&l, 0) != lines_find(&l, 1) &&
       lines_find(&l, 6) == lines_find(&l, 8),
     "those of a thread have them in turn");
  lines_done(&l);
}

int main(void)
{
  log_set_level(LOG_FATAL);
  test_order();
  test_error();
  test_restart();
  test_quote();
  test_alone();
  test_refused();
  test_no_place();
  test_shares();
  return TAP_EXIT();
}
