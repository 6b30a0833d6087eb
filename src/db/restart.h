/*
 * restart.h - how patient a client is with an event that fails again and again.
 */
#ifndef BENCH_DB_RESTART_H
#define BENCH_DB_RESTART_H

#include <stdint.h>

/* The pause before attempt number `attempt` (1 is the first repetition) of an
 * event: none before the first ones, and at most a tenth of a second. */
uint64_t restart_pause_ns(int attempt);

#endif
