/*
 * service.h - when each client was last served, its errors since then, and
 * stalls of all clients.
 *
 * An event that ends costs a comparison and a store in memory of its own.  All
 * else happens after errors and stalls.
 */
#ifndef BENCH_STATS_SERVICE_H
#define BENCH_STATS_SERVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct err;

enum fault_phase {
  FAULT_CONNECT,   /* refused, timed out */
  FAULT_LOGIN,     /* everybody or this client is refused */
  FAULT_READ_ONLY, /* no primary */
  FAULT_SHUTTING_DOWN,
  FAULT_STATEMENT,
  FAULT_IN_TRANSACTION, /* before COMMIT */
  FAULT_AT_COMMIT,      /* unknown whether committed */
  FAULT_PHASES
};

/* "connect", "login", "read_only"... */
const char *fault_phase_name(enum fault_phase phase);

struct service_error {
  uint64_t at_ns; /* 0: none */
  enum fault_phase phase;
  char code[16]; /* number or SQLSTATE */
  char text[104];
};

struct outages;

struct service {
  /* Its last success; at first the start of the load. Written by the client. */
  _Atomic uint64_t last_ns;
  /* Used by the client: a later success takes the slow path. */
  uint64_t patience_ns;

  _Atomic uint64_t begun_ns; /* start of its event, unless last_ns */
  _Atomic uint64_t
    unserved_ns;       /* start of an event that was given up; 0: none */
  struct outages *all; /* constant; NULL: not watched */

  /* Under the lock of `all`. */
  struct service_error
    fault;          /* the first since the last success, or before it */
  bool down;        /* `fault` is of now */
  uint64_t outages; /* ended in the measured part */
  uint64_t down_ns; /* sum, from the last success to the next */
  uint64_t longest_ns, noticed_ns; /* the longest; from the error on */
};

/* No success, although clients waited for one. */
struct stall {
  uint64_t from_ns, to_ns;
  unsigned clients; /* waiting at its end */
  int64_t
    ended_by; /* the client with the first success; -1: the end of the run */
  uint64_t arrivals;          /* due in it; set by the final report */
  struct service_error fault; /* the first in it; at_ns 0: none */
};

enum {
  STALLS_MAX = 1000 /* the longest; others are only counted */
};

struct outages {
  uint64_t limit_ns; /* a longer time is a stall; constant; 0: off */
  /* The latest success; approximate. */
  _Atomic uint64_t recent_ns;
  /* Over all stalls, for threads that watch the run. */
  _Atomic uint64_t count, sum_ns;

  pthread_mutex_t lock; /* protects the rest, and parts of each service */
  struct stall *of;
  unsigned n;
  unsigned shortest;             /* index; valid when n is STALLS_MAX */
  uint64_t *longest;             /* owned; see outage_report.longest_of */
  uint64_t phases[FAULT_PHASES]; /* by the first error */
};

int outages_init(struct outages *o, uint64_t limit_ns, struct err *err);
void outages_done(struct outages *o);

/* Counts a stall, and keeps it if among the longest. Under the lock. */
void outages_keep(struct outages *o, const struct stall *s);

/* By time, after the last stall. */
void outages_sort(struct outages *o);

/* A watched client is ready, and the load begins. */
void service_start(struct service *s, uint64_t now_ns);

/* For an event that does not begin at the end of the last one. */
static inline void service_begin(struct service *s, uint64_t start_ns)
{
  atomic_store_explicit(&s->begun_ns, start_ns, memory_order_relaxed);
}

/* By the client's thread. The first failure after a success counts; copies the
 * texts. */
void service_fault(struct service *s, uint64_t now_ns, enum fault_phase phase,
                   const char *code, const char *text);

/* The last event begun was given up. */
void service_give_up(struct service *s);

/* Since when the client waits, if inside an event. */
static inline uint64_t service_wants_since(const struct service *s)
{
  const uint64_t last = atomic_load_explicit(&s->last_ns, memory_order_relaxed);
  const uint64_t begun = atomic_load_explicit(&s->begun_ns,
                                              memory_order_relaxed);

  return begun > last ? begun : last;
}

#endif
