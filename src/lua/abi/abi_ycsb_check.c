/*
 * abi_ycsb_check.c - reads the table of the ycsb script from its first key to
 * its last, and compares each field with what was written.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "db/conn.h"
#include "load/pace.h"
#include "load/send.h"
#include "lua/abi/ycsb_check.h"

enum {
  AT_A_TIME = 5000,
  KEY_SHOWN = 40 /* bytes of a key that is none of ours */
};

/* Rules about whole rows, besides those of ycsb_fault_text. */
enum {
  MISSING = YCSB_FAULTS, /* a loaded row */
  LOST,                  /* an insert that was acknowledged */
  STRANGE,               /* a key that nobody has written */
  RULES
};

struct fault {
  uint64_t count;
  char first[KEY_SHOWN + 24]; /* the first key, and its field */
};

struct checking {
  struct ycsb_shared *shared;
  const struct ycsb *model;
  unsigned char *loaded;   /* owned; a bit for each loaded row that was seen */
  unsigned char **inserts; /* owned; the same for the readable inserts */
  uint64_t *seen; /* owned; rows that belong to each of shared->inserts */
  uint64_t rows, inserted;
  struct fault fault[RULES];
  struct strbuf last; /* the key after which the next part begins, as literal */
};

/* ---- rows that were seen ---- */

static void set_bit(unsigned char *bits, uint64_t n)
{
  bits[n / 8] |= (unsigned char)(1U << n % 8);
}

static bool has_bit(const unsigned char *bits, uint64_t n)
{
  return bits[n / 8] >> n % 8 & 1;
}

static int checking_init(struct checking *k)
{
  const size_t n = k->shared->n_inserts;
  bool ok = true;

  k->loaded = calloc(k->model->records / 8 + 1, 1);
  k->inserts = calloc(n + 1, sizeof(*k->inserts));
  k->seen = calloc(n + 1, sizeof(*k->seen));
  for (size_t i = 0; k->inserts && i < n; i++) {
    k->inserts[i] = calloc(k->shared->inserts[i].readable / 8 + 1, 1);
    ok = ok && k->inserts[i];
  }
  return ok && k->loaded && k->inserts && k->seen ? 0 : -ENOMEM;
}

static void checking_done(struct checking *k)
{
  for (size_t i = 0; k->inserts && i < k->shared->n_inserts; i++)
    free(k->inserts[i]);
  free(k->inserts);
  free(k->loaded);
  free(k->seen);
  strbuf_done(&k->last);
}

/* ---- faults ---- */

static void note(struct checking *k, unsigned rule, const char *key, size_t len,
                 int field)
{
  struct fault *f = &k->fault[rule];

  if (f->count++ > 0)
    return;
  if (len > KEY_SHOWN)
    len = KEY_SHOWN;
  if (field < 0)
    (void)snprintf(f->first, sizeof(f->first), "key %.*s", (int)len, key);
  else
    (void)snprintf(f->first, sizeof(f->first), "key %.*s, field%d", (int)len,
                   key, field);
}

static void note_row(struct checking *k, unsigned rule, uint64_t row)
{
  const uint64_t place = ycsb_place(k->model, row);
  char key[YCSB_KEY + 1] = "";

  if (k->model->int_keys)
    (void)snprintf(key, sizeof(key), "%" PRIu64, place);
  else
    ycsb_key(place, key);
  note(k, rule, key, strlen(key), -1);
}

static void tell_all(const struct checking *k, struct strbuf *faults)
{
  static const char *const what[RULES][2] = {
    [YCSB_NULL] = { "field is NULL", "fields are NULL" },
    [YCSB_SIZE] = { "field has a wrong length", "fields have a wrong length" },
    [YCSB_FORM] = { "field has no version", "fields have no version" },
    [YCSB_CHECK] = { "field has a wrong check word",
                     "fields have a wrong check word" },
    [YCSB_TEXT] = { "field has not the text of its version",
                    "fields have not the text of their version" },
    [YCSB_TORN] = { "row is torn: it has fields of different writes of the "
                    "whole row",
                    "rows are torn: they have fields of different writes of "
                    "the whole row" },
    [MISSING] = { "row is missing", "rows are missing" },
    [LOST] = { "acknowledged insert is lost", "acknowledged inserts are lost" },
    [STRANGE] = { "row does not belong here", "rows do not belong here" },
  };

  for (unsigned rule = YCSB_FINE + 1; rule < RULES; rule++) {
    const struct fault *f = &k->fault[rule];

    if (f->count > 0)
      strbuf_addf(faults, "%s%" PRIu64 " %s, the first is %s",
                  faults->len ? "; " : "", f->count, what[rule][f->count > 1],
                  f->first);
  }
}

/* ---- rows ---- */

struct ycsb_inserts *ycsb_find_inserts(const struct ycsb_shared *s,
                                       uint64_t row)
{
  for (size_t i = 0; i < s->n_inserts; i++) {
    struct ycsb_inserts *e = &s->inserts[i];

    if (row >= e->first && (row - e->first) % e->stride == 0 &&
        (row - e->first) / e->stride < e->begun)
      return e;
  }
  return NULL;
}

/* Is this the row of an insert?  Note that it was seen. */
static bool is_insert(struct checking *k, uint64_t row)
{
  const struct ycsb_inserts *e = ycsb_find_inserts(k->shared, row);
  uint64_t at;

  if (!e)
    return false;
  at = (row - e->first) / e->stride;
  if (at < e->readable)
    set_bit(k->inserts[e - k->shared->inserts], at);
  k->seen[e - k->shared->inserts]++;
  return true;
}

static bool place_row(struct checking *k, const sql_value *key,
                      uint64_t *ret_row)
{
  *ret_row = key->ptr ? ycsb_number_of_key(k->model, key->ptr, key->len) : 0;
  if (*ret_row == 0)
    return false;
  if (*ret_row <= k->model->records) {
    set_bit(k->loaded, *ret_row - 1);
    return true;
  }
  k->inserted++;
  return is_insert(k, *ret_row);
}

static void take_row(struct checking *k, const sql_value *values)
{
  const char *key = values[0].ptr ? values[0].ptr : "";
  struct ycsb_reading reading = { .model = k->model };
  struct ycsb_version version;

  k->rows++;
  if (!place_row(k, &values[0], &reading.row)) {
    note(k, STRANGE, key, values[0].len, -1);
    return;
  }
  for (unsigned i = 0; i < k->model->fields; i++) {
    const sql_value *v = &values[1 + i];
    const enum ycsb_fault fault = ycsb_read(&reading, i, v->ptr, v->len,
                                            &version);

    if (fault != YCSB_FINE)
      note(k, fault, key, values[0].len, (int)i);
    if (fault == YCSB_TORN)
      break; /* one fault for a row */
  }
}

/* Which of the rows after the readable ones were acknowledged is not known, but
 * how many. */
static void find_lost(struct checking *k, size_t i)
{
  const struct ycsb_inserts *e = &k->shared->inserts[i];
  uint64_t there = k->seen[i];

  for (uint64_t n = 0; n < e->readable; n++) {
    if (has_bit(k->inserts[i], n))
      continue;
    note_row(k, LOST, e->first + n * e->stride);
    there++; /* it was noted */
  }
  if (there < e->acknowledged) {
    note_row(k, LOST, e->first + e->readable * e->stride);
    k->fault[LOST].count += e->acknowledged - there - 1;
  }
}

/* After the last row. */
static void find_missing(struct checking *k)
{
  for (uint64_t row = 1; row <= k->model->records; row++) {
    if (!has_bit(k->loaded, row - 1))
      note_row(k, MISSING, row);
  }
  for (size_t i = 0; i < k->shared->n_inserts; i++)
    find_lost(k, i);
}

/* ---- statements ---- */

static int ask(struct conn *c, struct checking *k, sql_result **ret,
               struct err *err)
{
  struct strbuf sql = { 0 };

  strbuf_adds(&sql, "SELECT ycsb_key");
  for (unsigned i = 0; i < k->model->fields; i++)
    strbuf_addf(&sql, ", field%u", i);
  strbuf_adds(&sql, " FROM " YCSB_TABLE);
  if (k->last.len > 0)
    strbuf_addf(&sql, " WHERE ycsb_key > %s", strbuf_str(&k->last));
  strbuf_addf(&sql, " ORDER BY ycsb_key LIMIT %d", AT_A_TIME);
  return send_query(c, &sql, ret, err);
}

/* The next part begins after this key. */
static int go_on_after(struct conn *c, struct checking *k, const sql_value *key)
{
  const char *why;

  strbuf_clear(&k->last);
  if (k->model->int_keys)
    strbuf_add(&k->last, key->ptr, key->len);
  else if (!c->driver->quote(c->session, key->ptr, key->len, &k->last, &why))
    return -EIO;
  return k->last.failed ? -ENOMEM : 0;
}

/* *ret_more: there may be more rows. */
static int check_part(struct conn *c, struct checking *k, bool *ret_more,
                      struct err *err)
{
  sql_result *rs = NULL;
  int rc = ask(c, k, &rs, err);
  uint64_t rows;

  if (rc < 0)
    return rc;
  rows = rs ? rs->nrows : 0;
  for (uint64_t left = rows; left > 0; left--) {
    const sql_row *row = send_fetch(rs, 1 + k->model->fields, err);

    if (!row)
      return -EIO;
    take_row(k, row->values);
    if (left == 1 && (rc = go_on_after(c, k, &row->values[0])) < 0)
      return err_set(err, rc, "cannot go on after key %.*s",
                     (int)row->values[0].len, row->values[0].ptr);
  }
  *ret_more = rows == AT_A_TIME;
  return 0;
}

int ycsb_check(struct conn *c, struct ycsb_shared *s, struct pace *pace,
               uint64_t *ret_rows, uint64_t *ret_inserted,
               struct strbuf *faults, struct err *err)
{
  struct checking k = { .shared = s, .model = &s->keys.model };
  bool more = true;
  int rc = checking_init(&k);

  if (rc < 0)
    (void)err_set(err, rc, "not enough memory");
  while (rc == 0 && more) {
    const uint64_t before = k.rows;

    rc = check_part(c, &k, &more, err);
    if (rc == 0 && pace)
      pace_add(pace, k.rows - before, 0);
  }
  if (rc == 0) {
    find_missing(&k);
    tell_all(&k, faults);
    *ret_rows = k.rows;
    *ret_inserted = k.inserted;
  }
  checking_done(&k);
  return rc;
}
