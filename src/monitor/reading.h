/*
 * reading.h - the figures of a server at one moment, and waits of its sessions.
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
  SERVER_WAITS = 32,    /* kinds */
  SERVER_WAIT_NAME = 64 /* bytes */
};

/* {0} is empty. */
struct server_waits {
  uint64_t looks;
  uint64_t took_ns;                       /* by all looks */
  uint64_t waiting, checkpoints, vacuums; /* sums over looks */
  unsigned n;
  struct {
    char name[SERVER_WAIT_NAME];
    uint64_t sessions; /* sum over looks */
  } of[SERVER_WAITS];
};

enum {
  SERVER_GAPS = 16
};

/* Queries that were refused: not sent again. */
struct server_gaps {
  unsigned n;
  struct {
    char what[160]; /* names of figures, ", " between */
    char why[256];
  } of[SERVER_GAPS];
};

struct server_interval {
  bool known; /* there is a reading */
  bool local; /* on this machine; known or not */
  uint64_t period_ns;
  struct server_reading did; /* counts of the period, and levels */
  struct server_waits waits;
  /* Levels from looks, of this interval alone; known or not. */
  struct server_reading seen;
};

struct server_total {
  char target[256];  /* description; "": never connected */
  long pid;          /* of a local server; 0: unknown */
  char failure[256]; /* why there is no connection; "" */
  uint64_t readings, late;
  uint64_t missed; /* intervals without a reading */
  uint64_t lost;
  uint64_t restarts;
  uint64_t took_mean_ns, took_max_ns;
  uint64_t period_ns;         /* that `did` covers */
  double events;              /* of the run in that time */
  struct server_reading did;  /* counts, means of levels */
  struct server_reading most; /* of levels */
  struct server_waits waits;
  struct server_gaps gaps;
};

/* Bits of the source's tables. */
struct server_access {
  unsigned queries, fast;
  bool apart;     /* each query by itself */
  bool sees_all;  /* sessions of other users, too */
  double started; /* start of the server in seconds; 0: unknown */
};

/* Each subject once. */
void server_gaps_add(struct server_gaps *gaps, const char *what,
                     const char *why);

void server_gaps_remove(struct server_gaps *gaps, const char *what);

/* False: not a number. */
bool reading_number(const sql_value *v, double *ret);

/* 0: unknown, or not needed. */
double reading_version(struct link *l, const struct monitor_source *s);

/* Probes the server. Figures that this user must not see become gaps. */
bool reading_prepare(struct link *l, const struct monitor_source *s,
                     struct server_access *ret, struct server_gaps *gaps);

/* All figures but those of looks. False: the connection is lost. */
bool reading_take(struct link *l, const struct monitor_source *s,
                  struct server_access *access, struct server_gaps *gaps,
                  struct server_reading *ret);

/* One look at the sessions, added to `to`. */
bool server_waits_take(struct link *l, const struct monitor_source *s,
                       struct server_access *access, struct server_gaps *gaps,
                       struct server_waits *to);

/* The levels that follow from the looks. */
void server_waits_levels(const struct monitor_source *s,
                         const struct server_access *access,
                         const struct server_waits *w,
                         struct server_reading *ret);

void server_waits_add(struct server_waits *to, const struct server_waits *more);

struct raw_counter {
  char *name; /* owned */
  double first, last;
  bool ended; /* there at the end, too */
};

/* {0} is empty. */
struct raw_counters {
  struct raw_counter *of; /* owned; by name after the first call */
  size_t n, room;
};

/* The first call reads all; later calls only change `last` of known ones. */
bool raw_counters_take(struct raw_counters *c, struct link *l,
                       const struct monitor_source *s);
void raw_counters_done(struct raw_counters *c);

#endif
