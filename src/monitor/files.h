/*
 * files.h - the figures of a SQLite database, from its files alone.
 */
#ifndef BENCH_MONITOR_FILES_H
#define BENCH_MONITOR_FILES_H

struct server_reading;

/*
 * Nothing is locked, and nothing is read but the header of the log.  The
 * database itself is never opened: closing it would drop the locks that SQLite
 * has on it in this process, and other programs could then destroy it.  SQLite
 * locks no log.  Figures that the files do not have are missing.
 */
void files_read(const char *path, struct server_reading *ret);

#endif
