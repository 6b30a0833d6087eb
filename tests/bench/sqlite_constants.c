/*
 * sqlite_constants.c - what SQLite itself takes for the rows of an OLTP table:
 * constants, inserted by a prepared statement, and the index after them.
 *
 * usage: sqlite_constants FILE ROWS
 *
 * Table, journal mode and synchronous mode are those of prepare, and so many
 * rows make a transaction as there.  The values of k are no constants: an index
 * of equal values would be sorted before it is made.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  TRANSACTION = 100000 /* rows */
};

static sqlite3 *db;

static void run(const char *sql)
{
  if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
    return;
  (void)fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(db));
  exit(1);
}

static double cpu_s(void)
{
  struct timespec t;

  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void insert(sqlite3_stmt *stmt, long id, long k)
{
  static const char c[] = "5555555555555555555555555555555555555555555555555555"
                          "5555555555555555555555555555555555555555555555555555"
                          "555555555555555";
  static const char pad[] = "55555555555555555555555555555555555555555555555555"
                            "555555555";

  (void)sqlite3_bind_int64(stmt, 1, id);
  (void)sqlite3_bind_int64(stmt, 2, k);
  (void)sqlite3_bind_text(stmt, 3, c, 119, SQLITE_STATIC);
  (void)sqlite3_bind_text(stmt, 4, pad, 59, SQLITE_STATIC);
  if (sqlite3_step(stmt) == SQLITE_DONE && sqlite3_reset(stmt) == SQLITE_OK)
    return;
  (void)fprintf(stderr, "row %ld: %s\n", id, sqlite3_errmsg(db));
  exit(1);
}

int main(int argc, char **argv)
{
  const long rows = argc > 2 ? atol(argv[2]) : 0;
  sqlite3_stmt *stmt;
  double inserted;

  if (argc < 3 || rows < 1 || sqlite3_open(argv[1], &db) != SQLITE_OK)
    return 2;
  run("PRAGMA journal_mode=wal; PRAGMA synchronous=normal;"
      "CREATE TABLE sbtest1(id INTEGER PRIMARY KEY AUTOINCREMENT,"
      " k INTEGER DEFAULT '0' NOT NULL, c CHAR(120) DEFAULT '' NOT NULL,"
      " pad CHAR(60) DEFAULT '' NOT NULL)");
  if (sqlite3_prepare_v2(db,
                         "INSERT INTO sbtest1(id, k, c, pad) VALUES(?,?,?,?)",
                         -1, &stmt, NULL) != SQLITE_OK)
    return 2;
  for (long i = 0; i < rows; i++) {
    if (i % TRANSACTION == 0)
      run(i ? "COMMIT; BEGIN IMMEDIATE" : "BEGIN IMMEDIATE");
    insert(stmt, i + 1,
           1 + (long)((unsigned long)i * 2654435761U % (unsigned long)rows));
  }
  run("COMMIT");
  (void)sqlite3_finalize(stmt);
  inserted = cpu_s();
  run("CREATE INDEX k_1 ON sbtest1(k)");
  printf("CPU time per row: %.0f ns for rows, %.0f ns for the index\n",
         inserted * 1e9 / (double)rows,
         (cpu_s() - inserted) * 1e9 / (double)rows);
  return sqlite3_close(db) == SQLITE_OK ? 0 : 1;
}
