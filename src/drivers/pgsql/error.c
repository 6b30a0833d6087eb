/*
 * error.c - the meaning of the server's errors for a session, and the driver's
 * own errors.
 */
#include <stdio.h>
#include <string.h>

#include "db/emul.h"
#include "drivers/pgsql/session.h"

const char pgsql_copy_refused[] = "COPY FROM STDIN is not possible here";

static const char aborted[] = "the transaction was aborted, COMMIT has rolled "
                              "it back";

static bool is_connection_class(const char *state)
{
  return strncmp(state, "08", 2) == 0;
}

static bool is_end_of_service(const char *state)
{
  return strcmp(state, "57P01") == 0 || strcmp(state, "57P02") == 0 ||
         strcmp(state, "57P03") == 0;
}

bool pgsql_is_goodbye(const char *state, const char *severity)
{
  const bool final = strcmp(severity, "FATAL") == 0 ||
                     strcmp(severity, "PANIC") == 0;

  return is_end_of_service(state) || (final && is_connection_class(state));
}

enum {
  LAST_TEXT = 255, /* bytes of the reason that are kept */
};

void pgsql_note_last_words(struct pgsql_session *p, const char *state,
                           const char *text)
{
  if (!state || !(is_end_of_service(state) || is_connection_class(state)))
    return;
  (void)snprintf(p->last_state, sizeof(p->last_state), "%s", state);
  strbuf_clear(&p->last_text);
  if (text)
    strbuf_add(&p->last_text, text, strnlen(text, LAST_TEXT));
}

bool pgsql_is_commit(const struct pgsql_session *p, const char *sql, size_t len)
{
  size_t n;
  const char *word = emul_first_word(sql, len, p->base.dialect, &n);

  return emul_word_is(word, n, "COMMIT") || emul_word_is(word, n, "END") ||
         emul_word_is(word, n, "PREPARE");
}

int pgsql_refused_commit(struct outcome *out)
{
  memcpy(out->state, "25P02", 6);
  out->msg = aborted;
  return -1;
}

int pgsql_no_memory(struct outcome *out)
{
  memcpy(out->state, "HY001", 6);
  out->msg = "not enough memory";
  return -1;
}
