/*
 * reader.h - the thread that reads one server, until the run is over or the
 * server refuses.
 */
#ifndef BENCH_MONITOR_READER_H
#define BENCH_MONITOR_READER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "db/driver.h"
#include "monitor/account.h"
#include "monitor/digests.h"
#include "monitor/link.h"
#include "monitor/reading.h"

struct db_process;
struct monitor_source;
struct recorders;

/* Common to all readers. Only `stop` changes while they run. */
struct readers {
  const struct monitor_source *source; /* NULL: only files */
  const char *file;                    /* [opt] SQLite: the file of data */
  struct db_process *db;
  struct conn_params params;
  size_t statements; /* to keep at the end */
  bool may_give_up;  /* if the first connection fails */
  uint64_t start_ns; /* of the measured part */
  /* borrowed from the run: workers of this process */
  const struct recorders *recorders;
  uint64_t tick_ns; /* between readings */
  _Atomic uint32_t stop;
};

struct reader {
  struct readers *m;
  unsigned number;
  pthread_t thread;
  bool started;
  _Atomic uint32_t ended;

  /* Of the thread alone. */
  struct link link;
  struct server_access access;
  bool met; /* it was connected once */
  double server_started;
  pid_t local;             /* pid; 0: not on this machine */
  uint64_t lead_ns;        /* before the end of an interval */
  struct raw_counters raw; /* of others after `ended`, like `digests` */
  struct digests digests;

  pthread_mutex_t lock; /* protects the rest */
  struct account account;
  char target[256], failure[256];
  long pid;
  bool near; /* on this machine, pid known or not */
  struct server_gaps gaps;
};

/* `m` is borrowed; *w is {0}. */
void reader_init(struct reader *w, struct readers *m, unsigned number);
void reader_done(struct reader *w);

/* `arg` is a struct reader. */
void *reader_main(void *arg);

#endif
