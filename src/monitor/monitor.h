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
