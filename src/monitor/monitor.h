/*
 * monitor.h - reads what database servers do while a run goes on.
 *
 * A thread per server has one connection.  It reads the server's counters
 * shortly before the end of each interval, and looks ten times a second what
 * its sessions do.  A reading that is not there when its interval ends is
 * dropped and counted; the next one covers both.  The server's counters are
 * never reset.
 *
 * It is a reporter: call it before those that show its figures.  All
 * functions below may be called by the threads that call reporters; the last
 * one by any thread.
 */
#ifndef BENCH_MONITOR_MONITOR_H
#define BENCH_MONITOR_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/reading.h"
#include "report/reporter.h"

struct db_process;
struct digests;
struct err;
struct leave;
struct monitor;
struct monitor_cfg;

struct monitor_input {
  const struct monitor_cfg *cfg; /* borrowed */
  struct db_process *db; /* borrowed; ready, and ends after the monitor */
  const char *driver;    /* its name */
  const char *file;      /* [opt] SQLite: the file of data */
  unsigned servers;      /* to how many the connections go; at least 1 */
  struct leave *leave;
};

/* What a server did in an interval. */
struct server_interval {
  bool known; /* otherwise there is no reading */
  bool local; /* known or not: the server is on this machine */
  uint64_t period_ns;
  struct server_reading did; /* counts of the period, and levels */
  struct server_waits waits;
  /* Known or not: the levels that looks have, of this interval alone.  An
   * interval may be shorter than the time between two readings. */
  struct server_reading seen;
};

/* The whole run. */
struct server_total {
  char target[256];        /* in words; "": never connected */
  long pid;                /* of a server on this machine; 0: unknown */
  char failure[256];       /* why there is no connection; "" */
  uint64_t readings, late; /* numbers of readings */
  uint64_t missed;         /* intervals without a reading */
  uint64_t lost;           /* connections */
  uint64_t restarts;       /* of the server */
  uint64_t took_mean_ns, took_max_ns;
  uint64_t period_ns;         /* the time that `did` covers */
  double events;              /* of the run in that time */
  struct server_reading did;  /* counts, and means of levels */
  struct server_reading most; /* largest levels */
  struct server_waits waits;
  struct server_gaps gaps;
};

/* A raw counter of a server that has changed. */
struct server_raw {
  const char *name;
  double change;
};

/* Does this kind of server have figures? */
bool monitor_knows(const char *driver);

/* Nothing runs before the reporter's start().  NULL and -ENOMEM. */
int monitor_new(struct monitor **ret, const struct monitor_input *in,
                struct err *err);
/* Not if a thread was left behind. */
void monitor_free(struct monitor *m);

extern const struct reporter monitor_reporter; /* ctx: struct monitor */

unsigned monitor_servers(const struct monitor *m);

/* The interval that is being reported. */
void monitor_interval(struct monitor *m, unsigned server,
                      struct server_interval *ret);
/* The last one that has a reading. */
void monitor_latest(struct monitor *m, unsigned server,
                    struct server_interval *ret);
/* All up to now; texts are valid until the end, and constant after it. */
void monitor_total(struct monitor *m, unsigned server,
                   struct server_total *ret);
/* After the end: the raw counters; false: there are no more. */
bool monitor_raw(const struct monitor *m, unsigned server, size_t i,
                 struct server_raw *ret);
/* After the end: the statements that took most of the server's time; NULL: they
 * were not read. */
const struct digests *monitor_statements(const struct monitor *m,
                                         unsigned server);

#endif
