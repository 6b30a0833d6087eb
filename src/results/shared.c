/*
 * shared.c - functions that all kinds of results use.
 */
#include "results/shared.h"

#include <errno.h>

#include "base/err.h"
#include "base/strbuf.h"

enum {
  DIGITS = 15 /* of real numbers: as many as are sure to be right */
};

static int add_text(const char *text, size_t len, void *to)
{
  strbuf_add(to, text, len);
  return ((struct strbuf *)to)->failed ? -1 : 0;
}

/* json_dumps() ignores it when there is no memory for the name of a member, and
 * returns text that is not JSON.  A buffer of our own remembers the failure. */
static char *dump(const json_t *value, size_t flags)
{
  struct strbuf b = { 0 };

  if (json_dump_callback(value, add_text, &b,
                         flags | JSON_ENCODE_ANY |
                           JSON_REAL_PRECISION(DIGITS)) < 0 ||
      b.failed) {
    strbuf_done(&b);
    return NULL;
  }
  return b.text;
}

char *shared_json_line(const json_t *value)
{
  return dump(value, JSON_COMPACT);
}

char *shared_json_pretty(const json_t *value)
{
  return dump(value, JSON_INDENT(2));
}

int results_no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the results");
}
