/*
 * delay.h - how much of the latency of events this machine added: workers could
 * have gone on, but had no CPU, or slept too long.  Only for src/run.
 *
 * About 500 events per second are measured.  Distances are random numbers of
 * events: the event after a random time is rarely a slow one.  The scheduler
 * counts the waiting of a thread; a client waits for its thread.
 */
#ifndef BENCH_RUN_DELAY_H
#define BENCH_RUN_DELAY_H

#include <stdint.h>

struct client_delays;
struct err;
struct run;
struct worker;

/* A test that measures this machine's CPUs needs no such figures without a
 * rate. */
int delay_init(struct run *run, struct err *err);
void delay_done(struct run *run);

/* At the start of the measured part. */
void delay_start(struct worker *w);

/* At w->sample_ns: events are slower than expected. */
void delay_choose(struct worker *w, uint64_t now);

/* The next event is measured, and the one after it chosen.  Returns the
 * time. */
uint64_t delay_begin(struct worker *w);

/* The measured event has ended, or was abandoned. */
void delay_end(struct worker *w, uint64_t took_ns);
void delay_drop(struct worker *w);

void delay_measured(const struct run *run, struct client_delays *ret);

#endif
