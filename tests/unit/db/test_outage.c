/*
 * test_outage.c - which outages are announced, and what is said of the others.
 */
#include "db/outage.h"

#include <stdio.h>
#include <unistd.h>

#include "base/log.h"
#include "tests/unit/tap.h"

#define START (1000 * NS_PER_S)
#define SERVER "host 'a', port 1"

static FILE *messages;
static int saved_stderr;

static void begin(struct outage *o)
{
  messages = tmpfile();
  saved_stderr = dup(STDERR_FILENO);
  MUST(messages && saved_stderr >= 0);
  MUST(dup2(fileno(messages), STDERR_FILENO) >= 0);
  outage_init(o);
}

static void end(struct outage *o, const char *want, const char *what)
{
  char got[4096];
  size_t len;

  log_flush();
  outage_done(o);
  MUST(dup2(saved_stderr, STDERR_FILENO) >= 0);
  (void)close(saved_stderr);
  rewind(messages);
  len = fread(got, 1, sizeof(got) - 1, messages);
  got[len] = '\0';
  (void)fclose(messages);
  OK_STR(got, want, what);
}

/* One connection is lost for a hundredth of a second. */
static void blink(struct outage *o, uint64_t at_ns)
{
  char reason[32];

  (void)snprintf(reason, sizeof(reason), "number %u",
                 (unsigned)o->reconnects + 1);
  outage_lost(o, SERVER, reason, false, at_ns);
  outage_back(o, at_ns + NS_PER_S / 100);
}

static void refuse(struct outage *o)
{
  outage_lost(o, SERVER, "read only", true, START);
  outage_back(o, START);
}

#define BLINK(n)                                             \
  "WARNING: connection to " SERVER " lost (number " n        \
  "), reconnecting\nWARNING: reconnected after 0.0 s, 1 con" \
  "nection\n"

#define FIVE BLINK("1") BLINK("2") BLINK("3") BLINK("4") BLINK("5")

static void test_one(void)
{
  struct outage o;

  begin(&o);
  outage_lost(&o, SERVER, "first", false, START);
  outage_lost(&o, SERVER, "second", false, START + NS_PER_S);
  outage_failed(&o, "still down", START + NS_PER_S, START + 2 * NS_PER_S);
  outage_back(&o, START + 3 * NS_PER_S);
  outage_back(&o, START + 4 * NS_PER_S);
  end(&o,
      "WARNING: connection to " SERVER " lost (first), reconnecting\n"
      "WARNING: reconnected after 4.0 s (possible at most 3.00 s earlier), 2 "
      "connections\n",
      "an outage is announced once, and its end");
}

/* Of two threads, the one that has looked at the clock first may come last. */
static void test_overtaken(void)
{
  struct outage o;

  begin(&o);
  refuse(&o);
  outage_lost(&o, SERVER, "gone", true, START + 2);
  outage_lost(&o, SERVER, "gone", true, START);
  outage_failed(&o, "still down", START + 1, START + 1);
  outage_back(&o, START + 1);
  outage_back(&o, START + 1);
  OK(outage_times(&o, START).longest_ns == 0, "no outage ends before it began");
  end(&o,
      "WARNING: " SERVER " refuses its service (read only), trying the next "
      "server\n"
      "WARNING: reconnected after 0.0 s, 1 connection\n",
      "and none has lasted for ever");
}

/* The reason of an outage can be known after the end of another one. */
static void test_overlap(void)
{
  struct outage o;

  begin(&o);
  outage_failed(&o, "of none", START, START);
  outage_lost(&o, SERVER, "gone", false, START);
  outage_back(&o, START + 10);
  OK(outage_times(&o, START).late_ns == 0, "an attempt before an outage");
  outage_lost(&o, SERVER, "gone", false, START + 5);
  outage_failed(&o, "down", START + 5, START + 11);
  outage_back(&o, START + 12);
  OK(outage_times(&o, START).late_ns == 0, "... or before the end of another");
  OK(outage_times(&o, START).total_ns == 12, "no time counts twice");
  outage_cut(&o, "late");
  outage_print(&o, "client");
  end(&o,
      "WARNING: connection to " SERVER " lost (gone), reconnecting\n"
      "WARNING: reconnected after 0.0 s, 1 connection\n"
      "WARNING: connection to " SERVER " lost (gone), reconnecting\n"
      "WARNING: reconnected after 0.0 s, 1 connection\n"
      "WARNING: 1 client was still reconnecting at the end: late\n",
      "... and the end of the run tells of a login that it cuts");
}

static void test_row(void)
{
  struct outage o;

  begin(&o);
  for (unsigned i = 0; i < 400; i++) /* 40 per second */
    blink(&o, START + i * NS_PER_S / 40);
  outage_print(&o, "client");
  end(&o,
      FIVE "WARNING: 195 more outages like that were not "
           "reported\n" BLINK("201") "WARNING: 199 more outages like "
                                     "that were not reported\n",
      "of outages in a row, the first five and one in five seconds");
}

static void test_pause(void)
{
  struct outage o;

  begin(&o);
  for (unsigned i = 0; i < 6; i++)
    blink(&o, START);
  for (unsigned i = 0; i < 2; i++)
    blink(&o, START + 60 * NS_PER_S);
  outage_print(&o, "client");
  end(&o,
      FIVE "WARNING: 1 more outage like that was not reported\n" BLINK("7")
        BLINK("8"),
      "after a pause all are announced again");
}

static void test_long(void)
{
  struct outage o;

  begin(&o);
  for (unsigned i = 0; i < 6; i++)
    blink(&o, START);
  outage_lost(&o, SERVER, "gone", false, START + NS_PER_S / 10);
  outage_failed(&o, "refused", START + 1, START + NS_PER_S);
  outage_failed(&o, "refused", START + 1, START + NS_PER_S * 2);
  outage_failed(&o, "refused", START + NS_PER_S * 29 / 10,
                START + NS_PER_S * 3);
  outage_back(&o, START + NS_PER_S * 4);
  outage_print(&o, "client");
  end(&o,
      FIVE
      "WARNING: 1 more outage like that was not reported\n"
      "WARNING: connection to " SERVER
      " lost 1.9 s ago (refused), reconnecting\n"
      "WARNING: reconnected after 3.9 s (possible at most 1.10 s earlier), 1 "
      "connection\n",
      "an outage that lasts is announced however many there were");
}

static void test_refused(void)
{
  struct outage o;

  begin(&o);
  for (unsigned i = 0; i < 7; i++)
    refuse(&o);
  for (unsigned i = 0; i < OUTAGE_AT_ONCE; i++)
    blink(&o, START);
  outage_print(&o, "thread");
  end(&o,
      "WARNING: " SERVER " refuses its service (read only), trying the next "
      "server\n"
      "WARNING: reconnected after 0.0 s, 1 connection\n"
      "WARNING: 6 more outages like that were not reported\n" BLINK("8")
        BLINK("9") BLINK("10") BLINK("11") BLINK("12"),
      "servers that refuse hide no lost connection");
}

static void test_lost(void)
{
  struct outage o;

  begin(&o);
  for (unsigned i = 0; i < 7; i++)
    blink(&o, START);
  refuse(&o);
  outage_print(&o, "thread");
  end(&o,
      FIVE "WARNING: 2 more outages like that were not reported\n"
           "WARNING: " SERVER
           " refuses its service (read only), trying the next "
           "server\n"
           "WARNING: reconnected after 0.0 s, 1 connection\n",
      "lost connections hide no server that refuses");
}

static void test_end(void)
{
  struct outage o;

  begin(&o);
  outage_lost(&o, SERVER, "gone", false, START);
  outage_failed(&o, "nobody there", START + 1, START + NS_PER_S);
  outage_gave_up(&o, true, START + 2 * NS_PER_S);
  outage_print(&o, "thread");
  OK(outage_times(&o, START + 9 * NS_PER_S).total_ns == 2 * NS_PER_S,
     "an outage ends where it is given up");
  end(&o,
      "WARNING: connection to " SERVER " lost (gone), reconnecting\n"
      "WARNING: 1 thread was still reconnecting at the end: nobody there\n",
      "what is given up at the end is told");
}

int main(void)
{
  test_one();
  test_overtaken();
  test_overlap();
  test_row();
  test_pause();
  test_long();
  test_refused();
  test_lost();
  test_end();
  return TAP_EXIT();
}
