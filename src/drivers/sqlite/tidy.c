/*
 * tidy.c - gives back the space of a database whose tables were dropped.
 *
 * SQLite keeps the pages of dropped tables in the file.  If nothing else is in
 * it, the file is removed, but never while another process has it open.  An
 * idle connection holds no lock, so the kernel is asked for a lease.  The
 * kernel grants it only for a file that no other process has open.
 */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fmt.h"
#include "drivers/sqlite/session.h"

/* Fewer bytes of free pages are not reported. */
#define WORTH_A_LINE (UINT64_C(1) << 20)

/*
 * What the file holds besides free pages, and what another program has marked
 * as its own.
 */
static const char what_is_there[] =
  "SELECT (SELECT COUNT(*) FROM sqlite_master WHERE name NOT LIKE "
  "'sqlite\\_%' ESCAPE '\\') + (u.user_version <> 0) + "
  "(a.application_id <> 0), f.freelist_count * s.page_size, "
  "c.page_count * s.page_size, v.schema_version FROM pragma_user_version u, "
  "pragma_application_id a, pragma_freelist_count f, pragma_page_size s, "
  "pragma_page_count c, pragma_schema_version v";

struct contents {
  bool others; /* contents that bench did not create */
  bool used;   /* there has been a table */
  uint64_t free_bytes, bytes;
};

static int look_inside(sqlite3 *db, struct contents *ret)
{
  sqlite3_stmt *stmt = NULL;
  int rc = sqlite3_prepare_v2(db, what_is_there, -1, &stmt, NULL);

  if (rc == SQLITE_OK)
    rc = sqlite3_step(stmt);
  if (rc == SQLITE_ROW) {
    ret->others = sqlite3_column_int64(stmt, 0) != 0;
    ret->free_bytes = (uint64_t)sqlite3_column_int64(stmt, 1);
    ret->bytes = (uint64_t)sqlite3_column_int64(stmt, 2);
    ret->used = sqlite3_column_int64(stmt, 3) != 0;
  }
  (void)sqlite3_finalize(stmt);
  return rc == SQLITE_ROW ? 0 : -1;
}

/*
 * Shrinks the file to the pages in use, without a write-ahead log: one cannot
 * leave that mode while other connections are open.
 */
static bool shrink(sqlite3 *db)
{
  sqlite3_stmt *stmt = NULL;
  bool left = false;

  if (sqlite3_prepare_v2(db, "PRAGMA journal_mode=DELETE", -1, &stmt, NULL) ==
        SQLITE_OK &&
      sqlite3_step(stmt) == SQLITE_ROW)
    left = strcmp((const char *)sqlite3_column_text(stmt, 0), "delete") == 0;
  (void)sqlite3_finalize(stmt);
  return left && sqlite3_exec(db, "VACUUM", NULL, NULL, NULL) == SQLITE_OK;
}

/* Is it a regular file with one name, which is the given one? */
static bool is_plain(const char *path, struct stat *ret)
{
  return lstat(path, ret) == 0 && S_ISREG(ret->st_mode) && ret->st_nlink == 1;
}

/* What tells whether another process has a file open. */
#if defined(F_SETLEASE) && defined(F_SETSIG)

static void remove_beside(const char *path, const char *suffix)
{
  char name[PATH_MAX];

  if (snprintf(name, sizeof(name), "%s%s", path, suffix) < (int)sizeof(name))
    (void)unlink(name); /* usually SQLite has already removed it */
}

/* False: another process has the file open, or it cannot be removed. */
static bool remove_file(const char *path)
{
  struct stat before, opened;
  bool gone = false;
  int fd;

  if (!is_plain(path, &before))
    return false;
  fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return false;
  /*
   * From now on, a process that opens the file waits until it is gone.  The
   * signal that reports this would end the program, unless it is one that is
   * ignored.
   */
  if (fstat(fd, &opened) == 0 && opened.st_dev == before.st_dev &&
      opened.st_ino == before.st_ino && fcntl(fd, F_SETSIG, SIGURG) == 0 &&
      fcntl(fd, F_SETLEASE, F_WRLCK) == 0) {
    gone = unlink(path) == 0;
    if (gone) {
      remove_beside(path, "-wal");
      remove_beside(path, "-shm");
      remove_beside(path, "-journal");
    }
    (void)fcntl(fd, F_SETLEASE, F_UNLCK);
  }
  (void)close(fd);
  return gone;
}

#else

/* Nothing does, so the file stays. */
static bool remove_file(const char *path)
{
  struct stat st;

  (void)is_plain(path, &st);
  return false;
}

#endif

void sqlite_tidy(struct session *s, struct strbuf *line)
{
  const char *path = sqlite_file(s);
  struct contents in = { 0 };
  char size[FMT_SIZE_SIZE];
  sqlite3 *db = NULL;
  struct stat st;
  bool shrunk = false;

  /* Skip databases in memory and URIs. */
  if (lstat(path, &st) < 0)
    return;
  if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
      look_inside(db, &in) == 0 && !in.others && in.used)
    shrunk = shrink(db);
  (void)sqlite3_close(db);
  if (in.others && in.free_bytes >= WORTH_A_LINE)
    strbuf_addf(line,
                "'%s' keeps its size of %s, because other tables are in it; "
                "VACUUM makes it smaller",
                path, fmt_size(size, in.bytes));
  if (in.others || !in.used) /* an empty file may belong to anything */
    return;
  if (shrunk && remove_file(path))
    strbuf_addf(line, "Removed the database file '%s'", path);
  else if (shrunk)
    strbuf_addf(line, "The database file '%s' is empty, and stays", path);
  else
    strbuf_addf(line, "The database file '%s' stays, because %s", path,
                sqlite_folder_error(path) == 0
                  ? "another program uses it"
                  : "its folder cannot be written to");
}
