/*
 * failure.c - how calls end: outcomes, and what follows from error codes.
 */
#include "drivers/mysql/failure.h"

#include <string.h>

#include "base/compiler.h"
#include "db/emul.h"
#include "drivers/mysql/session.h"

static bool is_one_of(const int *codes, size_t n, int code)
{
  for (size_t i = 0; i < n; i++) {
    if (codes[i] == code)
      return true;
  }
  return false;
}

bool failure_is_lost(int code)
{
  static const int codes[] = { 1053,      1927,           CODE_GONE, 2011,
                               CODE_LOST, CODE_MALFORMED, 2055,      4031 };

  return is_one_of(codes, ARRAY_SIZE(codes), code);
}

bool failure_is_permanent(int code)
{
  static const int codes[] = { 1044, 1045, 1049,          1698,
                               3118, 3159, CODE_PROTOCOL, CODE_TLS };

  return is_one_of(codes, ARRAY_SIZE(codes), code);
}

bool failure_is_no_server(int code)
{
  return code == CODE_NO_SOCKET || code == CODE_NO_HOST ||
         code == CODE_UNKNOWN_HOST;
}

int failure_set(struct mysql_session *s, struct outcome *out, int code,
                const char *state, const char *msg, size_t len)
{
  if (len >= sizeof(s->msg))
    len = sizeof(s->msg) - 1;
  memcpy(s->msg, msg, len);
  s->msg[len] = '\0';
  out->code = code;
  memcpy(out->state, state ? state : "HY000", 5);
  out->state[5] = '\0';
  out->msg = s->msg;
  out->lost = failure_is_lost(code);
  s->more = false;
  if (out->lost)
    s->lost = true;
  /* An error has no flags.  A deadlock has rolled everything back. */
  if (out->lost || code == CODE_DEADLOCK)
    s->base.trx = TRX_NONE;
  return -1;
}

static int set_text(struct mysql_session *s, struct outcome *out, int code,
                    const char *text)
{
  return failure_set(s, out, code, NULL, text, strlen(text));
}

int failure_gone(struct mysql_session *s, struct outcome *out)
{
  return set_text(s, out, CODE_GONE, shim_text_gone());
}

int failure_lost(struct mysql_session *s, struct outcome *out)
{
  return set_text(s, out, CODE_LOST, shim_text_lost());
}

int failure_malformed(struct mysql_session *s, struct outcome *out)
{
  return set_text(s, out, CODE_MALFORMED, "Malformed packet");
}

int failure_no_memory(struct mysql_session *s, struct outcome *out)
{
  return set_text(s, out, CODE_NO_MEMORY, "Client run out of memory");
}

void success_set(struct mysql_session *s, struct outcome *out, unsigned status,
                 uint32_t nfields, uint64_t nrows_or_affected)
{
  s->more = (status & STATUS_MORE_RESULTS) != 0;
  s->base.trx = status & STATUS_IN_TRANS ? TRX_OPEN : TRX_NONE;
  s->base.dialect = status & STATUS_NO_BACKSLASH ? EMUL_MYSQL_PLAIN
                                                 : EMUL_MYSQL;
  out->more = s->more;
  out->nfields = nfields;
  if (nfields > 0) {
    out->counter = COUNTER_READ;
    out->nrows = nrows_or_affected;
  } else {
    out->counter = nrows_or_affected > 0 ? COUNTER_WRITE : COUNTER_OTHER;
    out->taken = nrows_or_affected;
  }
}
