/*
 * test_account.c - from readings of a server to what it did.
 */
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "monitor/account.h"
#include "monitor/monitor.h"
#include "monitor/reading.h"
#include "monitor/source.h"
#include "tests/unit/tap.h"

static const struct server_access all = { .queries = ~0u,
                                          .fast = ~0u,
                                          .sees_all = true };

static struct server_reading at(uint64_t second, double commits, double dirty)
{
  struct server_reading r = { .at_ns = second * NS_PER_S,
                              .took_ns = 1000,
                              .events = 10.0 * (double)second };

  r.has[SERVER_COMMITS] = r.has[SERVER_PAGES_DIRTY] = true;
  r.value[SERVER_COMMITS] = commits;
  r.value[SERVER_PAGES_DIRTY] = dirty;
  return r;
}

static void give(struct account *a, struct server_reading r, uint64_t grid_s)
{
  const uint64_t grid_ns = grid_s == UINT64_MAX ? UINT64_MAX
                                                : grid_s * NS_PER_S;

  account_add(a, &monitor_pgsql, &all, &r, grid_ns);
}

/* An interval of a second is reported. */
static void pass(struct account *a, uint64_t end_ns)
{
  account_pass(a, &(struct account_part){ end_ns, true });
}

static void check_intervals(void)
{
  struct account a = { 0 };
  struct server_total t = { 0 };

  give(&a, at(10, 1000, 5), 0);
  pass(&a, 10 * NS_PER_S);
  OK(!a.shown.known, "the first reading alone says nothing");
  a.waits.looks = 4;
  a.waits.waiting = 6;
  a.waits.checkpoints = 1;
  give(&a, at(11, 1250, 7), 11);
  pass(&a, 11 * NS_PER_S);
  OK(a.shown.known && a.shown.period_ns == NS_PER_S, "the second one does");
  OK(a.shown.did.value[SERVER_COMMITS] == 250, "counts are differences");
  OK(a.shown.did.value[SERVER_PAGES_DIRTY] == 7, "levels are not");
  OK(a.shown.did.value[SERVER_LOCK_WAITING] == 1.5 &&
       a.shown.did.value[SERVER_CHECKPOINT_RUNNING] == 0.25,
     "what was looked at is a mean over the looks");
  OK(!a.shown.did.has[SERVER_DEADLOCKS], "what the server lacks is absent");
  pass(&a, 12 * NS_PER_S);
  OK(!a.shown.known, "an interval without a reading has none of an older one");
  give(&a, at(13, 1300, 9), UINT64_MAX);
  account_total(&a, &t);
  OK(t.did.value[SERVER_COMMITS] == 300 && t.period_ns == 3 * NS_PER_S,
     "the sum goes to the last reading");
  OK(t.did.value[SERVER_PAGES_DIRTY] == 8 &&
       t.most.value[SERVER_PAGES_DIRTY] == 9,
     "levels have a mean and a highest value");
  OK(t.readings == 3 && t.late == 0, "readings are counted");
}

/* Intervals of half a second: a reading comes for each second one. */
static void check_looks(void)
{
  const struct server_waits locked = { .looks = 2, .waiting = 8 },
                            free_ones = { .looks = 2 };
  struct account a = { 0 };

  give(&a, at(10, 1000, 5), 0);
  account_look(&a, &monitor_pgsql, &all, &locked);
  pass(&a, 10 * NS_PER_S + NS_PER_S / 2);
  OK(!a.shown.known && a.shown.seen.has[SERVER_LOCK_WAITING] &&
       a.shown.seen.value[SERVER_LOCK_WAITING] == 4,
     "an interval without a reading has its looks");
  account_look(&a, &monitor_pgsql, &all, &free_ones);
  give(&a, at(11, 1250, 7), 11);
  pass(&a, 11 * NS_PER_S);
  OK(a.shown.known && a.shown.did.value[SERVER_LOCK_WAITING] == 2 &&
       a.shown.seen.value[SERVER_LOCK_WAITING] == 0,
     "a reading has those since the last one, the interval has its own");
  pass(&a, 12 * NS_PER_S);
  OK(!a.shown.seen.has[SERVER_LOCK_WAITING], "no looks are no zero");
}

static void check_late(void)
{
  struct account a = { 0 };

  give(&a, at(10, 100, 0), 0);
  pass(&a, 11 * NS_PER_S - 1);
  give(&a, at(11, 200, 0), 11);
  OK(a.late == 0 && a.ready.known, "one before the end of its interval is not");
  a = (struct account){ 0 };
  give(&a, at(10, 100, 0), 0);
  pass(&a, 11 * NS_PER_S);
  give(&a, at(11, 200, 0), 11);
  OK(a.late == 1 && !a.ready.known, "a reading after its interval is dropped");
  give(&a, at(12, 330, 0), 12);
  pass(&a, 12 * NS_PER_S);
  OK(a.shown.known && a.shown.did.value[SERVER_COMMITS] == 230 &&
       a.shown.period_ns == 2 * NS_PER_S,
     "the next one covers both intervals");
}

static void check_restart(void)
{
  struct account a = { 0 };
  struct server_total t = { 0 };
  struct server_reading r = at(13, 45, 0);

  give(&a, at(10, 100, 0), 0);
  give(&a, at(11, 200, 0), 11);
  pass(&a, 11 * NS_PER_S);
  give(&a, at(12, 7, 0), 12);
  pass(&a, 12 * NS_PER_S);
  OK(!a.shown.known && a.restarts == 1,
     "a count that begins anew is a restart, and no negative number");
  r.has[SERVER_CPU_NS] = true;
  give(&a, r, 13);
  r = at(14, 60, 0);
  r.has[SERVER_CPU_NS] = true;
  r.value[SERVER_CPU_NS] = -5;
  give(&a, r, 14);
  OK(a.restarts == 1 && a.ready.did.value[SERVER_CPU_NS] == 0,
     "the time of processes may fall when one has ended");
  account_total(&a, &t);
  OK(t.did.value[SERVER_COMMITS] == 100 + 38 + 15,
     "what happened across the restart is in no sum");
}

/* TRUNCATE empties what performance_schema has counted. */
static void check_emptied(void)
{
  struct account a = { 0 };
  struct server_reading r = { .at_ns = 10 * NS_PER_S };

  r.has[SERVER_PART_COMMIT] = r.has[SERVER_PART_TRANSACTIONS] = true;
  r.value[SERVER_PART_COMMIT] = 500;
  r.value[SERVER_PART_TRANSACTIONS] = 900;
  account_add(&a, &monitor_mysql, &all, &r, 0);
  r.at_ns += NS_PER_S;
  r.value[SERVER_PART_COMMIT] = 530;
  r.value[SERVER_PART_TRANSACTIONS] = 10;
  account_add(&a, &monitor_mysql, &all, &r, 11 * NS_PER_S);
  OK(a.restarts == 0 && a.ready.did.value[SERVER_COMMITS] == 30,
     "a table that was emptied is no restart");
}

/* The log of SQLite goes with the last connection. */
static void check_files(void)
{
  struct account a = { 0 };
  struct server_total t = { 0 };
  struct server_reading r = at(10, 0, 0);

  r.has[SERVER_CHECKPOINTS] = true;
  r.value[SERVER_CHECKPOINTS] = 3;
  account_add(&a, NULL, &all, &r, 0);
  r.at_ns += NS_PER_S;
  r.value[SERVER_CHECKPOINTS] = 0;
  account_add(&a, NULL, &all, &r, UINT64_MAX);
  account_total(&a, &t);
  OK(t.restarts == 0 && t.did.has[SERVER_CHECKPOINTS] &&
       t.did.value[SERVER_CHECKPOINTS] == 0 && t.period_ns == NS_PER_S,
     "a file that is gone is no restart");
}

/* Behind a new connection may be another server. */
static void check_lost(void)
{
  struct account a = { 0 };
  struct server_total t = { 0 };

  give(&a, at(10, 100, 0), 0);
  give(&a, at(11, 200, 0), 11);
  account_lose(&a);
  give(&a, at(12, 5000, 0), 12);
  give(&a, at(13, 5030, 0), 13);
  account_total(&a, &t);
  OK(a.lost == 1 && t.did.value[SERVER_COMMITS] == 130,
     "the history of another server is in no sum");
}

/* 10 events per second, and one reading that comes when there were more. */
static void check_events(void)
{
  struct account a = { 0 };
  struct server_total t = { 0 };
  struct server_reading late;

  give(&a, at(10, 100, 0), 0);
  give(&a, at(11, 200, 0), 11);
  pass(&a, 11 * NS_PER_S);
  account_total(&a, &t);
  OK(t.events == 10 && t.missed == 0, "events between two readings");
  for (uint64_t s = 12; s < 16; s++)
    pass(&a, s * NS_PER_S);
  account_total(&a, &t);
  OK(t.events == 10 && t.missed == 4, "without a reading, they wait for one");
  late = at(16, 700, 0);
  late.events = 175;
  give(&a, late, 16);
  pass(&a, 16 * NS_PER_S);
  account_total(&a, &t);
  OK(t.events == 75 && t.period_ns == 6 * NS_PER_S,
     "which has all up to its own moment, not up to the end of the interval");
  account_lose(&a);
  pass(&a, 17 * NS_PER_S);
  pass(&a, 18 * NS_PER_S);
  give(&a, at(18, 900, 0), 0);
  give(&a, at(19, 920, 0), 19);
  pass(&a, 19 * NS_PER_S);
  account_total(&a, &t);
  OK(t.events == 85 && t.period_ns == 7 * NS_PER_S && t.missed == 6,
     "those of a time without a connection count nowhere");
  account_restart(&a);
  pass(&a, 20 * NS_PER_S);
  give(&a, at(20, 10, 0), 0);
  account_finish(&a, 21 * NS_PER_S);
  give(&a, at(21, 50, 0), UINT64_MAX);
  account_total(&a, &t);
  OK(t.restarts == 1 && t.events == 95 && t.period_ns == 8 * NS_PER_S,
     "the last reading has those behind the last interval");
}

/* The server has let nobody in until the load had ended. */
static void check_too_late(void)
{
  struct account a = { 0 };
  struct server_total t = { 0 };

  pass(&a, 11 * NS_PER_S);
  account_finish(&a, 12 * NS_PER_S);
  give(&a, at(12, 100, 0), 0);
  give(&a, at(13, 200, 0), UINT64_MAX);
  account_total(&a, &t);
  OK(t.period_ns == 0 && t.events == 0 && !t.did.has[SERVER_COMMITS],
     "what a server does behind the end is in no figure");
  a = (struct account){ 0 };
  pass(&a, 11 * NS_PER_S);
  give(&a, at(12, 100, 0), 0);
  account_finish(&a, 12 * NS_PER_S);
  give(&a, at(13, 200, 0), UINT64_MAX);
  account_total(&a, &t);
  OK(t.period_ns == 0, "nor if it was let in when the load ended");
}

static void check_waits(void)
{
  struct server_waits to = { .looks = 1, .n = 1 },
                      more = { .looks = 2, .n = 2 };

  strcpy(to.of[0].name, "Lock:tuple");
  to.of[0].sessions = 3;
  strcpy(more.of[0].name, "IO:WALSync");
  more.of[0].sessions = 1;
  strcpy(more.of[1].name, "Lock:tuple");
  more.of[1].sessions = 4;
  server_waits_add(&to, &more);
  OK(to.looks == 3 && to.n == 2 && to.of[0].sessions == 7 &&
       strcmp(to.of[1].name, "IO:WALSync") == 0,
     "waits add up by their names");
}

/* Each figure of a table has a name, and each name stands for one figure. */
static void check_tables(void)
{
  bool ok = true;

  for (int i = 0; i < SERVER_METRICS; i++) {
    ok &= server_metrics_info[i].name && server_metrics_info[i].help &&
          server_metrics_info[i].metric && server_metrics_info[i].to_metric > 0;
    for (int k = 0; k < i && ok; k++)
      ok &= strcmp(server_metrics_info[i].name, server_metrics_info[k].name) !=
            0;
  }
  OK(ok, "figures have names of their own");
  OK(monitor_knows("pgsql") && monitor_knows("mysql") && !monitor_knows("null"),
     "sources are found by their driver");
}

int main(void)
{
  check_intervals();
  check_looks();
  check_late();
  check_restart();
  check_emptied();
  check_files();
  check_lost();
  check_events();
  check_too_late();
  check_waits();
  check_tables();
  return TAP_EXIT();
}
