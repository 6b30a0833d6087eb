/*
 * room.c - is there room for the tables?
 */
#include "load/room.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/fmt.h"
#include "base/space.h"
#include "db/conn.h"
#include "load/load.h"

/* The folder of the tables, and the part of their space that is already
 * used. */
struct place {
  char path[PATH_MAX];
  uint64_t there;
};

static bool text_of(const sql_value *v, char *to, size_t size)
{
  if (!v->ptr || v->len == 0 || v->len >= size)
    return false;
  memcpy(to, v->ptr, v->len);
  to[v->len] = '\0';
  return true;
}

/* A database that does not report its folder is no failure. */
static bool find_place(struct conn *c, const char *sql, struct place *ret)
{
  sql_result *rs = conn_query(c, sql, strlen(sql));
  struct conn_message unwanted;
  const sql_row *row;
  char number[32];
  bool ok = false;

  if (c->pub.error != DB_ERROR_NONE) {
    unwanted = conn_take_message(c);
    conn_drop_message(&unwanted);
    return false;
  }
  row = rs && rs->nrows > 0 && rs->nfields == 2 ? conn_fetch_row(rs) : NULL;
  if (row && text_of(&row->values[0], ret->path, sizeof(ret->path)) &&
      text_of(&row->values[1], number, sizeof(number))) {
    ret->there = strtoull(number, NULL, 10);
    ok = true;
  }
  if (rs)
    (void)conn_free_results(rs);
  return ok;
}

/* `usual`: bytes on disk of a row of the OLTP tables. */
static double bytes_of(const struct load_setup *s, uint64_t number,
                       unsigned usual)
{
  struct kind_table t;

  kind_describe(s->kind, &s->args, number, &t);
  return (double)kind_keys(&t) * t.per_key *
         (t.disk_bytes > 0 ? t.disk_bytes : usual);
}

static uint64_t bytes_of_all(const struct load_setup *s, unsigned usual)
{
  double bytes = 0;

  if (s->kind->tables == 0) /* they have the same size */
    bytes = (double)s->tables * bytes_of(s, s->first_table, usual);
  for (uint64_t n = 1; n <= s->kind->tables; n++)
    bytes += bytes_of(s, n, usual);
  return bytes < 0x1p63 ? (uint64_t)bytes : UINT64_MAX;
}

int room_for_tables(struct conn *c, const struct load_setup *setup,
                    struct err *err)
{
  const struct driver_space *d = c->driver->space;
  const char *sql = d ? d->query(c->session) : NULL;
  char need[FMT_SIZE_SIZE], has[FMT_SIZE_SIZE];
  struct place place;
  struct space space;
  uint64_t all, room;

  if (!sql || !find_place(c, sql, &place))
    return 0;
  space = space_look_at("", place.path);
  room = space_free(&space);
  all = bytes_of_all(setup, d->row_bytes);
  all -= place.there < all ? place.there : all;
  if (all <= room)
    return 0;
  return err_set(err, -ENOSPC,
                 "about %s needed in '%s', %s %s; choose %s, or use --force to "
                 "go on anyway",
                 fmt_size(need, all), place.path, fmt_size(has, room),
                 space_words(&space), setup->kind->fewer);
}
