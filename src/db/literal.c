/*
 * literal.c - a statement with its values as literals.
 */
#include "db/literal.h"

#include "db/call.h"
#include "db/emul.h"

static bool quote(void *ctx, const char *text, size_t len, struct strbuf *to,
                  const char **ret_why)
{
  struct conn *c = ctx;

  return c->driver->quote(c->session, text, len, to, ret_why);
}

bool literal_text(struct conn *c, struct emul_scan *scan, const char *sql,
                  size_t len, const sql_bind *binds, size_t n)
{
  const struct emul_quote q = { quote, c->driver->quote_special, c };
  const char *why = NULL;

  if ((scan->flags != c->session->dialect &&
       emul_scan(scan, sql, len, c->session->dialect) < 0) ||
      (emul_format(scan, sql, len, binds, n, &q, &c->text, &why) == 0 &&
       c->text.failed))
    why = "not enough memory";
  if (!why)
    return true;
  strbuf_done(&c->text);
  call_misuse(c, why);
  return false;
}
