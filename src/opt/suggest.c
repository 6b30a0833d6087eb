#include "opt/suggest.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "base/compiler.h"
#include "opt/opt.h"

enum {
  MAX_EDITS = 2,
  MIN_START = 3, /* letters */
  SHORT = 4      /* letters; two edits leave little of such a word */
};

static char suggest_folded(char c)
{
  return c == '_' ? '-' : c;
}

/* The wrong case is no edit. */
static bool suggest_is_same_key(char a, char b)
{
  return tolower((unsigned char)suggest_folded(a)) ==
         tolower((unsigned char)suggest_folded(b));
}

/* Within `edits` insertions, deletions, replacements or swaps of neighbours?
 * With so few edits, trying all is faster than the usual table. */
static bool suggest_is_within(const char *a, const char *b, int edits)
{
  while (*a && suggest_is_same_key(*a, *b))
    a++, b++;
  if (!*a && !*b)
    return true;
  if (edits == 0)
    return false;
  return (*a && suggest_is_within(a + 1, b, edits - 1)) ||
         (*b && suggest_is_within(a, b + 1, edits - 1)) ||
         (*a && *b && suggest_is_within(a + 1, b + 1, edits - 1)) ||
         (*a && *b && suggest_is_same_key(a[0], b[1]) &&
          suggest_is_same_key(a[1], b[0]) &&
          suggest_is_within(a + 2, b + 2, edits - 1));
}

bool opt_name_equal(const char *a, const char *b)
{
  while (*a && suggest_folded(*a) == suggest_folded(*b))
    a++, b++;
  return !*a && !*b;
}

bool opt_rows_have(const struct opt *rows, const char *name)
{
  for (; rows->type != OPT_TYPE_END; rows++) {
    if (opt_name_equal(rows->name, name))
      return true;
  }
  return false;
}

void suggest_init(struct suggest *s, const char *typed)
{
  *s = (struct suggest){ .typed = typed, .edits = MAX_EDITS };
}

/* Long enough to mean `b`. */
static bool suggest_is_start(const char *a, const char *b)
{
  int n = 0;

  for (; a[n] && suggest_is_same_key(a[n], b[n]); n++)
    continue;
  return !a[n] && n >= MIN_START;
}

/* Another first letter in a short word: bind is not find. */
static bool suggest_is_other_word(const char *typed, const char *name,
                                  int edits)
{
  if (strlen(typed) > SHORT || suggest_is_same_key(typed[0], name[0]))
    return false;
  return edits == MAX_EDITS || (strlen(typed) == strlen(name) &&
                                !suggest_is_same_key(typed[0], name[1]));
}

void suggest_offer(struct suggest *s, const char *name)
{
  int edits = s->edits; /* worse matches do not count */

  if (!suggest_is_within(s->typed, name, edits) &&
      !(edits == MAX_EDITS && suggest_is_start(s->typed, name)))
    return;
  while (edits > 0 && suggest_is_within(s->typed, name, edits - 1))
    edits--;
  if (suggest_is_other_word(s->typed, name, edits))
    return;
  if (!s->found || edits < s->edits) {
    s->found = name;
    s->edits = edits;
    s->several = false;
  } else if (!opt_name_equal(s->found, name)) {
    s->several = true;
  }
}

const char *suggest_result(const struct suggest *s)
{
  return s->several ? NULL : s->found;
}

#define NOT_NEEDED "is no longer needed: remove it"
#define NO_SUCCESSOR "is gone, and has no successor: remove it"

static const struct old_name old_names[] = {
  { "oltp-table-size", .now = "table-size" },
  { "oltp-tables-count", .now = "tables" },
  { "oltp-range-size", .now = "range-size" },
  { "oltp-point-selects", .now = "point-selects" },
  { "oltp-simple-ranges", .now = "simple-ranges" },
  { "oltp-sum-ranges", .now = "sum-ranges" },
  { "oltp-order-ranges", .now = "order-ranges" },
  { "oltp-distinct-ranges", .now = "distinct-ranges" },
  { "oltp-index-updates", .now = "index-updates" },
  { "oltp-non-index-updates", .now = "non-index-updates" },
  { "oltp-delete-inserts", .now = "delete-inserts" },
  { "oltp-skip-trx", .now = "skip-trx" },
  { "oltp-auto-inc", .now = "auto-inc" },
  { "oltp-secondary", .now = "secondary" },
  { "oltp-create-secondary", .now = "create-secondary" },
  { "oltp-reconnect", .now = "reconnect" },
  { "oltp-dist-type", .now = "rand-type" },
  { "oltp-dist-iter", .now = "rand-spec-iter" },
  { "oltp-dist-pct", .now = "rand-spec-pct" },
  { "oltp-dist-res", .now = "rand-spec-res" },
  { "oltp-read-only", .advice = "is now a test: oltp_read_only" },
  { "oltp-write-only", .advice = "is now a test: oltp_write_only" },
  { "oltp-test-mode",
    .advice = "is now a choice of tests: oltp_read_write, oltp_read_only, "
              "oltp_point_select and others (see 'list')" },
  { "oltp-nontrx-mode",
    .advice = "is now a choice of tests: oltp_point_select, oltp_update_index, "
              "oltp_insert and others (see 'list')" },
  { "oltp-range-selects", .now = "range-selects" },
  { "oltp-table-name", .advice = NO_SUCCESSOR " (tables are sbtest1, ...)" },
  { "oltp-sp-name", .advice = NO_SUCCESSOR },
  { "oltp-connect-delay", .advice = NO_SUCCESSOR },
  { "oltp-user-delay-min", .advice = NO_SUCCESSOR },
  { "oltp-user-delay-max", .advice = NO_SUCCESSOR },
  { "oltp-avoid-deadlocks", .advice = NO_SUCCESSOR },
  { "oltp-reconnect-mode", .now = "reconnect" },
  { "mysql-table-engine", .now = "mysql-storage-engine" },
  { "mysql-table-type", .now = "mysql-storage-engine" },
  { "mysql-table-options", .now = "create-table-options" },
  { "mysql-engine-trx", .advice = NOT_NEEDED },
  { "myisam-max-rows", .now = "create-table-options=MAX_ROWS=N" },
  { "rand-init", .advice = NOT_NEEDED " (--rand-seed sets the seed)" },
  { "init-rng", .advice = NOT_NEEDED " (--rand-seed sets the seed)" },
  { "seed-rng", .now = "rand-seed" },
  { "rand-seq", .advice = NO_SUCCESSOR },
  { "tx-jitter", .advice = NOT_NEEDED " (--rate draws the gaps at random)" },
  { "batch", .now = "report-interval" },
  { "batch-delay", .now = "report-interval" },

  { "output", true, .now = "json=FILE" },
  { "format", true, .now = "json=FILE" },
  { "duration", true, .now = "time" },
  { "runtime", true, .now = "time" },
  { "clients", true, .now = "threads" },
  { "connections", true, .now = "threads" },
  { "concurrency", true, .now = "threads" },
  { "jobs", true, .now = "threads" },
  { "interval", true, .now = "report-interval" },
  { "host", true, .advice = "is --mysql-host or --pgsql-host" },
  { "port", true, .advice = "is --mysql-port or --pgsql-port" },
  { "user", true, .advice = "is --mysql-user or --pgsql-user" },
  { "password", true, .advice = "is --mysql-password or --pgsql-password" },
  { "database", true, .advice = "is --mysql-db, --pgsql-db or --sqlite-db" },
};

const struct old_name *old_name_find(const char *name)
{
  for (size_t i = 0; i < ARRAY_SIZE(old_names); i++) {
    if (opt_name_equal(old_names[i].name, name))
      return &old_names[i];
  }
  return NULL;
}
