/*
 * reading.h - the figures of a server at one moment, and what its sessions
 * waited for.
 */
#ifndef BENCH_MONITOR_READING_H
#define BENCH_MONITOR_READING_H

#include <stdbool.h>
#include <stdint.h>

#include "db/driver.h"
#include "monitor/figures.h"

struct link;
struct monitor_source;

/* What the server says at one moment. */
struct server_reading {
  uint64_t at_ns;   /* before the first query */
  uint64_t took_ns; /* until the last answer */
  double events;    /* of the run, as far as it was in the middle of that */
  bool has[SERVER_VALUES];
  double value[SERVER_VALUES];
};

/* What the counts of a period say about the next one: what transactions that go
 * on have too much in one of them, and whether there is a binary log; all {0}
 * at first.  See commits_mysql.h. */
struct server_owed {
  double statements, changes;
  bool prepares; /* something was stored in two phases */
};

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

/* Ask for all figures but those of looks_take().  False: the connection is
 * lost. */
bool reading_take(struct link *l, const struct monitor_source *s,
                  struct server_access *access, struct server_gaps *gaps,
                  struct server_reading *ret);

#endif
