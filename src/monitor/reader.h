/*
 * reader.h - the thread that reads one server.
 *
 * It ends when the run is over, or when the server lets nobody in.
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

/* What the readers of a run have in common.  Only `stop` changes while they
 * run. */
struct readers {
  const struct monitor_source *source; /* NULL: there are only files */
  const char *file;                    /* [opt] SQLite: the file of data */
  struct db_process *db;
  struct conn_params params;
  size_t statements; /* how many remain at the end */
  bool may_give_up;  /* if the first connection fails */
  uint64_t start_ns; /* of the measured part */
  /* Borrowed from the run: what the workers of this process count. */
  const struct recorders *recorders;
  uint64_t tick_ns;      /* from one reading to the next */
  _Atomic uint32_t stop; /* waited for */
};

/* A server, and the thread that reads it. */
struct reader {
  struct readers *m;
  unsigned number;
  pthread_t thread;
  bool started;
  _Atomic uint32_t ended; /* waited for */

  /* Of the thread alone. */
  struct link link;
  struct server_access access;
  bool met;                /* there was a connection */
  double server_started;   /* see struct server_access */
  pid_t local;             /* 0: it is not on this machine */
  uint64_t lead_ns;        /* before the end of an interval */
  struct raw_counters raw; /* of others after it has ended */
  struct digests digests;  /* as well */

  pthread_mutex_t lock; /* protects the rest */
  struct account account;
  char target[256], failure[256];
  long pid;
  bool near; /* on this machine, with or without a known pid */
  struct server_gaps gaps;
};

/* `m` is borrowed; *w is {0}. */
void reader_init(struct reader *w, struct readers *m, unsigned number);
void reader_done(struct reader *w);

/* Of the thread; `arg` is a struct reader. */
void *reader_main(void *arg);

#endif
