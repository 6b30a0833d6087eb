/*
 * test_await.c - the search for a server at the end of a run.
 */
#include "db/find_primary.h"

#include "db/options.h"
#include "tests/unit/fake_driver.h"
#include "tests/unit/tap.h"

static const char *const lost[] = { "connection" };

static size_t three(const void *cfg)
{
  (void)cfg;
  return 3;
}

static const struct driver one_server = FAKE_DRIVER(DRIVER_BY_NUMBER |
                                                    DRIVER_SERVER);

static const struct fake_answer a_number = { .nfields = 1,
                                             .nrows = 1,
                                             .settled = true };
static const struct fake_answer no_number = { .code = 1064 };
static const struct fake_answer broken = { .code = 2013, .lost = true };

/* A run whose clients were at the server of `served`. */
static void begin(struct bed *b, const struct driver *d, uint64_t served,
                  size_t n_ignore)
{
  bed_open(b, d, lost, n_ignore);
  b->fake.numbered = true;
  b->process->set.connect_timeout_s = 60;
  b->process->served = served;
}

/* The server, 0 to 2, of a connection that is opened after the search. */
static unsigned next_server(struct bed *b)
{
  struct conn *c = conn_open(b->handle, NULL);
  const unsigned n = c ? (unsigned)((c->session->number + c->session->attempt) %
                                    3)
                       : 99;

  if (c)
    conn_free(c);
  return n;
}

static void test_one(void)
{
  struct bed b = { 0 };

  begin(&b, &one_server, 0, 0);
  b.fake.connect_fails = 1;
  OK_STR(find_server_after_run(b.handle), "the server cannot be reached",
         "it is away");
  OK_STR(bed_log(&b), "connect 0;", "it was asked once");
  OK(find_server_after_run(b.handle) == NULL, "it is back");
  OK_STR(bed_log(&b), "connect 0;disconnect;", "nothing else is asked");
  bed_close(&b);

  begin(&b, &one_server, 0, 1);
  b.fake.connect_fails = 2;
  OK(find_server_after_run(b.handle) == NULL,
     "a run that ignores losses waits for it");
  OK_STR(bed_log(&b), "connect 0;connect 1;connect 2;disconnect;",
         "until it is there");
  bed_close(&b);
}

static void test_lists(void)
{
  struct driver d = one_server;
  struct bed b = { 0 };

  d.servers = three;
  for (unsigned served = 0; served < 3; served++) {
    for (unsigned away = 0; away < 3; away++) {
      begin(&b, &d, served, 0);
      b.fake.connect_fails = away;
      OK(find_server_after_run(b.handle) == NULL &&
           next_server(&b) == (served + away) % 3,
         "the first that is up, from where clients were served");
      bed_close(&b);
    }
  }
  begin(&b, &d, 1, 0);
  b.fake.connect_fails = 3;
  OK_STR(find_server_after_run(b.handle),
         "no server of the lists can be reached and takes writes",
         "none is up");
  OK_STR(bed_log(&b), "connect 0;connect 1;connect 2;", "each was asked");
  bed_close(&b);
}

static void test_writes(void)
{
  struct driver d = one_server;
  struct bed b = { 0 };

  d.servers = three;
  d.role_query = "ROLE";
  begin(&b, &d, 1, 0);
  b.fake.value = "1";
  for (unsigned i = 0; i < 3; i++)
    bed_answer(&b, a_number);
  OK(find_server_after_run(b.handle) != NULL, "all of them are read-only");
  OK_STR(bed_log(&b),
         "connect 0;ROLE;end;disconnect;connect 1;ROLE;end;disconnect;"
         "connect 2;ROLE;end;disconnect;",
         "each was asked");
  b.fake.value = "0";
  bed_answer(&b, a_number);
  OK(find_server_after_run(b.handle) == NULL, "one takes writes");
  bed_answer(&b, no_number);
  OK(find_server_after_run(b.handle) == NULL, "one does not say");
  bed_close(&b);

  d.servers = NULL;
  begin(&b, &d, 0, 0);
  OK(find_server_after_run(b.handle) == NULL, "the only one");
  OK_STR(bed_log(&b), "connect 0;disconnect;", "it is not asked");
  bed_close(&b);
}

/* With --server-role=replica connections go nowhere else. */
static void test_replica(void)
{
  struct driver d = one_server;
  struct bed b = { 0 };

  d.servers = three;
  d.role_query = "ROLE";
  begin(&b, &d, 1, 0);
  b.process->set.target = ROLE_REPLICA;
  b.fake.value = "1";
  bed_answer(&b, a_number);
  OK(find_server_after_run(b.handle) == NULL, "a replica is taken");
  OK_STR(bed_log(&b), "connect 0;ROLE;end;disconnect;", "it is asked once");
  b.fake.value = "0";
  for (unsigned i = 0; i < 3; i++)
    bed_answer(&b, a_number);
  OK_STR(find_server_after_run(b.handle),
         "no server of the lists can be reached and is a replica",
         "none is a replica");
  bed_close(&b);
}

/* Servers that refuse the login for good. */
static void test_refused(void)
{
  struct driver d = one_server;
  struct bed b = { 0 };

  begin(&b, &d, 0, 1);
  b.fake.connect_refused = 1;
  OK(find_server_after_run(b.handle) != NULL, "the only one refuses");
  OK_STR(bed_log(&b), "connect 0;", "it is asked once");
  bed_close(&b);

  d.servers = three;
  begin(&b, &d, 1, 0);
  b.fake.connect_refused = 1;
  OK(find_server_after_run(b.handle) == NULL && next_server(&b) == 2,
     "one refuses, the next is up");
  bed_close(&b);

  begin(&b, &d, 1, 1);
  b.fake.connect_refused = 1;
  b.fake.connect_fails = 4;
  OK(find_server_after_run(b.handle) == NULL,
     "the others are away for a while");
  OK_STR(bed_log(&b),
         "connect 0;connect 1;connect 2;connect 3;connect 4;disconnect;",
         "they are waited for");
  b.fake.connect_refused = 3;
  OK(find_server_after_run(b.handle) != NULL, "all of them refuse");
  OK_STR(bed_log(&b), "connect 0;connect 1;connect 2;",
         "nothing is waited for");
  bed_close(&b);
}

static void test_breaks(void)
{
  struct driver d = one_server;
  struct bed b = { 0 };

  d.servers = three;
  d.role_query = "ROLE";
  begin(&b, &d, 1, 0);
  b.fake.value = "0";
  bed_answer(&b, broken);
  bed_answer(&b, a_number);
  OK(find_server_after_run(b.handle) == NULL,
     "one breaks, the next takes writes");
  OK_STR(bed_log(&b),
         "connect 0;ROLE;disconnect;connect 1;ROLE;end;disconnect;",
         "the one that broke is left");
  b.fake.unread = broken;
  bed_answer(&b, a_number);
  bed_answer(&b, a_number);
  OK(find_server_after_run(b.handle) == NULL, "one breaks after its number");
  OK_STR(bed_log(&b),
         "connect 0;ROLE;end;disconnect;connect 1;ROLE;end;disconnect;",
         "it is left, too");
  for (unsigned i = 0; i < 3; i++)
    bed_answer(&b, broken);
  OK(find_server_after_run(b.handle) != NULL, "all of them break");
  bed_close(&b);
}

/* A script that connects in done() by itself. */
static void test_unasked(void)
{
  struct driver d = one_server;
  struct bed b = { 0 };

  d.servers = three;
  begin(&b, &d, 2, 0);
  OK(next_server(&b) == 1 && next_server(&b) == 2 && next_server(&b) == 0,
     "in the run, connections take turns");
  b.process->served = 2;
  b.over = 1;
  OK(next_server(&b) == 2 && next_server(&b) == 2, "after it, they do not");
  bed_close(&b);
}

int main(void)
{
  test_one();
  test_lists();
  test_writes();
  test_replica();
  test_refused();
  test_breaks();
  test_unasked();
  return TAP_EXIT();
}
