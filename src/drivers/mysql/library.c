/*
 * library.c - the backend that goes through the client library.
 */

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/compiler.h"
#include "db/emul.h"
#include "db/env.h"
#include "drivers/mysql/error.h"
#include "drivers/mysql/params.h"
#include "drivers/mysql/session.h"

enum {
  KEPT = 1024 * 1024, /* larger buffers are freed after use */
};

#define NO_VALUE UINT32_MAX

static void rows_add(struct library_rows *r, const char *text, uint32_t len)
{
  const uint32_t head = text ? len : NO_VALUE;

  strbuf_add(&r->bytes, &head, sizeof(head));
  if (text)
    strbuf_add(&r->bytes, text, len);
}

static char *rows_room(struct library_rows *r, uint32_t most)
{
  const size_t begin = r->bytes.len;
  const uint32_t head = 0;

  strbuf_add(&r->bytes, &head, sizeof(head));
  if (!strbuf_reserve(&r->bytes, most))
    return NULL;
  return r->bytes.text + begin + sizeof(head);
}

static void rows_added(struct library_rows *r, uint32_t len)
{
  memcpy(r->bytes.text + r->bytes.len - sizeof(len), &len, sizeof(len));
  r->bytes.len += len;
}

static int rows_take(struct library_rows *r, uint32_t n, sql_value *values)
{
  const char *p = r->bytes.text + r->at;

  if (r->left == 0)
    return 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t len;

    memcpy(&len, p, sizeof(len));
    p += sizeof(len);
    if (len == NO_VALUE) {
      values[i] = (sql_value){ 0, NULL };
    } else {
      values[i] = (sql_value){ len, p };
      p += len;
    }
  }
  r->at = (size_t)(p - r->bytes.text);
  r->left--;
  return 1;
}

static void rows_clear(struct library_rows *r)
{
  if (UNLIKELY(r->bytes.room > KEPT || r->bytes.failed))
    strbuf_done(&r->bytes);
  strbuf_clear(&r->bytes);
  r->at = 0;
  r->left = 0;
}

static void rows_done(struct library_rows *r)
{
  strbuf_done(&r->bytes);
  r->at = 0;
  r->left = 0;
}

static int library_failed(struct mysql_session *s, struct outcome *out)
{
  const char *text = mysql_error(s->mysql);

  return mysqld_error_set(s, out, (int)mysql_errno(s->mysql),
                          mysql_sqlstate(s->mysql), text, strlen(text));
}

static unsigned library_status(const struct mysql_session *s)
{
  unsigned status = s->mysql->server_status & ~(unsigned)STATUS_MORE_RESULTS;

  if (mysql_more_results(s->mysql))
    status |= STATUS_MORE_RESULTS;
  return status;
}

static int library_cut(struct mysql_session *s, bool no_memory,
                       struct outcome *out)
{
  (void)shutdown(s->link.fd, SHUT_RDWR); /* or the rest would be read */
  (void)mysqld_error_too_large(s, out);
  if (no_memory)
    out->msg = "Client run out of memory";
  return -1;
}

static void library_end_rows(struct mysql_session *s)
{
  struct library *lib = &s->lib;

  rows_clear(&lib->rows);
  if (lib->from && lib->from->stmt)
    (void)mysql_stmt_free_result(lib->from->stmt); /* all rows are here */
  lib->nfields = 0;
}

/* Columns are bound by type, and value.c makes texts: the same with both
 * libraries. */

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

static int stmt_prepare(struct mysql_prepared *p, struct outcome *out)
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

/* Without values. */
static bool stmt_describe(struct mysql_prepared *p)
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

/* The library copies descriptions: bind again if values have moved. */
static int stmt_give_params(struct mysql_prepared *p, struct outcome *out)
{
  const sql_bind *b = p->base.binds;
  bool changed = !p->types_sent;

  if (p->base.n_binds == 0)
    return 0;
  if (!p->types_sent && !stmt_describe(p))
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

/* The next execution would wait for the remaining rows. */
static int stmt_receive_failed(struct mysql_prepared *p, struct outcome *out)
{
  out->during_results = true;
  if (mysql_stmt_errno(p->stmt) != 0)
    (void)stmt_failed(p, out);
  else
    (void)library_failed(prepared_session(p), out);
  if (!out->lost)
    (void)mysql_stmt_reset(p->stmt);
  return -1;
}

static bool stmt_room_for(struct library *lib, uint32_t n)
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

static void stmt_bind_column(MYSQL_BIND *b, struct cell *cell,
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
  default: /* first the length, then the bytes */
    b->buffer_type = MYSQL_TYPE_STRING;
    b->buffer_length = 0;
  }
}

static bool stmt_bind_columns(struct mysql_prepared *p)
{
  struct library *lib = &prepared_session(p)->lib;
  MYSQL_RES *meta = mysql_stmt_result_metadata(p->stmt);

  if (!meta || mysql_num_fields(meta) != lib->nfields ||
      !stmt_room_for(lib, lib->nfields)) {
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
    stmt_bind_column(&lib->bind[i], &lib->cell[i], &lib->cols[i]);
  }
  mysql_free_result(meta);
  return mysql_stmt_bind_result(p->stmt, lib->bind) == 0;
}

static struct moment stmt_moment_of(const MYSQL_TIME *t)
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

static size_t stmt_number_text(const struct column *c, const struct cell *cell,
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
    m = stmt_moment_of(&cell->v.time);
    return mysqld_value_date(c, &m, to);
  default:
    m = stmt_moment_of(&cell->v.time);
    return mysqld_value_time(c, &m, to);
  }
}

/* The library has told only the length. */
static bool stmt_keep_string(struct mysql_prepared *p, uint32_t i)
{
  struct library *lib = &prepared_session(p)->lib;
  const uint32_t want = (uint32_t)lib->cell[i].len;
  char *to = rows_room(&lib->rows, want);
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
  rows_added(&lib->rows, want);
  return true;
}

static bool stmt_keep_row(struct mysql_prepared *p)
{
  struct library *lib = &prepared_session(p)->lib;
  struct library_rows *rows = &lib->rows;

  for (uint32_t i = 0; i < lib->nfields; i++) {
    const struct column *c = &lib->cols[i];
    char *to;

    if (lib->cell[i].is_null || value_kind(c->type) == VALUE_NULL) {
      rows_add(rows, NULL, 0);
    } else if (value_kind(c->type) == VALUE_BYTES) {
      if (!stmt_keep_string(p, i))
        return false;
    } else {
      to = rows_room(rows, VALUE_ROOM);
      if (!to)
        return false;
      rows_added(rows, (uint32_t)stmt_number_text(c, &lib->cell[i], to));
    }
  }
  return !rows->bytes.failed;
}

static int stmt_receive(struct mysql_prepared *p, uint64_t *ret_n,
                        struct outcome *out)
{
  struct mysql_session *s = prepared_session(p);
  uint64_t n = 0;
  int rc;

  if (!stmt_bind_columns(p)) {
    (void)library_cut(s, true, out);
    return -1;
  }
  while ((rc = mysql_stmt_fetch(p->stmt)) == 0 || rc == MYSQL_DATA_TRUNCATED) {
    n++;
    if (s->base.unread)
      continue;
    if (UNLIKELY(!stmt_keep_row(p)))
      return library_cut(s, true, out);
    if (UNLIKELY(!env_may_keep(s->base.env, s->lib.rows.bytes.len)))
      return library_cut(s, false, out);
  }
  if (rc != MYSQL_NO_DATA)
    return stmt_receive_failed(p, out);
  *ret_n = n;
  return 0;
}

static int stmt_store(struct mysql_prepared *p, struct outcome *out)
{
  struct mysql_session *s = prepared_session(p);
  uint64_t n = 0;

  s->lib.from = p;
  s->lib.nfields = mysql_stmt_field_count(p->stmt);
  if (s->lib.nfields == 0) {
    mysqld_error_none(s, out, library_status(s), 0,
                      mysql_stmt_affected_rows(p->stmt));
    return 0;
  }
  if (stmt_receive(p, &n, out) < 0)
    return -1;
  mysqld_shim_note_end(s->mysql);
  s->lib.rows.left = s->base.unread ? 0 : n;
  mysqld_error_none(s, out, library_status(s), s->lib.nfields, n);
  return 0;
}

/* Columns have changed since they were bound.  A SELECT can be executed
 * again. */
static int stmt_execute_anew(struct mysql_prepared *p, struct outcome *out)
{
  size_t n;
  const char *word = emul_first_word(p->base.sql, p->base.len,
                                     p->base.session->dialect, &n);

  if (!emul_word_is(word, n, "SELECT"))
    return stmt_failed(p, out);
  (void)mysql_stmt_close(p->stmt);
  p->types_sent = false;
  if (stmt_prepare(p, out) < 0 || stmt_give_params(p, out) < 0)
    return -1;
  if (mysql_stmt_execute(p->stmt) != 0)
    return stmt_failed(p, out);
  return stmt_store(p, out);
}

static int stmt_execute(struct mysql_prepared *p, struct outcome *out)
{
  struct mysql_session *s = prepared_session(p);

  library_end_rows(s);
  s->lib.from = NULL;
  s->sent = mysqld_params_size(p->base.binds, p->base.n_binds,
                               (struct params_form){ false, false });
  if (stmt_give_params(p, out) < 0)
    return -1;
  if (mysql_stmt_execute(p->stmt) == 0)
    return stmt_store(p, out);
  if (mysql_stmt_errno(p->stmt) == CODE_NEW_COLUMNS)
    return stmt_execute_anew(p, out);
  return stmt_failed(p, out);
}

static int stmt_next(struct mysql_session *s, struct outcome *out)
{
  struct mysql_prepared *p = s->lib.from;
  int rc;

  library_end_rows(s);
  rc = s->more ? mysql_stmt_next_result(p->stmt) : -1;
  if (rc > 0)
    return stmt_failed(p, out);
  if (rc < 0) {
    s->more = false;
    out->ended = true;
    return 0;
  }
  return stmt_store(p, out);
}

/* Closed after the connection: no message is sent. */
static bool stmt_keep_orphan(struct library *lib, MYSQL_STMT *stmt)
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

static void stmt_unprepare(struct mysql_prepared *p, bool going)
{
  struct mysql_session *s = prepared_session(p);

  if (s->lib.from == p) {
    library_end_rows(s);
    s->lib.from = NULL;
  }
  if (p->stmt && (!going || !stmt_keep_orphan(&s->lib, p->stmt)))
    (void)mysql_stmt_close(p->stmt);
  p->stmt = NULL;
  free(p->params);
  p->params = NULL;
}

static void library_keep_row(struct library *lib, MYSQL_RES *res, MYSQL_ROW row)
{
  const unsigned long *len = mysql_fetch_lengths(res);

  for (uint32_t i = 0; i < lib->nfields; i++)
    rows_add(&lib->rows, row[i], row[i] ? (uint32_t)len[i] : 0);
}

static int library_receive(struct mysql_session *s, MYSQL_RES *res,
                           uint64_t *ret_n, struct outcome *out)
{
  struct library *lib = &s->lib;
  MYSQL_ROW row;
  uint64_t n = 0;

  while ((row = mysql_fetch_row(res)) != NULL) {
    n++;
    if (s->base.unread)
      continue;
    library_keep_row(lib, res, row);
    if (UNLIKELY(lib->rows.bytes.failed ||
                 !env_may_keep(s->base.env, lib->rows.bytes.len)))
      return library_cut(s, lib->rows.bytes.failed, out);
  }
  if (mysql_errno(s->mysql) != 0) {
    out->during_results = true;
    return library_failed(s, out);
  }
  *ret_n = n;
  return 0;
}

/* The library has read the head. */
static int library_store(struct mysql_session *s, struct outcome *out)
{
  struct library *lib = &s->lib;
  MYSQL_RES *res;
  uint64_t n = 0;
  int rc;

  lib->nfields = mysql_field_count(s->mysql);
  if (lib->nfields == 0) {
    mysqld_error_none(s, out, library_status(s), 0,
                      mysql_affected_rows(s->mysql));
    return 0;
  }
  res = mysql_use_result(s->mysql);
  if (!res) {
    out->during_results = true;
    return library_failed(s, out);
  }
  rc = library_receive(s, res, &n, out);
  mysql_free_result(res);
  if (rc < 0)
    return rc;
  lib->rows.left = s->base.unread ? 0 : n;
  mysqld_error_none(s, out, library_status(s), lib->nfields, n);
  return 0;
}

static int library_query(struct mysql_session *s, const char *sql, size_t len,
                         struct outcome *out)
{
  library_end_rows(s);
  s->lib.from = NULL;
  s->sent = len;
  if (mysql_real_query(s->mysql, sql, (unsigned long)len) != 0)
    return library_failed(s, out);
  return library_store(s, out);
}

static int library_next_result(struct mysql_session *s, struct outcome *out)
{
  int rc;

  if (s->lib.from)
    return stmt_next(s, out);
  library_end_rows(s);
  rc = s->more ? mysql_next_result(s->mysql) : -1;
  if (rc > 0)
    return library_failed(s, out);
  if (rc < 0) {
    s->more = false;
    out->ended = true;
    return 0;
  }
  return library_store(s, out);
}

static int library_end_results(struct mysql_session *s, struct outcome *out)
{
  int rc = 0;

  while (s->more) {
    *out = (struct outcome){ 0 };
    rc = library_next_result(s, out);
  }
  library_end_rows(s);
  s->lib.from = NULL;
  return rc;
}

static int library_fetch(struct mysql_session *s, sql_value *values)
{
  return rows_take(&s->lib.rows, s->lib.nfields, values);
}

static void library_closing(struct mysql_session *s)
{
  library_end_rows(s);
  s->lib.from = NULL;
}

static void library_closed(struct mysql_session *s)
{
  struct library *lib = &s->lib;

  /* The connection is closed: nothing is sent. */
  for (size_t i = 0; i < lib->n_orphans; i++)
    (void)mysql_stmt_close(lib->orphan[i]);
  free(lib->orphan);
  free(lib->bind);
  free(lib->cell);
  free(lib->cols);
  rows_done(&lib->rows);
  memset(lib, 0, sizeof(*lib));
}

const struct backend mysqld_library_backend = {
  .name = "library",
  .query = library_query,
  .fetch = library_fetch,
  .next_result = library_next_result,
  .end_results = library_end_results,
  .prepare = stmt_prepare,
  .execute = stmt_execute,
  .unprepare = stmt_unprepare,
  .closing = library_closing,
  .closed = library_closed,
};
