/*
 * pages.c - how many pages a session has read and written.
 */
#include "drivers/sqlite/session.h"

/* Returns whether there were any. */
static bool add(struct sqlite_session *q, int status, enum db_count which)
{
  int n = 0, most = 0;

  /* SQLite begins to count anew: its numbers have 31 bits. */
  if (sqlite3_db_status(q->db, status, &n, &most, 1) != SQLITE_OK || n <= 0)
    return false;
  counts_add(&q->counts, which, (uint64_t)n);
  return true;
}

void sqlite_note_reads(struct sqlite_session *q)
{
  (void)add(q, SQLITE_DBSTATUS_CACHE_MISS, COUNT_PAGES_READ);
  q->unnoted = 0;
}

void sqlite_note_pages(struct sqlite_session *q)
{
  sqlite_note_reads(q);
  /* A page that makes room is written. */
  if (add(q, SQLITE_DBSTATUS_CACHE_WRITE, COUNT_PAGES_WRITTEN))
    (void)add(q, SQLITE_DBSTATUS_CACHE_SPILL, COUNT_SPILLS);
}
