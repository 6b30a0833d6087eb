/*
 * pages.c - how many pages a session has read and written.
 */
#include "drivers/sqlite/session.h"

static void add(struct sqlite_session *q, int status, enum db_count which)
{
  int n = 0, most = 0;

  /* SQLite begins to count anew: its numbers have 31 bits. */
  if (sqlite3_db_status(q->db, status, &n, &most, 1) == SQLITE_OK && n > 0)
    counts_add(&q->counts, which, (uint64_t)n);
}

void sqlite_note_pages(struct sqlite_session *q)
{
  add(q, SQLITE_DBSTATUS_CACHE_MISS, COUNT_PAGES_READ);
  add(q, SQLITE_DBSTATUS_CACHE_WRITE, COUNT_PAGES_WRITTEN);
  add(q, SQLITE_DBSTATUS_CACHE_SPILL, COUNT_SPILLS);
}
