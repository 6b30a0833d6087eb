/*
 * reading.h - the figures of a server at one moment, and what its sessions
 * waited for.
 */
#ifndef BENCH_MONITOR_READING_H
#define BENCH_MONITOR_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/driver.h"
#include "monitor/metrics.h"

struct link;
struct monitor_source;

enum {
  SERVER_WAITS = 32,    /* kinds of waits, at most */
  SERVER_WAIT_NAME = 64 /* bytes of a name */
};

/* What sessions waited for; all {0} is empty. */
struct server_waits {
  uint64_t looks;                         /* how often the server was asked */
  uint64_t took_ns;                       /* by all of them */
  uint64_t waiting, checkpoints, vacuums; /* sums over the looks */
  unsigned n;
  struct {
    char name[SERVER_WAIT_NAME];
    uint64_t sessions; /* sum over the looks */
  } of[SERVER_WAITS];
};

enum {
  SERVER_GAPS = 16
};

/* Queries that the server refused: they are not sent again. */
struct server_gaps {
  unsigned n;
  struct {
    char what[160]; /* names of figures, with ", " between them */
    char why[256];
  } of[SERVER_GAPS];
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

/* Which queries are sent: bits of the source's tables. */
struct server_access {
  unsigned queries, fast;
  bool apart;     /* each query has to be sent by itself */
  bool sees_all;  /* sessions of other users, too */
  double started; /* when the server was, in seconds; 0: not known */
};

/* The same subject is not added twice. */
void server_gaps_add(struct server_gaps *gaps, const char *what,
                     const char *why);

/* It has been read after all. */
void server_gaps_remove(struct server_gaps *gaps, const char *what);

/* A number in an answer; false: it is none. */
bool reading_number(const sql_value *v, double *ret);

/* The version of the server; 0: not known, or not needed. */
double reading_version(struct link *l, const struct monitor_source *s);

/* After connecting: find out what the server knows.  What this user must not
 * see becomes a gap. */
bool reading_prepare(struct link *l, const struct monitor_source *s,
                     struct server_access *ret, struct server_gaps *gaps);

/* Ask for all figures but those of server_waits_take().  False: the connection
 * is lost. */
bool reading_take(struct link *l, const struct monitor_source *s,
                  struct server_access *access, struct server_gaps *gaps,
                  struct server_reading *ret);

/* Look once what sessions do; adds to `to`. */
bool server_waits_take(struct link *l, const struct monitor_source *s,
                       struct server_access *access, struct server_gaps *gaps,
                       struct server_waits *to);

/* Put the levels that follow from the looks into *ret. */
void server_waits_levels(const struct monitor_source *s,
                         const struct server_access *access,
                         const struct server_waits *w,
                         struct server_reading *ret);

void server_waits_add(struct server_waits *to, const struct server_waits *more);

/* ---- all counters of a server by their own names, at two moments ---- */

struct raw_counter {
  char *name; /* owned */
  double first, last;
  bool ended; /* it was there at the end, too */
};

/* {0} is empty. */
struct raw_counters {
  struct raw_counter *of; /* owned; sorted by name after the first call */
  size_t n, room;
};

/* Read all of them; later calls only change `last` of those that are known. */
bool raw_counters_take(struct raw_counters *c, struct link *l,
                       const struct monitor_source *s);
void raw_counters_done(struct raw_counters *c);

#endif
