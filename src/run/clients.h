/*
 * clients.h - threads that carry the clients of a run.  Only for src/run.
 *
 * With --clients, a worker is a fiber (src/loop), and plan->carriers threads
 * share them: client c is carried by thread c modulo that number.  Everything
 * else that is true of a worker stays true.
 */
#ifndef BENCH_RUN_CLIENTS_H
#define BENCH_RUN_CLIENTS_H

#include <stdbool.h>

struct client_loops;
struct crew;
struct err;
struct run;
struct worker;

/* Before the crew starts: run->carriers; and when all threads have ended. */
int clients_make(struct run *run, struct err *err);
void clients_done(struct run *run);

/* As crew_start(). */
int clients_start(struct crew *crew, struct err *err);

/* Before a client opens anything.  True: it must not, since the memory is used
 * up; `err` says so once for all. */
bool clients_lack_memory(const struct worker *w, struct err *err);

/* The measured part begins; and what the loops did in it. */
void clients_measure_from(struct run *run);
void clients_measured(const struct run *run, struct client_loops *ret);

#endif
