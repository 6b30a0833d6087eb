/*
 * test_seek.c - the search in the lists of hosts and ports: for a role, and for
 * the one server of a command.
 */
#include "db/find_primary.h"

#include "base/clock.h"
#include "base/strbuf.h"
#include "db/options.h"
#include "tests/unit/fake_driver.h"
#include "tests/unit/tap.h"

/* The lists: the first server is there twice. */
static const char *const names[] = { "a", "a", "b" };

static size_t three(const void *cfg)
{
  (void)cfg;
  return 3;
}

static unsigned place_of(const struct session *s)
{
  return (unsigned)((s->number + s->attempt) % 3);
}

static void name_of(const struct session *s, struct strbuf *line)
{
  strbuf_adds(line, names[place_of(s)]);
}

static const struct driver one_server = FAKE_DRIVER(DRIVER_BY_NUMBER |
                                                    DRIVER_SERVER);
static const struct fake_answer a_number = { .nfields = 1,
                                             .nrows = 1,
                                             .settled = true };
static const struct fake_answer refusal = { .code = 1290 };

static struct driver lists(void)
{
  struct driver d = one_server;

  d.servers = three;
  d.target = name_of;
  d.role_query = "ROLE";
  return d;
}

/* A command whose servers answer the question for the role: they are read-only,
 * or not. */
static void begin(struct bed *b, const struct driver *d, const char *read_only)
{
  bed_open(b, d, NULL, 0);
  b->fake.numbered = true;
  b->fake.value = read_only;
  b->process->in_run = false;
  b->process->set.connect_timeout_s = 60;
}

static void answers(struct bed *b, unsigned n)
{
  while (n-- > 0)
    bed_answer(b, a_number);
}

/* Equal servers in a row are no end of the list: a search that has little time
 * asks all of it nevertheless. */
static void test_twice(void)
{
  const struct driver d = lists();
  struct strbuf seen = { 0 };
  struct bed b = { 0 };
  struct conn *c;

  begin(&b, &d, "1");
  b.process->set.target = ROLE_PRIMARY;
  b.over = 1;
  answers(&b, 4);
  c = conn_new(b.handle, NULL);
  OK(find_server(c, clock_now_ns() + 60 * NS_PER_S, &seen) < 0,
     "all of them are replicas");
  OK_STR(strbuf_str(&seen),
         "a: it is a replica; a: it is a replica; b: it is a replica",
         "each was asked");
  OK_STR(bed_log(&b),
         "connect 0;ROLE;end;disconnect;connect 1;ROLE;end;disconnect;"
         "connect 2;ROLE;end;disconnect;connect 3;ROLE;end;disconnect;",
         "until the lists began again");
  strbuf_done(&seen);
  conn_free(c);
  bed_close(&b);
}

/* The server of a new connection, 0 to 2, or 99. */
static unsigned server_of(struct bed *b)
{
  struct conn *c = conn_open(b->handle, NULL);
  const unsigned n = c ? place_of(c->session) : 99;

  if (c)
    conn_free(c);
  return n;
}

static void test_turns(void)
{
  const struct driver d = lists();
  struct bed b = { 0 };

  begin(&b, &d, "0");
  OK(server_of(&b) == 1 && server_of(&b) == 2 && server_of(&b) == 0,
     "connections take turns");
  bed_close(&b);
}

/* The one server of a command. */
static void test_one(void)
{
  const struct driver d = lists();
  struct bed b = { 0 };

  begin(&b, &d, "0");
  b.process->one_server = true;
  answers(&b, 1);
  OK(server_of(&b) == 0 && server_of(&b) == 0, "all go to the first one");
  OK_STR(bed_log(&b), "connect 0;ROLE;end;disconnect;connect 0;disconnect;",
         "which was asked once");
  bed_close(&b);

  begin(&b, &d, "0");
  b.process->one_server = true;
  b.fake.connect_fails = 2;
  answers(&b, 1);
  OK(server_of(&b) == 2 && server_of(&b) == 2, "to the first that is up");
  b.fake.connect_fails = 1;
  bed_answer(&b, refusal);
  answers(&b, 1);
  (void)bed_log(&b);
  OK(server_of(&b) == 1, "if it is gone, and another refuses, to the next");
  OK_STR(bed_log(&b),
         "connect 0;connect 0;ROLE;disconnect;connect 1;ROLE;end;disconnect;",
         "the search began again");
  bed_close(&b);
}

/* The server of the others is full for one connection, whose search meets
 * replicas. */
static void test_one_full(void)
{
  const struct driver d = lists();
  struct bed b = { 0 };

  begin(&b, &d, "0");
  b.process->one_server = true;
  answers(&b, 1);
  OK(server_of(&b) == 0, "a command is at a primary");
  b.fake.value = "1";
  b.fake.connect_fails = 2;
  answers(&b, 2);
  (void)bed_log(&b);
  OK(server_of(&b) == 99, "if that is full, a replica does not stand in");
  OK_STR(bed_log(&b),
         "connect 0;connect 0;connect 1;ROLE;end;disconnect;connect 2;ROLE;"
         "end;disconnect;",
         "all were asked");
  OK(server_of(&b) == 0, "the next connection goes to the primary again");
  bed_close(&b);
}

static void test_one_replica(void)
{
  const struct driver d = lists();
  struct bed b = { 0 };

  begin(&b, &d, "1");
  b.process->one_server = true;
  b.fake.connect_fails = 1;
  answers(&b, 2);
  OK(server_of(&b) == 1 && server_of(&b) == 1,
     "if none takes writes, to the first replica");
  OK_STR(bed_log(&b),
         "connect 0;connect 1;ROLE;end;disconnect;connect 2;ROLE;end;"
         "disconnect;connect 1;disconnect;connect 0;disconnect;",
         "after all were asked");
  bed_close(&b);

  begin(&b, &d, "0");
  b.process->one_server = true;
  b.fake.connect_fails = 3;
  OK(server_of(&b) == 99, "none is up");
  OK_STR(bed_log(&b), "connect 0;connect 1;connect 2;", "each was asked");
  bed_close(&b);
}

/* All are read-only, and one of them is behind no other one. */
static void test_one_read_only(void)
{
  struct driver d = lists();
  struct bed b = { 0 };

  d.standby_query = "STANDBY";
  begin(&b, &d, NULL);
  b.process->one_server = true;
  b.fake.values = "111011";
  answers(&b, 6);
  OK(server_of(&b) == 1, "a standby is the last choice");
  OK_STR(bed_log(&b),
         "connect 0;ROLE;end;STANDBY;end;disconnect;connect 1;ROLE;end;"
         "STANDBY;end;disconnect;connect 2;ROLE;end;STANDBY;end;disconnect;"
         "connect 1;disconnect;",
         "each was asked");
  bed_close(&b);
}

/* A lost connection of the command. */
static void test_one_again(void)
{
  const struct driver d = lists();
  struct bed b = { 0 };
  struct conn *c;

  begin(&b, &d, "0");
  b.process->one_server = true;
  answers(&b, 3);
  c = conn_open(b.handle, NULL);
  b.fake.connect_fails = 1;
  b.fake.values = "10";
  (void)bed_log(&b);
  OK(c && conn_reconnect(c) == 0 && place_of(c->session) == 2,
     "if its server is gone, it goes to one that takes writes");
  OK_STR(bed_log(&b),
         "disconnect;connect 0;connect 1;ROLE;end;disconnect;connect 2;ROLE;"
         "end;",
         "each was asked");
  OK(server_of(&b) == 2, "and so do others");
  conn_free(c);
  bed_close(&b);

  begin(&b, &d, "1");
  b.process->one_server = true;
  answers(&b, 3);
  c = conn_open(b.handle, NULL);
  b.fake.connect_fails = 1;
  (void)bed_log(&b);
  OK(c && conn_reconnect(c) == 0 && place_of(c->session) == 0,
     "one at a replica stays there");
  OK_STR(bed_log(&b), "disconnect;connect 0;connect 0;", "without a question");
  conn_free(c);
  bed_close(&b);
}

/* A server that the script itself names is taken as it is. */
static void test_named(void)
{
  const struct driver d = lists();
  const struct conn_params params = { .host = "c" };
  struct bed b = { 0 };
  struct conn *c;

  begin(&b, &d, "1");
  b.process->one_server = true;
  c = conn_open(b.handle, &params);
  OK(c != NULL, "it is there");
  OK_STR(bed_log(&b), "connect 0;", "and is not asked");
  conn_free(c);
  bed_close(&b);
}

static void test_current(void)
{
  struct driver d = lists();
  struct bed b = { 0 };

  d.standby_query = "STANDBY";
  begin(&b, &d, "1");
  answers(&b, 2);
  OK(!conn_is_current(b.con), "a replica may not have everything");
  b.fake.values = "10";
  answers(&b, 2);
  OK(conn_is_current(b.con), "a server that is only read-only has");
  b.fake.value = "0";
  answers(&b, 1);
  OK(conn_is_current(b.con), "a primary has");
  bed_answer(&b, (struct fake_answer){ .code = 2013, .lost = true });
  OK(conn_is_current(b.con) && !conn_is_open(b.con),
     "one that does not answer is no replica, and is left");
  bed_close(&b);
}

int main(void)
{
  test_twice();
  test_turns();
  test_one();
  test_one_full();
  test_one_replica();
  test_one_read_only();
  test_one_again();
  test_named();
  test_current();
  return TAP_EXIT();
}
