/*
 * monitor.h - reads what database servers do during a run.
 *
 * A thread per server reads the counters shortly before the end of each
 * interval, and the sessions ten times a second. A late reading is dropped and
 * counted; the next one covers both intervals. Nothing on the server is reset.
 * This reporter must come before those that show its figures. Their threads
 * call the functions below.
 */
#ifndef BENCH_MONITOR_MONITOR_H
#define BENCH_MONITOR_MONITOR_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/reading.h"
#include "report/reporter.h"

struct db_process;
struct digests;
struct err;
struct leave;
struct monitor;
struct monitor_cfg;

struct monitor_input {
  const struct monitor_cfg *cfg;
  struct db_process *db; /* borrowed; outlives the monitor */
  const char *driver;
  const char *file; /* [opt] SQLite: the file of data */
  unsigned servers; /* that connections go to; at least 1 */
  struct leave *leave;
};

struct server_raw {
  const char *name;
  double change;
};

/* Does the monitor support this driver? */
bool monitor_knows(const char *driver);

/* Nothing runs before the reporter's start(). 0 or -ENOMEM. */
int monitor_new(struct monitor **ret, const struct monitor_input *in,
                struct err *err);
/* Not if a thread was left behind. */
void monitor_free(struct monitor *m);

extern const struct reporter monitor_reporter; /* ctx: struct monitor */

unsigned monitor_servers(const struct monitor *m);

void monitor_interval(struct monitor *m, unsigned server,
                      struct server_interval *ret);
/* The last one with a reading. */
void monitor_latest(struct monitor *m, unsigned server,
                    struct server_interval *ret);
/* Up to now. Texts are valid until the end; after it, all is constant. Any
 * thread. */
void monitor_total(struct monitor *m, unsigned server,
                   struct server_total *ret);
/* After the end; false: no more. */
bool monitor_raw(const struct monitor *m, unsigned server, size_t i,
                 struct server_raw *ret);
/* After the end, the statements that took most of the server's time; NULL: not
 * read. */
const struct digests *monitor_statements(const struct monitor *m,
                                         unsigned server);

#endif
