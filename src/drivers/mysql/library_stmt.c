/*
 * library_stmt.c - prepared statements through the client library.
 *
 * Columns are bound by their types, not as strings, so that value.c makes their
 * texts, which are the same with both libraries.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "db/emul.h"
#include "db/env.h"
#include "drivers/mysql/error.h"
#include "drivers/mysql/library.h"
#include "drivers/mysql/params.h"

/* The place where the library puts a value. */
struct cell {
  union {
    uint64_t bits;
    float f;
    double d;
    MYSQL_TIME time;
  } v;
  unsigned long len;
  shim_bool is_null, error;
};

static int stmt_failed(struct mysql_prepared *p, struct outcome *out)
{
  const char *text = mysql_stmt_error(p->stmt);

  return mysqld_error_set(prepared_session(p), out,
                          (int)mysql_stmt_errno(p->stmt),
                          mysql_stmt_sqlstate(p->stmt), text, strlen(text));
}

int mysqld_library_prepare(struct mysql_prepared *p, struct outcome *out)
{
  struct mysql_session *s = prepared_session(p);

  p->stmt = mysql_stmt_init(s->mysql);
  if (!p->stmt)
    return mysqld_error_no_memory(s, out);
  s->sent = p->base.len;
  if (mysql_stmt_prepare(p->stmt, p->base.sql, (unsigned long)p->base.len) != 0)
    return stmt_failed(p, out);
  p->base.n_params = (unsigned)mysql_stmt_param_count(p->stmt);
  return 0;
}

/* ---- parameters ---- */

/*
 * Fills in the library's description of the parameters; the values come later.
 */
static bool describe(struct mysql_prepared *p)
{
  const unsigned n = p->base.n_binds;
  MYSQL_BIND *binds = reallocarray(p->params, n ? n : 1, sizeof(*binds));

  if (!binds)
    return false;
  p->params = binds;
  memset(binds, 0, n * sizeof(*binds));
  for (unsigned i = 0; i < n; i++) {
    binds[i].buffer_type = (enum enum_field_types)mysqld_params_type(
      p->base.binds[i].type);
    binds[i].length = &binds[i].buffer_length;
    binds[i].is_null = &binds[i].is_null_value;
  }
  return true;
}

/*
 * The values may move with each binding, and the library copies the
 * descriptions.  Binds again only if one of them has changed.
 */
static int give_params(struct mysql_prepared *p, struct outcome *out)
{
  const sql_bind *b = p->base.binds;
  bool changed = !p->types_sent;

  if (p->base.n_binds == 0)
    return 0;
  if (!p->types_sent && !describe(p))
    return mysqld_error_no_memory(prepared_session(p), out);
  for (unsigned i = 0; i < p->base.n_binds; i++) {
    MYSQL_BIND *to = &p->params[i];

    changed |= to->buffer != b[i].buffer;
    to->buffer = b[i].buffer;
    to->is_null_value = param_is_null(&b[i]);
    to->buffer_length = (unsigned long)param_length(&b[i]);
  }
  if (changed && mysql_stmt_bind_param(p->stmt, p->params) != 0)
    return stmt_failed(p, out);
  p->types_sent = true;
  return 0;
}

/* ---- results ---- */

/*
 * The server failed among the rows.  The library would wait for the rest of
 * them when the statement is executed again.
 */
static int receive_failed(struct mysql_prepared *p, struct outcome *out)
{
  out->during_results = true;
  if (mysql_stmt_errno(p->stmt) != 0)
    (void)stmt_failed(p, out);
  else
    (void)mysqld_library_failed(prepared_session(p), out);
  if (!out->lost)
    (void)mysql_stmt_reset(p->stmt); /* a lost connection is noticed later */
  return -1;
}

/* ---- rows ---- */

static bool room_for(struct library *lib, uint32_t n)
{
  if (n <= lib->room)
    return true;
  free(lib->bind);
  free(lib->cell);
  free(lib->cols);
  lib->bind = calloc(n, sizeof(*lib->bind));
  lib->cell = calloc(n, sizeof(*lib->cell));
  lib->cols = calloc(n, sizeof(*lib->cols));
  lib->room = lib->bind && lib->cell && lib->cols ? n : 0;
  return lib->room > 0;
}

static void bind_column(MYSQL_BIND *b, struct cell *cell,
                        const struct column *c)
{
  memset(b, 0, sizeof(*b));
  b->buffer = &cell->v;
  b->buffer_length = sizeof(cell->v);
  b->length = &cell->len;
  b->is_null = &cell->is_null;
  b->error = &cell->error;
  switch (value_kind(c->type)) {
  case VALUE_INT:
    b->buffer_type = MYSQL_TYPE_LONGLONG;
    b->is_unsigned = (c->flags & UNSIGNED_FLAG) != 0;
    break;
  case VALUE_FLOAT:
  case VALUE_DOUBLE:
  case VALUE_DATE:
  case VALUE_TIME:
    b->buffer_type = (enum enum_field_types)c->type;
    break;
  default: /* first the length, then the bytes, when there is room for them */
    b->buffer_type = MYSQL_TYPE_STRING;
    b->buffer_length = 0;
  }
}

static bool bind_columns(struct mysql_prepared *p)
{
  struct library *lib = &prepared_session(p)->lib;
  MYSQL_RES *meta = mysql_stmt_result_metadata(p->stmt);

  if (!meta || mysql_num_fields(meta) != lib->nfields ||
      !room_for(lib, lib->nfields)) {
    if (meta)
      mysql_free_result(meta);
    return false;
  }
  for (uint32_t i = 0; i < lib->nfields; i++) {
    const MYSQL_FIELD *f = mysql_fetch_field_direct(meta, i);

    lib->cols[i] = (struct column){ .length = (uint32_t)f->length,
                                    .flags = (uint16_t)f->flags,
                                    .type = (uint8_t)f->type,
                                    .decimals = (uint8_t)f->decimals };
    bind_column(&lib->bind[i], &lib->cell[i], &lib->cols[i]);
  }
  mysql_free_result(meta);
  return mysql_stmt_bind_result(p->stmt, lib->bind) == 0;
}

static struct moment moment_of(const MYSQL_TIME *t)
{
  /* A time of day has its days in its hours, or in `day`. */
  return (struct moment){ .negative = t->neg,
                          .year = t->year,
                          .month = t->month,
                          .day = t->day,
                          .hour = t->hour,
                          .minute = t->minute,
                          .second = t->second,
                          .us = (uint32_t)t->second_part };
}

static size_t number_text(const struct column *c, const struct cell *cell,
                          char *to)
{
  struct moment m;

  switch (value_kind(c->type)) {
  case VALUE_INT:
    return mysqld_value_int(c, cell->v.bits, to);
  case VALUE_FLOAT:
    return mysqld_value_double(c, (double)cell->v.f, true, to);
  case VALUE_DOUBLE:
    return mysqld_value_double(c, cell->v.d, false, to);
  case VALUE_DATE:
    m = moment_of(&cell->v.time);
    return mysqld_value_date(c, &m, to);
  default:
    m = moment_of(&cell->v.time);
    return mysqld_value_time(c, &m, to);
  }
}

/* Appends a string of the row.  So far the library knows only its length. */
static bool keep_string(struct mysql_prepared *p, uint32_t i)
{
  struct library *lib = &prepared_session(p)->lib;
  const uint32_t want = (uint32_t)lib->cell[i].len;
  char *to = mysqld_library_rows_room(&lib->rows, want);
  MYSQL_BIND b = { 0 };
  unsigned long len = 0;
  shim_bool is_null = 0, error = 0;

  if (!to)
    return false;
  if (want > 0) {
    b.buffer_type = MYSQL_TYPE_STRING;
    b.buffer = to;
    b.buffer_length = want;
    b.length = &len;
    b.is_null = &is_null;
    b.error = &error;
    if (mysql_stmt_fetch_column(p->stmt, &b, i, 0) != 0)
      return false;
  }
  mysqld_library_rows_added(&lib->rows, want);
  return true;
}

static bool keep_row(struct mysql_prepared *p)
{
  struct library *lib = &prepared_session(p)->lib;
  struct library_rows *rows = &lib->rows;

  for (uint32_t i = 0; i < lib->nfields; i++) {
    const struct column *c = &lib->cols[i];
    char *to;

    if (lib->cell[i].is_null || value_kind(c->type) == VALUE_NULL) {
      mysqld_library_rows_add(rows, NULL, 0);
    } else if (value_kind(c->type) == VALUE_BYTES) {
      if (!keep_string(p, i))
        return false;
    } else {
      to = mysqld_library_rows_room(rows, VALUE_ROOM);
      if (!to)
        return false;
      mysqld_library_rows_added(rows,
                                (uint32_t)number_text(c, &lib->cell[i], to));
    }
  }
  return !rows->bytes.failed;
}

/* Receives all rows, and counts them. */
static int receive(struct mysql_prepared *p, uint64_t *ret_n,
                   struct outcome *out)
{
  struct mysql_session *s = prepared_session(p);
  uint64_t n = 0;
  int rc;

  if (!bind_columns(p)) {
    (void)mysqld_library_cut(s, true, out);
    return -1;
  }
  while ((rc = mysql_stmt_fetch(p->stmt)) == 0 || rc == MYSQL_DATA_TRUNCATED) {
    n++;
    if (s->base.unread)
      continue;
    if (UNLIKELY(!keep_row(p)))
      return mysqld_library_cut(s, true, out);
    if (UNLIKELY(!env_may_keep(s->base.env, s->lib.rows.bytes.len)))
      return mysqld_library_cut(s, false, out);
  }
  if (rc != MYSQL_NO_DATA)
    return receive_failed(p, out);
  *ret_n = n;
  return 0;
}

static int store(struct mysql_prepared *p, struct outcome *out)
{
  struct mysql_session *s = prepared_session(p);
  uint64_t n = 0;

  s->lib.from = p;
  s->lib.nfields = mysql_stmt_field_count(p->stmt);
  if (s->lib.nfields == 0) {
    mysqld_error_none(s, out, mysqld_library_status(s), 0,
                      mysql_stmt_affected_rows(p->stmt));
    return 0;
  }
  if (receive(p, &n, out) < 0)
    return -1;
  mysqld_shim_note_end(s->mysql);
  s->lib.rows.left = s->base.unread ? 0 : n;
  mysqld_error_none(s, out, mysqld_library_status(s), s->lib.nfields, n);
  return 0;
}

/* ---- executing ---- */

/*
 * The table has changed since columns of the statement were bound, and the
 * library refuses the new ones.  A statement that only reads can simply be
 * executed again.
 */
static int execute_anew(struct mysql_prepared *p, struct outcome *out)
{
  size_t n;
  const char *word = emul_first_word(p->base.sql, p->base.len,
                                     p->base.session->dialect, &n);

  if (!emul_word_is(word, n, "SELECT"))
    return stmt_failed(p, out);
  (void)mysql_stmt_close(p->stmt);
  p->types_sent = false;
  if (mysqld_library_prepare(p, out) < 0 || give_params(p, out) < 0)
    return -1;
  if (mysql_stmt_execute(p->stmt) != 0)
    return stmt_failed(p, out);
  return store(p, out);
}

int mysqld_library_execute(struct mysql_prepared *p, struct outcome *out)
{
  struct mysql_session *s = prepared_session(p);

  mysqld_library_end_rows(s);
  s->lib.from = NULL;
  s->sent = mysqld_params_size(p->base.binds, p->base.n_binds,
                               (struct params_form){ false, false });
  if (give_params(p, out) < 0)
    return -1;
  if (mysql_stmt_execute(p->stmt) == 0)
    return store(p, out);
  if (mysql_stmt_errno(p->stmt) == CODE_NEW_COLUMNS)
    return execute_anew(p, out);
  return stmt_failed(p, out);
}

int mysqld_library_stmt_next(struct mysql_session *s, struct outcome *out)
{
  struct mysql_prepared *p = s->lib.from;
  int rc;

  mysqld_library_end_rows(s);
  rc = s->more ? mysql_stmt_next_result(p->stmt) : -1;
  if (rc > 0)
    return stmt_failed(p, out);
  if (rc < 0) {
    s->more = false;
    out->ended = true;
    return 0;
  }
  return store(p, out);
}

/* ---- closing ---- */

/*
 * Keeps a statement.  It is closed after the connection, without a message to
 * the server.
 */
static bool keep_orphan(struct library *lib, MYSQL_STMT *stmt)
{
  if (lib->n_orphans == lib->orphans_room) {
    const size_t room = lib->orphans_room ? 2 * lib->orphans_room : 16;
    /* The elements are pointers. NOLINTNEXTLINE(bugprone-sizeof-expression) */
    MYSQL_STMT **orphan = reallocarray(lib->orphan, room, sizeof(*orphan));

    if (!orphan)
      return false;
    lib->orphan = orphan;
    lib->orphans_room = room;
  }
  lib->orphan[lib->n_orphans++] = stmt;
  return true;
}

void mysqld_library_unprepare(struct mysql_prepared *p, bool going)
{
  struct mysql_session *s = prepared_session(p);

  if (s->lib.from == p) {
    mysqld_library_end_rows(s);
    s->lib.from = NULL;
  }
  if (p->stmt && (!going || !keep_orphan(&s->lib, p->stmt)))
    (void)mysql_stmt_close(p->stmt);
  p->stmt = NULL;
  free(p->params);
  p->params = NULL;
}
