/*
 * service.h - when each client was last served, what has failed since, and the
 * times in which no client was.
 *
 * A client is served when an event of it ends.  That costs a comparison and a
 * store in memory of its own; everything else happens only after an error, or
 * when the previous event ended longer ago than the limit of stalls.
 */
#ifndef BENCH_STATS_SERVICE_H
#define BENCH_STATS_SERVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct err;

/* Where a client was when the service failed, or how the server refused. */
enum fault_phase {
  FAULT_CONNECT,        /* no connection: refused, timed out */
  FAULT_LOGIN,          /* the server lets nobody in, or not this one */
  FAULT_READ_ONLY,      /* it does not write: it is no primary */
  FAULT_SHUTTING_DOWN,  /* it says so */
  FAULT_STATEMENT,      /* outside of a transaction */
  FAULT_IN_TRANSACTION, /* before its COMMIT */
  FAULT_AT_COMMIT,      /* nobody knows whether it was committed */
  FAULT_PHASES
};

/* "connect", "login", "read_only" and so on. */
const char *fault_phase_name(enum fault_phase phase);

struct service_error {
  uint64_t at_ns; /* 0: none */
  enum fault_phase phase;
  char code[16]; /* number or SQLSTATE */
  char text[104];
};

struct outages;

/* One client. */
struct service {
  /* Its last success; the start of the load before the first one.  Only the
   * client writes it. */
  _Atomic uint64_t last_ns;
  /* A success that comes later after the last one takes the slow path.  Only
   * the client uses it. */
  uint64_t patience_ns;

  _Atomic uint64_t begun_ns; /* the start of its event, if it was not last_ns */
  _Atomic uint64_t unserved_ns; /* start of an event that was given up; 0 */
  struct outages *all;          /* constant; NULL: no service is watched */

  /* Under the lock of `all`. */
  struct service_error
    fault;          /* the first since the last success, or the one before */
  bool down;        /* it is of now */
  uint64_t outages; /* that ended in the measured part */
  uint64_t down_ns; /* sum over them, from the last success to the next */
  uint64_t longest_ns, noticed_ns; /* the longest of them; from the error on */
};

/* A time without success in which clients waited for one. */
struct stall {
  uint64_t from_ns, to_ns;
  unsigned clients;  /* that waited at its end */
  int64_t ended_by;  /* the client that had the first success; -1: the run's end
                      * came before */
  uint64_t arrivals; /* that were due in it; set by the final report */
  struct service_error fault; /* the first in it; at_ns is 0: there was none */
};

enum {
  STALLS_MAX = 1000 /* the longest; others are only counted */
};

/* All clients of a run. */
struct outages {
  uint64_t limit_ns; /* a longer time is a stall; constant; 0: off */
  /* A client had a success at this moment; approximate. */
  _Atomic uint64_t recent_ns;
  /* The sums over all stalls, for threads that watch the run. */
  _Atomic uint64_t count, sum_ns;

  pthread_mutex_t lock; /* protects the rest, and parts of each service */
  struct stall *of;     /* owned; [STALLS_MAX] */
  unsigned n;
  unsigned shortest; /* of them, when there are STALLS_MAX */
  uint64_t *longest; /* owned; of the report: outage_report.longest_of */
  uint64_t phases[FAULT_PHASES]; /* failures of clients, by their first error */
};

int outages_init(struct outages *o, uint64_t limit_ns, struct err *err);
void outages_done(struct outages *o);

/* Count a stall, and keep it if it is one of the longest.  Under the lock. */
void outages_keep(struct outages *o, const struct stall *s);

/* Put those that were kept in the order of time, when there will be no more. */
void outages_sort(struct outages *o);

/* A watched client is ready, and the load begins. */
void service_start(struct service *s, uint64_t now_ns);

/* An event begins at a moment that is not the end of the last one. */
static inline void service_begin(struct service *s, uint64_t start_ns)
{
  atomic_store_explicit(&s->begun_ns, start_ns, memory_order_relaxed);
}

/*
 * The service has failed this client.  The first failure after a success
 * counts; the texts are copied.  Only its own thread calls.
 */
void service_fault(struct service *s, uint64_t now_ns, enum fault_phase phase,
                   const char *code, const char *text);

/* The event that has begun last was given up. */
void service_give_up(struct service *s);

/* The moment from which the client waits, if it is inside of an event. */
static inline uint64_t service_wants_since(const struct service *s)
{
  const uint64_t last = atomic_load_explicit(&s->last_ns, memory_order_relaxed);
  const uint64_t begun = atomic_load_explicit(&s->begun_ns,
                                              memory_order_relaxed);

  return begun > last ? begun : last;
}

#endif
