#include "opt/value.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fmt.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/secret.h"
#include "base/strbuf.h"

/* ---- allowed values ---- */

static int64_t opt_min(const struct opt *row)
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

static void opt_add_number(struct strbuf *out, double value)
{
  char text[FMT_DOUBLE_SIZE];

  strbuf_adds(out, fmt_shortest(text, value));
}

static void opt_add_double(const struct opt *row, struct strbuf *out)
{
  const bool open_min = row->flags & OPT_OPEN_MIN;
  const bool open_max = row->flags & OPT_OPEN_MAX;

  strbuf_adds(out, "a number");
  if (row->fmin == 0 && row->fmax == 0)
    return;
  if (!open_min && !open_max && !isinf(row->fmax)) {
    strbuf_adds(out, " from ");
    opt_add_number(out, row->fmin);
    strbuf_adds(out, " to ");
    opt_add_number(out, row->fmax);
    return;
  }
  strbuf_adds(out, open_min ? " greater than " : " of at least ");
  opt_add_number(out, row->fmin);
  if (isinf(row->fmax))
    return;
  strbuf_adds(out, open_max ? " and less than " : " and at most ");
  opt_add_number(out, row->fmax);
}

static void opt_add_words(const char *const *words, struct strbuf *out)
{
  for (size_t i = 0; words[i]; i++)
    strbuf_addf(out, "%s%s", i > 0 ? ", " : "", words[i]);
}

static void opt_add_time(const struct opt *row, struct strbuf *out)
{
  const double unit_s = (double)row->unit_ns / 1e9;
  const char *unit = unit_s < 1e-3 ? "microseconds"
                     : unit_s < 1  ? "milliseconds"
                                   : "seconds";

  strbuf_adds(out, "a time from ");
  opt_add_number(out, (double)opt_min(row) * unit_s);
  strbuf_adds(out, " to ");
  opt_add_number(out, (double)opt_max(row) * unit_s);
  strbuf_addf(out, " seconds, such as 20ms or 5s, or a number of %s", unit);
}

/* " from 1 to 9", " of 1 or more". */
static void opt_add_range(const struct opt *row, struct strbuf *out)
{
  if (opt_max(row) != INT64_MAX)
    strbuf_addf(out, " from %" PRId64 " to %" PRId64, opt_min(row),
                opt_max(row));
  else if (opt_min(row) != INT64_MIN) /* the limit of the type is not a rule */
    strbuf_addf(out, " of %" PRId64 " or more", opt_min(row));
  else
    strbuf_adds(out, " of 64 bits");
}

static void opt_add_list(const struct opt *row, struct strbuf *out)
{
  strbuf_adds(out, "a comma-separated list");
  if (row->flags & OPT_INT_ITEMS) {
    strbuf_adds(out, " of integers");
    opt_add_range(row, out);
  } else if (row->words) {
    strbuf_adds(out, " of: ");
    opt_add_words(row->words, out);
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
    if (row->unit_ns > 0) {
      opt_add_time(row, out);
      break;
    }
    strbuf_adds(out, "an integer");
    opt_add_range(row, out);
    if (row->flags & OPT_COUNT)
      strbuf_adds(out, ", such as 500, 64K or 1M");
    break;
  case OPT_TYPE_SIZE:
    strbuf_adds(out, "a size");
    opt_add_range(row, out);
    strbuf_adds(out, ", such as 64K, 2M or 1G");
    break;
  case OPT_TYPE_DOUBLE:
    opt_add_double(row, out);
    if (row->flags & OPT_COUNT)
      strbuf_adds(out, ", such as 500, 64K or 1M");
    break;
  case OPT_TYPE_TIME:
    strbuf_adds(out, "a time from ");
    opt_add_number(out, row->fmin);
    strbuf_adds(out, " to ");
    opt_add_number(out, row->fmax);
    strbuf_adds(out, " seconds, such as 10, 0.5, 30s, 5m or 1h");
    break;
  case OPT_TYPE_WORD:
    strbuf_adds(out, "one of: ");
    opt_add_words(row->words, out);
    break;
  case OPT_TYPE_LIST:
    opt_add_list(row, out);
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

/* Limit for the value in a message; the allowed values have to fit as well. */
#define SHOWN_BYTES 400

void opt_value_spell(const struct opt *row, struct strbuf *out)
{
  const bool dashed = (row->flags & OPT_DASHED) != 0;

  for (const char *c = row->name; *c; c++)
    strbuf_add(out, dashed && *c == '_' ? "-" : c, 1);
}

/* `lead` and `why` follow in brackets. */
static int value_refuse_with(const struct opt *row, const char *value,
                             const char *lead, const char *why,
                             const char *where, struct err *err)
{
  struct strbuf name = { 0 }, shown = { 0 };
  int rc;

  opt_value_spell(row, &name);
  if (row->flags & OPT_SECRET)
    strbuf_adds(&shown, SECRET_SHOWN);
  else
    secret_redact(value, &shown);
  rc = err_set(err, -EINVAL, "Invalid value for --%s: '%.*s' (%s%s)%s%s",
               strbuf_str(&name), SHOWN_BYTES, strbuf_str(&shown), lead, why,
               where ? ", " : "", where ? where : "");
  strbuf_done(&name);
  strbuf_done(&shown);
  return rc;
}

int opt_value_refuse(const struct opt *row, const char *value,
                     const char *expected, const char *where, struct err *err)
{
  return value_refuse_with(row, value, "expected ", expected, where, err);
}

static int value_refuse(const struct opt *row, const char *value,
                        const char *reason, const char *where, struct err *err)
{
  struct strbuf what = { 0 };
  int rc;

  opt_expected(row, &what);
  if (reason)
    strbuf_addf(&what, ": %s", reason);
  else if (row->advise && row->advise(value))
    strbuf_addf(&what, "; %s", row->advise(value));
  rc = opt_value_refuse(row, value, strbuf_str(&what), where, err);
  strbuf_done(&what);
  return rc;
}

static bool value_count_fits(const struct opt *row, const char *text,
                             int64_t *ret)
{
  uint64_t count;

  if (!(row->flags & OPT_COUNT) || strpbrk(text, "bB") ||
      parse_size(text, &count) < 0)
    return false;
  *ret = (int64_t)count; /* at most INT64_MAX */
  return true;
}

/* Only whole units. */
static bool value_time_fits(const struct opt *row, const char *text,
                            int64_t *ret)
{
  const size_t len = strlen(text);
  double value;

  if (row->unit_ns == 0 || len == 0 || strchr("0123456789.", text[len - 1]) ||
      parse_seconds(text, &value) < 0)
    return false;
  value = value * 1e9 / (double)row->unit_ns;
  if (!(fabs(value) < 0x1p53) || fabs(value - round(value)) > 1e-6)
    return false;
  *ret = (int64_t)round(value);
  return true;
}

static bool value_int_fits(const struct opt *row, const char *text,
                           int64_t *ret)
{
  int64_t value;

  if (parse_int(text, &value) < 0 && !value_count_fits(row, text, &value) &&
      !value_time_fits(row, text, &value))
    return false;
  if (value < opt_min(row) || value > opt_max(row))
    return false;
  *ret = value;
  return true;
}

static bool value_size_fits(const struct opt *row, const char *text,
                            int64_t *ret)
{
  uint64_t value;

  if (parse_size(text, &value) < 0 || (int64_t)value < opt_min(row) ||
      (int64_t)value > opt_max(row))
    return false;
  *ret = (int64_t)value;
  return true;
}

static bool value_double_fits(const struct opt *row, const char *text,
                              double *ret)
{
  int64_t count;
  double value;

  if ((row->type == OPT_TYPE_TIME ? parse_seconds(text, &value)
                                  : parse_double(text, &value)) < 0) {
    if (!value_count_fits(row, text, &count))
      return false;
    value = (double)count;
  }
  if (row->fmin != 0 || row->fmax != 0) {
    if (value < row->fmin || value > row->fmax ||
        ((row->flags & OPT_OPEN_MIN) && value <= row->fmin) ||
        ((row->flags & OPT_OPEN_MAX) && value >= row->fmax))
      return false;
  }
  *ret = value;
  return true;
}

static int value_find_word(const struct opt *row, const char *text)
{
  for (int i = 0; row->words[i]; i++) {
    if ((row->flags & OPT_ANY_CASE) ? strcasecmp(text, row->words[i]) == 0
                                    : strcmp(text, row->words[i]) == 0)
      return i;
  }
  return -1;
}

/* 0, or the errno value of reading the file. */
static int value_file_problem(const char *path)
{
  struct stat st;

  if (stat(path, &st) < 0)
    return errno;
  if (S_ISDIR(st.st_mode))
    return EISDIR;
  return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) < 0 ? errno : 0;
}

static bool value_item_fits(const struct opt *row, const char *item)
{
  int64_t number;

  if ((row->flags & OPT_INT_ITEMS) && !value_int_fits(row, item, &number))
    return false;
  if (row->words && value_find_word(row, item) < 0)
    return false;
  return !row->check || row->check(item);
}

/* Room for up to n items with `bytes` characters, terminators included:
 * pointers, then text. */
static char **value_list_memory(size_t n, size_t bytes, char **ret_text)
{
  size_t size;
  char **items;

  if (__builtin_mul_overflow(n, sizeof(char *), &size) ||
      __builtin_add_overflow(size, bytes, &size))
    return NULL;
  items = malloc(size ? size : 1);
  if (items)
    *ret_text = (char *)(items + n);
  return items;
}

/* "a,,b" -> a b */
static int value_list_split(struct opt_value *v, const char *text)
{
  const size_t len = strlen(text);
  size_t n = 1, used = 0;
  char *copy, *rest, *item;
  char **items;

  for (size_t i = 0; i < len; i++)
    n += text[i] == ',';
  items = value_list_memory(n, len + 1, &copy);
  if (!items)
    return -ENOMEM;
  memcpy(copy, text, len + 1);
  for (rest = copy; (item = strsep(&rest, ","));) {
    if (*item)
      items[used++] = item;
  }
  v->list_memory = items;
  v->list = (struct opt_list){ .n = used, .items = (const char *const *)items };
  return 0;
}

static int value_list_copy(struct opt_value *v, const struct opt_list *from)
{
  size_t bytes = 0, used = 0;
  char **items;
  char *text;

  for (size_t i = 0; i < from->n; i++)
    bytes += strlen(from->items[i]) + 1;
  items = value_list_memory(from->n, bytes, &text);
  if (!items)
    return -ENOMEM;
  for (size_t i = 0; i < from->n; i++) {
    const size_t size = strlen(from->items[i]) + 1;

    if (size == 1)
      continue;
    items[used++] = memcpy(text, from->items[i], size);
    text += size;
  }
  v->list_memory = items;
  v->list = (struct opt_list){ .n = used, .items = (const char *const *)items };
  return 0;
}

/* "a,,b", or a comma at an end.  In a file, blanks do not count, a pair of
 * quotes can be an item, and a comment can follow. */
static bool value_has_gap(const char *p, bool in_file)
{
  bool item = false, comma = false;

  for (;;) {
    if (in_file)
      p += strspn(p, " \t");
    if (*p == '\0' || (in_file && *p == '#'))
      return comma && !item;
    if (*p == ',') {
      if (!item)
        return true;
      item = false;
      comma = true;
      p++;
      continue;
    }
    if (in_file && (*p == '\'' || *p == '"')) {
      const char *closing = strchr(p + 1, *p);

      if (!closing || closing == p + 1)
        return true;
      p = closing + 1;
    } else {
      p += strcspn(p, in_file ? ", \t" : ",");
    }
    item = true;
  }
}

static int value_read_list(const struct opt *row, const struct opt_given *given,
                           const char *text, struct opt_value *v,
                           struct err *err)
{
  const int rc = given->items ? value_list_copy(v, given->items)
                              : value_list_split(v, text);

  if (rc < 0)
    return err_set(err, rc, "not enough memory for --%s", row->name);
  if ((row->flags & OPT_NO_GAPS) &&
      value_has_gap(given->text, given->items != NULL))
    return value_refuse(row, given->text, "an item is empty", given->where,
                        err);
  if (v->list.n == 0 && (row->flags & OPT_NOT_EMPTY))
    return value_refuse(row, "", NULL, given->where, err);
  for (size_t i = 0; i < v->list.n; i++) {
    if (!value_item_fits(row, v->list.items[i]))
      return value_refuse(row, v->list.items[i], NULL, given->where, err);
  }
  return 0;
}

static const char *value_without_percent(const struct opt *row,
                                         const char *text, char to[64])
{
  const size_t len = strlen(text);

  if (!(row->flags & OPT_PERCENT) || len < 2 || len > 63 ||
      text[len - 1] != '%')
    return text;
  memcpy(to, text, len - 1);
  to[len - 1] = '\0';
  return to;
}

static int value_read_scalar(const struct opt *row,
                             const struct opt_given *given, const char *text,
                             struct opt_value *v, struct err *err)
{
  const char *where = given->where;
  char plain[64];
  const char *number = value_without_percent(row, text, plain);
  bool good = true;
  int problem;

  switch (row->type) {
  case OPT_TYPE_BOOL:
    good = parse_bool(text, &v->on) == 0;
    break;
  case OPT_TYPE_INT:
    good = value_int_fits(row, number, &v->number);
    break;
  case OPT_TYPE_SIZE:
    good = value_size_fits(row, text, &v->number);
    break;
  case OPT_TYPE_DOUBLE:
  case OPT_TYPE_TIME:
    good = value_double_fits(row, number, &v->real);
    break;
  case OPT_TYPE_WORD:
    v->number = value_find_word(row, text);
    good = v->number >= 0;
    break;
  case OPT_TYPE_STRING:
    good = *text || !(row->flags & OPT_NOT_EMPTY);
    break;
  case OPT_TYPE_FILE:
    problem = given->unseen ? 0 : value_file_problem(text);
    if (problem != 0)
      return value_refuse(row, text, strerror(problem), where, err);
    break;
  case OPT_TYPE_LIST:
  case OPT_TYPE_END:
    break;
  }
  if (!good || (row->check && !row->check(text)))
    return value_refuse(row, text, NULL, where, err);
  return 0;
}

/* NULL: not exactly one value. */
static const char *value_scalar_text(const struct opt *row,
                                     const struct opt_given *given)
{
  if (given->bare) {
    if (row->bare)
      return row->bare;
    if (row->type == OPT_TYPE_BOOL)
      return "on";
    /* A file needs `NAME =` for an empty value. */
    return given->source == OPT_SOURCE_FILE ? NULL : "";
  }
  if (!given->items)
    return given->text;
  if (given->items->n == 0)
    return "";
  return given->items->n == 1 ? given->items->items[0] : NULL;
}

/* A file's list, as on a command line. */
static char *value_joined(const struct opt_list *list)
{
  struct strbuf text = { 0 };

  strbuf_adds(&text, ""); /* not NULL without items */
  for (size_t i = 0; i < list->n; i++)
    strbuf_addf(&text, "%s%s", i > 0 ? "," : "", list->items[i]);
  if (text.failed)
    strbuf_done(&text);
  return text.text; /* ownership moves */
}

/* Not exactly one value: usually a text with blanks that needs quotes. */
static int value_refuse_items(const struct opt *row,
                              const struct opt_given *given, struct err *err)
{
  static const char hint[] = "a value with blanks or commas needs quotes";
  const bool is_text = row->type == OPT_TYPE_STRING ||
                       row->type == OPT_TYPE_FILE;

  if (!given->items || !is_text)
    return value_refuse(row, given->text, NULL, given->where, err);
  return value_refuse_with(row, given->text, "", hint, given->where, err);
}

static int value_read_parsed(const struct opt *row,
                             const struct opt_given *given, struct opt_value *v,
                             struct err *err)
{
  struct err why = { "" };
  int rc;

  v->parsed = calloc(1, row->size);
  if (!v->parsed)
    return err_set(err, -ENOMEM, "not enough memory for --%s", row->name);
  rc = row->parse(v->text, v->parsed, &why);
  if (rc == -EINVAL && why.text[0] == '\0')
    return value_refuse(row, v->text, NULL, given->where, err);
  return rc < 0 ? err_set(err, rc, "Invalid value for --%s: %s%s%s", row->name,
                          why.text, given->where ? ", " : "",
                          given->where ? given->where : "")
                : 0;
}

static int value_read_text(const struct opt *row, const struct opt_given *given,
                           const char *text, struct opt_value *v,
                           struct err *err)
{
  int rc;

  if (row->type == OPT_TYPE_LIST) {
    if (given->bare && !text)
      return value_refuse(row, "", NULL, given->where, err);
    rc = value_read_list(row, given, text, v, err);
  } else if (text) {
    rc = value_read_scalar(row, given, text, v, err);
  } else {
    return value_refuse_items(row, given, err);
  }
  if (rc < 0)
    return rc;
  v->text = row->type == OPT_TYPE_LIST && given->items ? value_joined(&v->list)
                                                       : mem_strdup(text);
  if (!v->text)
    return err_set(err, -ENOMEM, "not enough memory for --%s", row->name);
  return row->parse ? value_read_parsed(row, given, v, err) : 0;
}

static int value_refuse_bare(const struct opt *row, struct err *err)
{
  struct strbuf what = { 0 };
  int rc;

  opt_expected(row, &what);
  rc = err_set(err, -EINVAL, "--%s needs a value: --%s%s (%s)", row->name,
               row->name, row->show_as, strbuf_str(&what));
  strbuf_done(&what);
  return rc;
}

int opt_value_read(const struct opt *row, const struct opt_given *given,
                   struct opt_value *ret, struct err *err)
{
  struct opt_value v = opt_value_unset(row);
  char *line = NULL;
  int rc;

  if (given->bare && !row->bare && row->show_as &&
      (row->flags & OPT_NOT_EMPTY) && given->source == OPT_SOURCE_CMDLINE)
    return value_refuse_bare(row, err);
  if ((row->flags & OPT_COLLECT) && given->items) {
    line = value_joined(given->items);
    if (!line)
      return err_set(err, -ENOMEM, "not enough memory for --%s", row->name);
  }
  rc = value_read_text(row, given, line ? line : value_scalar_text(row, given),
                       &v, err);
  free(line);
  if (rc < 0) {
    opt_value_done(&v);
    return rc;
  }
  *ret = v;
  return 0;
}

struct opt_value opt_value_unset(const struct opt *row)
{
  return (struct opt_value){ .number = row->type == OPT_TYPE_WORD ? -1 : 0 };
}

void opt_value_done(struct opt_value *v)
{
  if (!v)
    return;
  free(v->text);
  free(v->list_memory);
  free(v->parsed);
  *v = (struct opt_value){ 0 };
}

void opt_value_store(const struct opt *row, const struct opt_value *v,
                     void *cfg)
{
  void *field = (char *)cfg + row->off;
  const char *text = v->text;
  const int index = (int)v->number;

  switch (row->type) {
  case OPT_TYPE_BOOL:
    memcpy(field, &v->on, sizeof(v->on));
    break;
  case OPT_TYPE_INT:
  case OPT_TYPE_SIZE:
    memcpy(field, &v->number, sizeof(v->number));
    break;
  case OPT_TYPE_DOUBLE:
  case OPT_TYPE_TIME:
    memcpy(field, &v->real, sizeof(v->real));
    break;
  case OPT_TYPE_WORD:
    memcpy(field, &index, sizeof(index));
    break;
  case OPT_TYPE_STRING:
    if (row->parse && v->parsed)
      memcpy(field, v->parsed, row->size);
    else if (row->parse)
      memset(field, 0, row->size);
    if (row->parse)
      break;
    if (!text)
      text = "";
    /* fall through */
  case OPT_TYPE_FILE:
    memcpy(field, &text, sizeof(text));
    break;
  case OPT_TYPE_LIST:
    memcpy(field, &v->list, sizeof(v->list));
    break;
  case OPT_TYPE_END:
    break;
  }
}
