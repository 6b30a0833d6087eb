/*
 * expected.c - describes in words which values an option allows.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "opt/value.h"

int64_t opt_min(const struct opt *row)
{
  if (row->min_now)
    return row->min_now();
  if (row->min != 0 || row->max != 0)
    return row->min;
  return row->type == OPT_TYPE_SIZE ? 0 : INT64_MIN;
}

int64_t opt_max(const struct opt *row)
{
  return row->min != 0 || row->max != 0 ? row->max : INT64_MAX;
}

/*
 * Adds the shortest text, in plain digits where possible, that reads back
 * equal.
 */
static void add_number(struct strbuf *out, double value)
{
  char text[64];

  for (int digits = 15; digits <= 17; digits++) {
    (void)snprintf(text, sizeof(text), "%.*g", digits, value);
    if (strtod(text, NULL) == value)
      break;
  }
  strbuf_adds(out, text);
}

static void add_double(const struct opt *row, struct strbuf *out)
{
  const bool open_min = row->flags & OPT_OPEN_MIN;
  const bool open_max = row->flags & OPT_OPEN_MAX;

  strbuf_adds(out, "a number");
  if (row->fmin == 0 && row->fmax == 0)
    return;
  if (!open_min && !open_max && !isinf(row->fmax)) {
    strbuf_adds(out, " from ");
    add_number(out, row->fmin);
    strbuf_adds(out, " to ");
    add_number(out, row->fmax);
    return;
  }
  strbuf_adds(out, open_min ? " greater than " : " of at least ");
  add_number(out, row->fmin);
  if (isinf(row->fmax))
    return;
  strbuf_adds(out, open_max ? " and less than " : " and at most ");
  add_number(out, row->fmax);
}

static void add_words(const char *const *words, struct strbuf *out)
{
  for (size_t i = 0; words[i]; i++)
    strbuf_addf(out, "%s%s", i > 0 ? ", " : "", words[i]);
}

/* " from 1 to 9", " of 1 or more" and the like. */
static void add_range(const struct opt *row, struct strbuf *out)
{
  if (opt_max(row) != INT64_MAX)
    strbuf_addf(out, " from %" PRId64 " to %" PRId64, opt_min(row),
                opt_max(row));
  else if (opt_min(row) != INT64_MIN) /* the limit of the type is not a rule */
    strbuf_addf(out, " of %" PRId64 " or more", opt_min(row));
  else
    strbuf_adds(out, " of 64 bits");
}

static void add_list(const struct opt *row, struct strbuf *out)
{
  strbuf_adds(out, "a comma-separated list");
  if (row->flags & OPT_INT_ITEMS) {
    strbuf_adds(out, " of integers");
    add_range(row, out);
  } else if (row->words) {
    strbuf_adds(out, " of: ");
    add_words(row->words, out);
  } else if (row->flags & OPT_NOT_EMPTY) {
    strbuf_adds(out, " that is not empty");
  }
}

void opt_expected(const struct opt *row, struct strbuf *out)
{
  if (row->expected) {
    strbuf_adds(out, row->expected);
    return;
  }
  switch (row->type) {
  case OPT_TYPE_BOOL:
    strbuf_adds(out, "on or off");
    break;
  case OPT_TYPE_INT:
    strbuf_adds(out, "an integer");
    add_range(row, out);
    if (row->flags & OPT_COUNT)
      strbuf_adds(out, ", such as 500, 64K or 1M");
    break;
  case OPT_TYPE_SIZE:
    strbuf_adds(out, "a size");
    add_range(row, out);
    strbuf_adds(out, ", such as 64K, 2M or 1G");
    break;
  case OPT_TYPE_DOUBLE:
    add_double(row, out);
    if (row->flags & OPT_COUNT)
      strbuf_adds(out, ", such as 500, 64K or 1M");
    break;
  case OPT_TYPE_TIME:
    strbuf_adds(out, "a time from ");
    add_number(out, row->fmin);
    strbuf_adds(out, " to ");
    add_number(out, row->fmax);
    strbuf_adds(out, " seconds, such as 10, 0.5, 30s, 5m or 1h");
    break;
  case OPT_TYPE_WORD:
    strbuf_adds(out, "one of: ");
    add_words(row->words, out);
    break;
  case OPT_TYPE_LIST:
    add_list(row, out);
    break;
  case OPT_TYPE_FILE:
    strbuf_adds(out, "a readable file");
    break;
  case OPT_TYPE_STRING:
    strbuf_adds(out, row->flags & OPT_NOT_EMPTY ? "a text that is not empty"
                                                : "one value");
    break;
  case OPT_TYPE_END:
    break;
  }
}
