/*
 * sessions.h - the figures that the sessions of an embedded database count
 * themselves.
 */
#ifndef BENCH_MONITOR_SESSIONS_H
#define BENCH_MONITOR_SESSIONS_H

struct counts;
struct server_reading;

/* Let sessions count, from now on. */
void sessions_want(struct counts *c);

/* Adds to a reading what they have counted. */
void sessions_read(struct counts *c, struct server_reading *ret);

#endif
