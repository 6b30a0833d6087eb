/*
 * files.h - the figures of a SQLite database, from its files alone.
 */
#ifndef BENCH_MONITOR_FILES_H
#define BENCH_MONITOR_FILES_H

struct server_reading;

/* Nothing is locked, and nothing is read but two headers.  Figures that the
 * files do not have are missing. */
void files_read(const char *path, struct server_reading *ret);

#endif
