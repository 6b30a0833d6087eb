/*
 * fuzz_pgsql_wire.c - whatever a server answers to executions of a prepared
 * statement or to direct ones, the pgsql driver reads it to its end without
 * harm.
 *
 * Input: a byte of flags, a byte that says how large the pieces are in which
 * the answer arrives, and the answer.
 */
#include <string.h>

#include "db/emul.h"
#include "drivers/pgsql/session.h"
#include "drivers/pgsql/wire.h"
#include "fuzz.h"

enum {
  FLAG_ABORTED = 1, /* inside an aborted transaction */
  FLAG_COMMIT = 2,
  FLAG_KNOWN = 4, /* the columns were described before */
  FLAG_DIRECT = 8,
  FLAG_LEAVE = 16, /* results behind the first are not asked for */
};

static const char question[] = "SELECT $1", commit[] = "COMMIT";

static void fetch_all(struct pgsql_session *p, const struct outcome *out)
{
  const uint32_t n = out->nfields;
  sql_value *values = malloc((n ? n : 1) * sizeof(*values));
  uint64_t rows = 0;

  MUST(p->wire.rows_left == (n > 0 ? out->nrows : 0) || n == 0);
  while (p->wire.rows_left > 0) {
    MUST(pgsql_wire_fetch(&p->wire, values) == 1);
    MUST(++rows <= out->nrows);
    for (uint32_t i = 0; i < n; i++) {
      if (values[i].ptr)
        (void)fuzz_touch(values[i].ptr, values[i].len);
    }
  }
  free(values);
}

static void refused(const struct pgsql_session *p, const struct outcome *out)
{
  MUST(strlen(out->state) == 5 && out->msg);
  MUST(p->wire.rows_left == 0 && !p->wire.more);
  MUST(out->lost || !p->broken);
  (void)fuzz_touch(out->msg, strlen(out->msg));
}

static void executions(struct pgsql_session *p, struct pgsql_prepared *st)
{
  struct outcome out;

  /* Until it breaks, but not for ever. */
  for (int i = 0; i < 4 && !p->broken; i++) {
    out = (struct outcome){ 0 };
    if (pgsql_wire_execute(st, &out) == 0) {
      MUST(!out.more);
      fetch_all(p, &out);
    } else {
      refused(p, &out);
    }
    pgsql_wire_end(&p->wire);
  }
}

static void queries(struct pgsql_session *p, const char *sql, bool leave)
{
  struct outcome out;

  for (int i = 0; i < 4 && !p->broken; i++) {
    int rc;

    out = (struct outcome){ 0 };
    p->plain = true; /* also after a notification */
    rc = pgsql_query(&p->base, sql, strlen(sql), &out);
    for (;;) {
      MUST(rc < 0 || out.more == p->wire.more);
      if (rc < 0)
        refused(p, &out);
      else
        fetch_all(p, &out);
      if (rc < 0 || !out.more || leave)
        break;
      out = (struct outcome){ 0 };
      rc = pgsql_next_result(&p->base, &out);
    }
    out = (struct outcome){ 0 };
    if (pgsql_end_results(&p->base, &out) < 0)
      refused(p, &out);
    MUST(!p->wire.more && p->wire.rows_left == 0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct pgsql_prepared st = { .name = "bench_1", .there = true };
  struct pgsql_session *p;

  if (size < 2)
    return 0;
  p = calloc(1, sizeof(*p));
  MUST(p);
  p->link.fd = FAKE_SOCKET;
  p->plain = true;
  p->base.dialect = EMUL_PGSQL;
  p->base.trx = data[0] & FLAG_ABORTED ? TRX_ABORTED : TRX_NONE;
  st.base.session = &p->base;
  st.base.sql = data[0] & FLAG_COMMIT ? commit : question;
  st.base.len = strlen(st.base.sql);
  if (data[0] & FLAG_KNOWN) {
    st.shape = SHAPE_ROWS;
    st.n_fields = 3;
  }
  fake_socket_says(data + 2, size - 2, (size_t)1 << data[1] % 16);
  if (data[0] & FLAG_DIRECT)
    queries(p, st.base.sql, data[0] & FLAG_LEAVE);
  else
    executions(p, &st);
  pgsql_wire_forget(&st);
  pgsql_wire_done(&p->wire);
  pgsql_done(&p->base);
  free(p);
  return 0;
}
