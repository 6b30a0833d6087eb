/*
 * sweep_spec.c - parses the text of a --sweep.
 */
#include "tools/sweep_spec.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/fmt.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/strbuf.h"

/* A range, as numbers of one kind. */
struct range {
  bool whole;    /* A, B and S are whole: `from`, `to`, `step` are exact */
  bool suffixed; /* written with K, M, G or T, and so are its values */
  bool factor;   /* A..B*F */
  uint64_t from, to, step;
  double from_real, to_real, step_real;
};

static int no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for --sweep");
}

/* Takes `value` over, also when it fails. */
static int add_value(struct sweep_spec *spec, char *value, struct err *err)
{
  char **more;

  if (!value)
    return no_memory(err);
  for (size_t i = 0; i < spec->n; i++) {
    if (strcmp(spec->values[i], value) == 0) {
      const int rc = err_set(err, -EINVAL, "the value '%.200s' is there twice",
                             value);

      free(value);
      return rc;
    }
  }
  if (spec->n == SWEEP_VALUES_MAX) {
    free(value);
    return err_set(err, -EINVAL, "more than %d values", SWEEP_VALUES_MAX);
  }
  more = realloc(spec->values, (spec->n + 1) * sizeof(spec->values[0]));
  if (!more) {
    free(value);
    return no_memory(err);
  }
  spec->values = more;
  spec->values[spec->n++] = value;
  return 0;
}

static bool has_suffix(const char *text)
{
  return strpbrk(text, "KMGTkmgt") != NULL;
}

static char *whole_text(uint64_t value, bool suffixed)
{
  static const char suffixes[] = "KMGT";
  struct strbuf b = { 0 };
  size_t used = 0;

  while (suffixed && value > 0 && value % 1024 == 0 && suffixes[used]) {
    value /= 1024;
    used++;
  }
  strbuf_addf(&b, "%" PRIu64, value);
  if (used > 0)
    strbuf_add(&b, &suffixes[used - 1], 1);
  if (b.failed) {
    strbuf_done(&b);
    return NULL;
  }
  return b.text; /* the caller owns it now */
}

/* Without the last digits, which only show rounding. */
static char *real_text(double value)
{
  char buf[FMT_DOUBLE_SIZE];
  const double scale = pow(10.0, 12.0 - ceil(log10(fabs(value) + 1e-300)));

  if (value != 0.0 && isfinite(scale))
    value = round(value * scale) / scale;
  return mem_strdup(fmt_shortest(buf, value));
}

static int expand_whole(struct sweep_spec *spec, const struct range *r,
                        struct err *err)
{
  uint64_t value = r->from;

  for (uint64_t i = 1;; i++) {
    const uint64_t last = value;
    int rc = add_value(spec, whole_text(value, r->suffixed), err);

    if (rc < 0)
      return rc;
    if (r->factor) {
      const double next = round((double)r->from * pow(r->step_real, (double)i));

      if (next > (double)r->to || next >= (double)INT64_MAX)
        return 0;
      value = (uint64_t)next;
    } else if (__builtin_add_overflow(value, r->step, &value)) {
      return 0;
    }
    if (value > r->to)
      return 0;
    if (value <= last)
      return err_set(
        err, -EINVAL,
        "a factor that does not lead from %" PRIu64 " to another number", last);
  }
}

static int expand_real(struct sweep_spec *spec, const struct range *r,
                       struct err *err)
{
  const double slack = fabs(r->to_real) * 1e-12;

  for (unsigned i = 0;; i++) {
    double value = r->factor ? r->from_real * pow(r->step_real, i)
                             : r->from_real + i * r->step_real;
    int rc;

    /* What remains when two numbers cancel is only their rounding. */
    if (!r->factor && fabs(value) < r->step_real * 1e-9)
      value = 0;

    if (!(value <= r->to_real + slack))
      return 0;
    rc = add_value(spec, real_text(value), err);
    if (rc < 0)
      return rc;
  }
}

/* Read the three numbers of a range; false: they are not numbers. */
static bool read_numbers(struct range *r, const char *from, const char *to,
                         const char *step)
{
  const bool step_given = *step != '\0';

  r->step = 1;
  r->step_real = 1;
  r->suffixed = has_suffix(from) || has_suffix(to);
  r->whole = parse_size(from, &r->from) == 0 && parse_size(to, &r->to) == 0;
  if (step_given && !r->factor && r->whole)
    r->whole = parse_size(step, &r->step) == 0;
  if (step_given && (r->factor || !r->whole) &&
      parse_double(step, &r->step_real) < 0)
    return false;
  return r->whole || (parse_double(from, &r->from_real) == 0 &&
                      parse_double(to, &r->to_real) == 0);
}

static bool is_number(const char *text)
{
  uint64_t size;
  double real;

  return parse_size(text, &size) == 0 || parse_double(text, &real) == 0;
}

static int check_range(const struct range *r, const char *text, struct err *err)
{
  if (r->whole ? r->from > r->to : r->from_real > r->to_real)
    return err_set(err, -EINVAL, "the range '%.200s' begins above its end",
                   text);
  if (r->factor && r->step_real <= 1.0)
    return err_set(err, -EINVAL, "the factor of '%.200s' is not above 1", text);
  if (r->factor && (r->whole ? r->from == 0 : r->from_real <= 0))
    return err_set(err, -EINVAL, "'%.200s' must begin above 0", text);
  if (!r->factor && (r->whole ? r->step == 0 : r->step_real <= 0))
    return err_set(err, -EINVAL, "the step of '%.200s' is not above 0", text);
  return 0;
}

static int add_range(struct sweep_spec *spec, const char *item,
                     const char *dots, struct err *err)
{
  char *from = mem_strndup(item, (size_t)(dots - item));
  const char *rest = dots + 2;
  /* This must not be the sign of an exponent. */
  const char *sign = rest + strcspn(rest, "*+");
  char *to = mem_strndup(rest, (size_t)(sign - rest));
  struct range r = { .factor = *sign == '*' };
  int rc = 0;

  if (!from || !to)
    rc = no_memory(err);
  else if (!read_numbers(&r, from, to, *sign ? sign + 1 : "") ||
           (*sign && !sign[1]))
    rc = err_set(err, -EINVAL, "'%.200s' is no range such as 1..64*2", item);
  if (rc == 0)
    rc = check_range(&r, item, err);
  if (rc == 0)
    rc = r.whole ? expand_whole(spec, &r, err) : expand_real(spec, &r, err);
  free(from);
  free(to);
  return rc;
}

static int add_item(struct sweep_spec *spec, const char *item, struct err *err)
{
  const char *dots = strstr(item, "..");
  char *from;
  bool range = false;

  if (dots) {
    from = mem_strndup(item, (size_t)(dots - item));
    if (!from)
      return no_memory(err);
    range = is_number(from);
    free(from);
  }
  return range ? add_range(spec, item, dots, err)
               : add_value(spec, mem_strdup(item), err);
}

/* Read from `text` to the next comma that separates; returns what follows
 * it. */
static const char *next_item(const char *text, struct strbuf *item)
{
  strbuf_clear(item);
  for (; *text && *text != ','; text++) {
    if (text[0] == '\\' && text[1] == ',')
      text++;
    strbuf_add(item, text, 1);
  }
  return *text ? text + 1 : NULL;
}

static int read_values(struct sweep_spec *spec, const char *text,
                       struct err *err)
{
  struct strbuf item = { 0 };
  int rc = 0;

  while (text && rc == 0) {
    text = next_item(text, &item);
    if (item.failed)
      rc = no_memory(err);
    else if (item.len == 0)
      rc = err_set(err, -EINVAL, "a value is empty");
    else
      rc = add_item(spec, strbuf_str(&item), err);
  }
  strbuf_done(&item);
  return rc;
}

int sweep_spec_parse(struct sweep_spec *ret, const char *text, struct err *err)
{
  const char *colon = strchr(text, ':');
  struct sweep_spec spec = { 0 };
  int rc;

  text += strspn(text, "-"); /* --sweep=--threads:1,2 is as clear */
  if (!colon || colon <= text || memchr(text, '=', (size_t)(colon - text)))
    return err_set(err, -EINVAL, "not of the form OPTION:VALUE,VALUE,...");
  spec.option = mem_strndup(text, (size_t)(colon - text));
  if (!spec.option)
    return no_memory(err);
  rc = read_values(&spec, colon + 1, err);
  if (rc < 0) {
    sweep_spec_done(&spec);
    return rc;
  }
  *ret = spec;
  return 0;
}

void sweep_spec_done(struct sweep_spec *spec)
{
  if (!spec)
    return;
  for (size_t i = 0; i < spec->n; i++)
    free(spec->values[i]);
  free(spec->values);
  free(spec->option);
  *spec = (struct sweep_spec){ 0 };
}

bool sweep_spec_is_valid(const char *text)
{
  struct sweep_spec spec = { 0 };
  struct err err = { "" };
  const bool valid = sweep_spec_parse(&spec, text, &err) == 0;

  sweep_spec_done(&spec);
  return valid;
}
