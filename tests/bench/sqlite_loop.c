/*
 * sqlite_loop.c - the yardstick of the sqlite driver: the same prepared SELECT
 * by key in a plain loop.  Usage: sqlite_loop FILE ROWS SECONDS
 *
 * Per statement: one look at the clock, one key (uniform over 1..ROWS, as with
 * --rand-type=uniform), bind, steps until there is no row left, reset.  Columns
 * are not read, because oltp_point_select does not read them either.  SQLite's
 * settings are its defaults; those that decide the work of a SELECT (journal
 * mode, page cache, no mapping of the file) are what bench has as well.
 *
 * It has one thread, bench has several.  That is in its favour: a process with
 * one thread need not protect its table of files, its locks and its memory.
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
  struct timespec ts;

  (void)clock_gettime(CLOCK_MONOTONIC, &ts);
  return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
  const int64_t rows = argc == 4 ? atoll(argv[2]) : 1;
  const double seconds = argc == 4 ? atof(argv[3]) : 0;
  uint64_t seed = 42, done = 0;
  sqlite3 *db;
  sqlite3_stmt *st;
  double start;

  if (argc != 4 ||
      sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                      NULL) != SQLITE_OK ||
      sqlite3_prepare_v2(db, "SELECT c FROM sbtest1 WHERE id=?", -1, &st,
                         NULL) != SQLITE_OK)
    return 1;
  start = now();
  while (now() - start < seconds) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    (void)sqlite3_bind_int64(st, 1,
                             (int64_t)((seed >> 33) % (uint64_t)rows) + 1);
    while (sqlite3_step(st) == SQLITE_ROW)
      ;
    (void)sqlite3_reset(st);
    done++;
  }
  printf("%.2f\n", (double)done / (now() - start));
  (void)sqlite3_finalize(st);
  return sqlite3_close(db) != SQLITE_OK;
}
