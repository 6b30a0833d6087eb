/*
 * test_lane.c - clients with statements in flight on one session: in which
 * order they are sent and answered, whose rows and failures they are, and who
 * has the session alone.
 */
#include "base/log.h"
#include "db/lane.h"
#include "db/line.h"
#include "loop/fiber.h"
#include "loop/loop.h"
#include "tests/unit/fake_driver.h"
#include "tests/unit/tap.h"

enum {
  CLIENTS = 3,
  STACK = 256 * 1024,
  QUEUE = 16,
  TEXT = 16,
};

static const char *const connection[] = { "connection" };
static const char *const some[] = { "1213" };
static const char *const failover[] = { "failover" };

struct client {
  struct scene *scene;
  struct db_env env;
  struct driver_handle *handle;
  struct conn *con;
  bool event_open;
  uint64_t event_number;
  unsigned number;
  char rows[256]; /* what it has read */
};

/* Clients of one thread, whose connection all of them share. */
struct scene {
  struct fake fake; /* first: the sessions have it */
  struct driver driver;
  struct driver_config config;
  struct db_process process;
  struct recorders recorders;
  struct client client[CLIENTS];
  void (*event)(struct client *c, unsigned n);
  unsigned events;
  unsigned at_gate;

  /* What is in flight. */
  char asked[QUEUE][TEXT];
  unsigned n_asked, n_pushed, n_answered;
  uint64_t sends;
  bool has_row;
  char row[TEXT];
};

static const bool counted = true;

static struct scene *scene_of(const struct session *s)
{
  return (struct scene *)(uintptr_t)s->cfg;
}

/* ---- a server that answers what was sent, one after the other ---- */

static bool possible(struct session *s, const char **ret_why)
{
  (void)s;
  (void)ret_why;
  return true;
}

static int begin(struct session *s, struct outcome *out)
{
  struct scene *sc = scene_of(s);

  (void)out;
  MUST(sc->n_asked == sc->n_answered);
  sc->n_asked = sc->n_pushed = sc->n_answered = 0;
  return 0;
}

static int add(struct session *s, const char *sql, size_t len,
               struct outcome *out)
{
  struct scene *sc = scene_of(s);

  (void)out;
  (void)snprintf(sc->asked[sc->n_asked++ % QUEUE], TEXT, "%.*s", (int)len, sql);
  return 0;
}

static bool mark(struct session *s)
{
  struct scene *sc = scene_of(s);

  strbuf_addf(&sc->fake.log, "+%s;", sc->asked[(sc->n_asked - 1) % QUEUE]);
  return true;
}

static bool push(struct session *s, bool wait)
{
  struct scene *sc = scene_of(s);

  (void)wait;
  if (sc->n_pushed == sc->n_asked)
    return true;
  sc->n_pushed = sc->n_asked;
  sc->sends++;
  strbuf_adds(&sc->fake.log, "send;");
  return true;
}

static uint64_t sends(const struct session *s)
{
  return scene_of(s)->sends;
}

static bool has_arrived(const struct session *s)
{
  const struct scene *sc = scene_of(s);

  return sc->n_pushed > sc->n_answered + 1; /* they come two by two */
}

static int receive(struct session *s, struct prepared *p, const char *sql,
                   size_t len, struct outcome *out)
{
  struct scene *sc = scene_of(s);
  const char *is = sc->asked[sc->n_answered % QUEUE];

  (void)p;
  MUST(strlen(is) == len && memcmp(is, sql, len) == 0);
  while (sc->n_pushed == sc->n_answered)
    fiber_yield();
  fiber_yield();
  sc->n_answered++;
  if (*is == 'L') {
    sc->n_asked = sc->n_pushed = sc->n_answered = 0; /* nothing more comes */
    return fake_say((struct fake_answer){ .code = 2013, .lost = true }, out);
  }
  if (*is == 'R') {
    sc->n_asked = sc->n_pushed = sc->n_answered = 0;
    return fake_say((struct fake_answer){ .code = 1290 }, out);
  }
  if (*is == 'E')
    return fake_say((struct fake_answer){ .code = 1213 }, out);
  (void)snprintf(sc->row, sizeof(sc->row), "%s", is);
  sc->has_row = true;
  return fake_say((struct fake_answer){ .nfields = 1, .nrows = 1 }, out);
}

static int rest(struct session *s, struct outcome *out)
{
  (void)s;
  (void)out;
  return 0;
}

static int end_apart(struct session *s, struct outcome *out)
{
  struct scene *sc = scene_of(s);

  (void)out;
  strbuf_addf(&sc->fake.log, "=%s;", sc->asked[(sc->n_answered - 1) % QUEUE]);
  sc->has_row = false;
  return 0;
}

static int fetch(struct session *s, sql_value *values)
{
  struct scene *sc = scene_of(s);

  if (!sc->has_row)
    return 0;
  sc->has_row = false;
  values[0] = (sql_value){ (uint32_t)strlen(sc->row), sc->row };
  return 1;
}

static const struct driver_pipe pipe_calls = {
  .possible = possible,
  .begin = begin,
  .query = add,
  .receive = receive,
  .rest = rest,
  .mark_apart = mark,
  .push = push,
  .sends = sends,
  .has_arrived = has_arrived,
  .end_apart = end_apart,
};

/* What is done alone takes a while, in which nothing may be in flight. */
static int query_alone(struct session *s, const char *sql, size_t len,
                       struct outcome *out)
{
  struct scene *sc = scene_of(s);

  for (int i = 0; i < 3; i++) {
    MUST(sc->n_asked == sc->n_answered);
    fiber_yield();
  }
  return fake_query(s, sql, len, out);
}

/* ---- the clients ---- */

static struct scene *scene_new(const char *const *ignore)
{
  struct scene *s = calloc(1, sizeof(*s));
  const char *why = NULL;
  struct err err;

  MUST(s);
  s->driver = (struct driver)FAKE_DRIVER(DRIVER_BY_NUMBER);
  s->driver.query = query_alone;
  s->driver.fetch = fetch;
  s->driver.pipe = &pipe_calls;
  s->fake.ignore = (struct opt_list){ ignore ? 1 : 0, ignore };
  s->config = (struct driver_config){ .driver = &s->driver, .cfg = &s->fake };
  s->config.lanes = lane_driver_new(&s->driver, &why);
  MUST(s->config.lanes);
  s->process.drivers = &s->config;
  s->process.n_drivers = 1;
  s->process.in_run = true;
  s->process.carriers = 1;
  s->process.clients = CLIENTS;
  s->process.in_flight = CLIENTS;
  MUST(process_init(&s->process, &err) == 0);
  MUST(recorders_init(&s->recorders, 1, false, &err) == 0);
  for (unsigned i = 0; i < CLIENTS; i++) {
    struct client *c = &s->client[i];

    c->scene = s;
    c->number = i;
    c->env.process = &s->process;
    c->env.line = lines_find(&s->process.lines, i);
    c->env.recorder = s->recorders.of;
    c->env.under_deadline = true;
    c->env.shares_thread = true;
    c->env.counted = &counted;
    c->env.event_open = &c->event_open;
    c->env.event_number = &c->event_number;
    c->handle = env_driver(&c->env, NULL);
  }
  return s;
}

static void scene_free(struct scene *s)
{
  (void)process_done(&s->process);
  recorders_done(&s->recorders);
  strbuf_done(&s->fake.log);
  free((void *)(uintptr_t)s->config.lanes);
  free(s);
}

static const char *said(struct scene *s)
{
  static char text[4096];

  (void)snprintf(text, sizeof(text), "%s", strbuf_str(&s->fake.log));
  strbuf_clear(&s->fake.log);
  return text;
}

/* Asks, and notes down what it gets. */
static void ask(struct client *c, const char *sql)
{
  sql_result *rs = conn_query(c->con, sql, strlen(sql));
  const struct failure *f = conn_failure(c->con);
  const sql_row *row = rs ? conn_fetch_row(rs) : NULL;
  const size_t at = strlen(c->rows);

  if (row)
    (void)snprintf(c->rows + at, sizeof(c->rows) - at, "%.*s,",
                   (int)row->values[0].len, row->values[0].ptr);
  else if (c->con->pub.error != DB_ERROR_NONE)
    (void)snprintf(c->rows + at, sizeof(c->rows) - at, "%s%d%s,",
                   c->con->pub.error == DB_ERROR_FATAL ? "F" : "I", f->code,
                   f->reconnected ? "R" : "");
}

static void live(void *arg)
{
  struct client *c = arg;
  struct scene *s = c->scene;

  c->con = conn_open(c->handle, NULL);
  MUST(c->con);
  s->at_gate++;
  while (s->at_gate < CLIENTS + c->number) /* all of them, in this order */
    fiber_yield();
  s->at_gate++;
  for (unsigned i = 0; i < s->events; i++) {
    c->event_open = true;
    c->event_number++;
    s->event(c, i);
    c->event_open = false;
  }
  env_done(&c->env);
}

static const char *run(struct scene *s, unsigned events,
                       void (*event)(struct client *c, unsigned n))
{
  const struct loop_setup setup = { .stack_bytes = STACK };
  struct loop *l;
  struct err err;

  s->events = events;
  s->event = event;
  MUST(loop_new(&l, &setup, &err) == 0);
  for (unsigned i = 0; i < CLIENTS; i++)
    MUST(loop_add(l, live, &s->client[i], &err) == 0);
  loop_run(l);
  loop_free(l);
  return said(s);
}

static void ask_one(struct client *c, unsigned n)
{
  char sql[TEXT];

  (void)snprintf(sql, sizeof(sql), "%c%u", (int)('a' + c->number), n);
  ask(c, sql);
}

/* True: `b` comes later than `a`. */
static bool comes_after(const char *log, const char *a, const char *b)
{
  const char *at = strstr(log, a);

  return at && strstr(at, b);
}

static unsigned count_of(const char *log, const char *word)
{
  unsigned n = 0;

  for (const char *at = log; (at = strstr(at, word)) != NULL; at++)
    n++;
  return n;
}

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
  struct scene *s = scene_new(NULL);
  const char *log = run(s, 3, ask_one);
  const struct line_sum sum = lines_sum(&s->process.lines);
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
  OK_STR(s->client[0].rows, "a0,a1,a2,", "the first client has its rows");
  OK_STR(s->client[1].rows, "b0,b1,b2,", "and the second");
  OK_STR(s->client[2].rows, "c0,c1,c2,", "and the third");
  OK(sum.statements == 9 && sum.sends > 0 && sum.sends < 9,
     "statements are counted, and sent together");
  scene_free(s);
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
  struct scene *s = scene_new(some);
  struct line_sum sum;

  (void)run(s, 2, ask_badly);
  sum = lines_sum(&s->process.lines);
  OK(sum.statements == 7 && sum.sends <= 7, "all that were sent are counted");
  OK_STR(s->client[0].rows, "a0,a1,", "the error of another one is not there");
  OK_STR(s->client[1].rows, "I1213,b0,b1,", "it is its own client's");
  OK_STR(s->client[2].rows, "c0,c1,", "and not of who was sent behind it");
  scene_free(s);
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
  struct scene *s = scene_new(NULL);

  (void)run(s, 2, ask_again);
  OK_STR(s->client[1].rows, "b0,b0,b1,b1,",
         "an event that starts again has its statement again");
  scene_free(s);
}

static void meet_refusal(struct client *c, unsigned n)
{
  if (c->number == 1 && n == 0)
    ask(c, "R1");
  else
    ask_one(c, n);
}

static void test_refusal(void)
{
  struct scene *s = scene_new(failover);
  const char *log;

  s->fake.numbered = true;
  log = run(s, 2, meet_refusal);
  OK(comes_after(log, "connect 0;", "disconnect;connect 1;") &&
       count_of(log, "disconnect;") == 2 && !strstr(log, "connect 2;"),
     "a server that refuses is left once, for the next one");
  OK_STR(s->client[0].rows, "a0,I1290R,", "whose next event is refused");
  OK_STR(s->client[1].rows, "I1290R,b1,", "who was refused first");
  OK_STR(s->client[2].rows, "I1290R,c1,", "who was in flight");
  scene_free(s);
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
  struct scene *s = scene_new(NULL);
  const char *log;

  s->driver.dialect = 0; /* until it is connected */
  s->driver.quote = quote;
  s->process.set.ps_mode = PS_DISABLE;
  log = run(s, 1, execute_text);
  OK(count_of(log, "+x <y of it>;") == CLIENTS,
     "strings are quoted as the session has them");
  scene_free(s);
}

static void refuse_clients(void *arg)
{
  struct client *c = arg;

  c->con = conn_open(c->handle, NULL);
  OK(!c->con && c->env.reported, "no session, and that was said");
  env_done(&c->env);
}

static void test_no_session(void)
{
  struct scene *s = scene_new(NULL);
  const struct loop_setup setup = { .stack_bytes = STACK };
  struct loop *l;
  struct err err;

  s->fake.connect_fails = CLIENTS;
  MUST(loop_new(&l, &setup, &err) == 0);
  for (unsigned i = 0; i < CLIENTS; i++)
    MUST(loop_add(l, refuse_clients, &s->client[i], &err) == 0);
  loop_run(l);
  loop_free(l);
  OK_STR(said(s), "connect;", "those who have waited share the failure");
  OK(s->process.failures.count == CLIENTS && s->process.failures.n_reasons == 1,
     "which is counted for each of them");
  scene_free(s);
}

static void lose(struct client *c, unsigned n)
{
  if (c->number == 1 && n == 0)
    ask(c, "L1");
  else
    ask_one(c, n);
}

static void test_loss(void)
{
  struct scene *s = scene_new(connection);
  const char *log = run(s, 2, lose);

  OK(comes_after(log, "+L1;", "disconnect;connect;") &&
       count_of(log, "connect;") == 4, /* and its end */
     "the session is replaced once");
  OK_STR(s->client[0].rows, "a0,I2013R,", "whose next event meets the loss");
  OK_STR(s->client[1].rows, "I2013R,b1,", "who has met it first");
  OK_STR(s->client[2].rows, "I2013R,c1,", "who was in flight");
  scene_free(s);
}

static void test_fatal_loss(void)
{
  struct scene *s = scene_new(NULL);

  (void)run(s, 2, lose);
  OK_STR(s->client[0].rows, "a0,F2013,", "a loss that is not ignored");
  OK(strncmp(s->client[2].rows, "F2013,", 6) == 0, "is one for all");
  scene_free(s);
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
  struct scene *s = scene_new(NULL);
  const char *log = run(s, 4, ask_between);

  OK(count_of(log, "alone;") == 4,
     "a statement outside of events has the session alone");
  OK_STR(s->client[0].rows, "a0,a1,a2,a3,", "and others go on");
  OK_STR(s->client[1].rows, "b0,b1,b2,b3,", "all of them");
  scene_free(s);
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
  struct scene *s = scene_new(NULL);
  const char *log = run(s, 1, ask_too_much);

  OK(!strstr(log, "two") && !strstr(log, "START"), "nothing of it was sent");
  scene_free(s);
}

static void test_no_place(void)
{
  struct scene *s = scene_new(NULL);
  struct client *c = &s->client[0];

  c->con = conn_open(c->handle, NULL);
  MUST(c->con);
  MUST(line_enter(&s->client[1].env));
  c->event_open = true;
  ask(c, "a0");
  OK(c->con->pub.error == DB_ERROR_FATAL &&
       strstr(conn_failure(c->con)->api_error, "cannot wait"),
     "who cannot be parked gets an error");
  line_leave(&s->client[1].env);
  ask(c, "a1");
  OK(c->con->pub.error == DB_ERROR_NONE, "or goes on where nobody is before");
  for (unsigned i = 0; i < CLIENTS; i++)
    env_done(&s->client[i].env);
  scene_free(s);
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
  test_refusal();
  test_quote();
  test_no_session();
  test_loss();
  test_fatal_loss();
  test_alone();
  test_refused();
  test_no_place();
  test_shares();
  return TAP_EXIT();
}
