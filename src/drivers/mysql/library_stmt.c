/*
 * library_stmt.c - prepared statements through the client library.
 *
 * Columns are bound by what they are, not as strings, so that their texts are
 * made by value.c and are the same with either library.
 */
#include <stdlib.h>
#include <string.h>

#include "db/emul.h"
#include "drivers/mysql/error.h"
#include "drivers/mysql/library.h"
#include "drivers/mysql/params.h"

/* Where the library puts a value. */
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

/* The library's description of the parameters; the values come later. */
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
 * Where the values lie may change with each binding, while the library copies
 * the descriptions: tell it again only if one has changed.
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
 * The server failed among the rows.  The library would go on to wait for the
 * rest of them when the statement is executed again.
 */
static int store_failed(struct mysql_prepared *p, struct outcome *out)
{
  out->during_results = true;
  (void)stmt_failed(p, out);
  if (!out->lost)
    (void)mysql_stmt_reset(p->stmt); /* a lost connection is noticed later */
  return -1;
}

static int store(struct mysql_prepared *p, struct outcome *out)
{
  struct mysql_session *s = prepared_session(p);

  s->lib.from = p;
  s->lib.bound = false;
  s->lib.nfields = mysql_stmt_field_count(p->stmt);
  if (s->lib.nfields == 0) {
    mysqld_error_none(s, out, mysqld_library_status(s), 0,
                      mysql_stmt_affected_rows(p->stmt));
    return 0;
  }
  if (mysql_stmt_store_result(p->stmt) != 0)
    return store_failed(p, out);
  mysqld_error_none(s, out, mysqld_library_status(s), s->lib.nfields,
                    mysql_stmt_num_rows(p->stmt));
  return 0;
}

/*
 * The table has changed since columns of the statement were bound, and the
 * library refuses the new ones.  What only reads can simply begin anew.
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
  default: /* the length first, the bytes when there is room */
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
  lib->bound = mysql_stmt_bind_result(p->stmt, lib->bind) == 0;
  return lib->bound;
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

static bool is_string(const struct library *lib, uint32_t i)
{
  return value_kind(lib->cols[i].type) == VALUE_BYTES && !lib->cell[i].is_null;
}

static bool room_for_bytes(struct library *lib)
{
  size_t n = 1;
  char *p;

  for (uint32_t i = 0; i < lib->nfields; i++) {
    if (is_string(lib, i))
      n += lib->cell[i].len;
  }
  if (n <= lib->bytes_room)
    return true;
  p = realloc(lib->bytes, 2 * n);
  if (!p)
    return false;
  lib->bytes = p;
  lib->bytes_room = 2 * n;
  return true;
}

/* Get the strings of the row, one after the other, into `lib->bytes`. */
static bool fetch_strings(struct mysql_prepared *p)
{
  struct library *lib = &prepared_session(p)->lib;
  size_t at = 0;

  if (!room_for_bytes(lib))
    return false;
  for (uint32_t i = 0; i < lib->nfields; i++) {
    MYSQL_BIND b = { 0 };
    unsigned long len = 0;
    shim_bool is_null = 0, error = 0;

    if (!is_string(lib, i) || lib->cell[i].len == 0)
      continue;
    b.buffer_type = MYSQL_TYPE_STRING;
    b.buffer = lib->bytes + at;
    b.buffer_length = lib->cell[i].len;
    b.length = &len;
    b.is_null = &is_null;
    b.error = &error;
    if (mysql_stmt_fetch_column(p->stmt, &b, i, 0) != 0)
      return false;
    at += lib->cell[i].len;
  }
  return true;
}

int mysqld_library_stmt_fetch(struct mysql_session *s, sql_value *values)
{
  struct library *lib = &s->lib;
  struct mysql_prepared *p = lib->from;
  size_t at = 0;
  int rc;

  if (lib->nfields == 0 || (!lib->bound && !bind_columns(p)) ||
      !mysqld_session_digits(s, lib->nfields))
    return 0;
  rc = mysql_stmt_fetch(p->stmt);
  if ((rc != 0 && rc != MYSQL_DATA_TRUNCATED) || !fetch_strings(p))
    return 0;
  for (uint32_t i = 0; i < lib->nfields; i++) {
    const struct column *c = &lib->cols[i];
    char *digits = s->digits + (size_t)i * VALUE_ROOM;

    if (lib->cell[i].is_null || value_kind(c->type) == VALUE_NULL) {
      values[i] = (sql_value){ 0, NULL };
    } else if (value_kind(c->type) == VALUE_BYTES) {
      values[i] = (sql_value){ (uint32_t)lib->cell[i].len, lib->bytes + at };
      at += lib->cell[i].len;
    } else {
      values[i] = (sql_value){ (uint32_t)number_text(c, &lib->cell[i], digits),
                               digits };
    }
  }
  return 1;
}

/* ---- the end ---- */

/* To be closed when the connection is, without a word to the server. */
static bool keep_orphan(struct library *lib, MYSQL_STMT *stmt)
{
  if (lib->n_orphans == lib->orphans_room) {
    const size_t room = lib->orphans_room ? 2 * lib->orphans_room : 16;
    /* Of pointers.
     * NOLINTNEXTLINE(bugprone-sizeof-expression) */
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
