/*
 * settings.c - the settings of a session that decide how its texts are read:
 * whether backslashes escape, and the client's encoding.
 *
 * The server reports changes of them either to the library, which writes
 * literals accordingly, or to the wire code.  In the second case the library's
 * values may be outdated from then on, so they are not used any more.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "db/emul.h"
#include "drivers/pgsql/session.h"

/*
 * Does nothing in an aborted transaction, because the server would not answer.
 */
static void ask_server(struct pgsql_session *p)
{
  PGresult *result;

  if (p->base.trx == TRX_ABORTED || p->broken ||
      PQstatus(p->conn) != CONNECTION_OK)
    return;
  result = pgsql_ask(p, "SELECT "
                        "current_setting('standard_conforming_strings'), "
                        "current_setting('client_encoding')");
  if (PQntuples(result) == 1) {
    pgsql_set_dialect(p, PQgetvalue(result, 0, 0));
    p->encoding = pg_char_to_encoding(PQgetvalue(result, 0, 1));
  }
  PQclear(result);
}

void pgsql_note_dialect(struct pgsql_session *p)
{
  if (pgsql_is_raw(p))
    return; /* it has heard all changes */
  if (UNLIKELY(p->settings_moved))
    ask_server(p);
  else
    pgsql_set_dialect(
      p, PQparameterStatus(p->conn, "standard_conforming_strings"));
}

/* ---- literals ---- */

/*
 * Escapes like the library, but with the settings known here; false: half a
 * character.
 */
static bool escape(const struct pgsql_session *p, const char *text, size_t len,
                   char *to, size_t *ret_len)
{
  const bool backslash = p->base.dialect & EMUL_BACKSLASH;
  char *const start = to;

  while (len > 0) {
    const char two[2] = { text[0], len > 1 ? text[1] : '\0' };
    size_t n = 1;

    if (*text & 0x80) /* two bytes are enough for the length of any character */
      n = (size_t)PQmblen(two, p->encoding);
    else if (*text == '\'' || (*text == '\\' && backslash))
      *to++ = *text;
    if (n > len)
      return false;
    memcpy(to, text, n);
    to += n;
    text += n;
    len -= n;
  }
  *ret_len = (size_t)(to - start);
  return true;
}

bool pgsql_quote(struct session *s, const char *text, size_t len,
                 struct strbuf *to, const char **ret_why)
{
  struct pgsql_session *p = pgsql_of(s);
  int failed = 0;
  size_t n = 0;

  if (memchr(text, '\0', len)) {
    *ret_why = "value contains a NUL byte";
    return false;
  }
  if (2 * len + 1 > p->scratch_room) {
    char *more = realloc(p->scratch, 2 * len + 1);

    if (!more) {
      *ret_why = "not enough memory";
      return false;
    }
    p->scratch = more;
    p->scratch_room = 2 * len + 1;
  }
  if (UNLIKELY(p->settings_moved))
    failed = !escape(p, text, len, p->scratch, &n);
  else
    n = PQescapeStringConn(p->conn, p->scratch, text, len, &failed);
  if (failed) {
    *ret_why = "value is not valid in the client's encoding";
    return false;
  }
  strbuf_add(to, "'", 1);
  strbuf_add(to, p->scratch, n);
  strbuf_add(to, "'", 1);
  return true;
}
