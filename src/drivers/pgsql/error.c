/*
 * error.c - what the server's errors, notifications and settings mean for a
 * session.
 */
#include <stdio.h>
#include <string.h>

#include "db/emul.h"
#include "drivers/pgsql/session.h"

const char pgsql_copy_refused[] = "COPY FROM STDIN is not possible here";

static const char aborted[] = "the transaction was aborted, COMMIT has rolled "
                              "it back";

static bool error_is_connection_class(const char *state)
{
  return strncmp(state, "08", 2) == 0;
}

static bool error_is_end_of_service(const char *state)
{
  return strcmp(state, "57P01") == 0 || strcmp(state, "57P02") == 0 ||
         strcmp(state, "57P03") == 0;
}

bool pgsql_is_goodbye(const char *state, const char *severity)
{
  const bool final = strcmp(severity, "FATAL") == 0 ||
                     strcmp(severity, "PANIC") == 0;

  return error_is_end_of_service(state) ||
         (final && error_is_connection_class(state));
}

enum {
  LAST_TEXT = 255,
};

void pgsql_note_last_words(struct pgsql_session *p, const char *state,
                           const char *text)
{
  if (!state ||
      !(error_is_end_of_service(state) || error_is_connection_class(state)))
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

static const char strings[] = "standard_conforming_strings";
static const char encoding[] = "client_encoding";

void pgsql_hear_listen(struct pgsql_session *p)
{
  if (pgsql_is_raw(p)) /* nobody else reads its messages */
    return;
  p->listens = true;
  p->plain = false;
  p->base.blocks |= SESSION_BLOCKS_ALL;
}

void pgsql_hear_tag(struct pgsql_session *p, const char *tag)
{
  if (strcmp(tag, "LISTEN") == 0)
    pgsql_hear_listen(p);
}

void pgsql_drop_notifications(struct pgsql_session *p)
{
  PGnotify *n;

  while ((n = PQnotifies(p->conn)) != NULL)
    PQfreemem(n);
}

void pgsql_set_dialect(struct pgsql_session *p, const char *conforming)
{
  p->base.dialect = EMUL_PGSQL;
  if (conforming && strcmp(conforming, "off") == 0)
    p->base.dialect |= EMUL_BACKSLASH;
}

void pgsql_hear_setting(struct pgsql_session *p, const char *name,
                        const char *value)
{
  const bool of_strings = strcmp(name, strings) == 0;

  if (!of_strings && strcmp(name, encoding) != 0)
    return;
  if (!p->settings_moved)
    p->encoding = PQclientEncoding(p->conn);
  p->settings_moved = true;
  if (of_strings)
    pgsql_set_dialect(p, value);
  else
    p->encoding = pg_char_to_encoding(value);
}
