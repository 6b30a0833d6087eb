/*
 * sweep_plan.c - parses --sweep and makes combinations of values.
 */
#include "tools/sweep_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/fmt.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/secret.h"
#include "base/strbuf.h"
#include "opt/optset.h"
#include "opt/suggest.h"
#include "results/options.h"
#include "tools/sweep_opts.h"

/* ---- values ---- */

struct range {
  bool whole;    /* `from`, `to` and `step` are exact */
  bool suffixed; /* values are written with K, M, G or T */
  bool factor;   /* A..B*F */
  uint64_t from, to, step;
  double from_real, to_real, step_real;
};

static int sweep_plan_no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for --sweep");
}

/* `value` is taken over, also on failure; NULL: out of memory. */
static int sweep_spec_add_value(struct sweep_spec *spec, char *value,
                                struct err *err)
{
  char **more;
  int rc = 0;

  if (!value)
    return sweep_plan_no_memory(err);
  for (size_t i = 0; i < spec->n && rc == 0; i++) {
    if (strcmp(spec->values[i], value) == 0)
      rc = err_set(err, -EINVAL, "the value '%.200s' is there twice", value);
  }
  if (rc == 0 && spec->n == SWEEP_VALUES_MAX)
    rc = err_set(err, -EINVAL, "more than %d values", SWEEP_VALUES_MAX);
  more = rc == 0
           ? realloc(spec->values, (spec->n + 1) * sizeof(spec->values[0]))
           : NULL;
  if (!more) {
    free(value);
    return rc < 0 ? rc : sweep_plan_no_memory(err);
  }
  spec->values = more;
  spec->values[spec->n++] = value;
  return 0;
}

static bool sweep_spec_has_suffix(const char *text)
{
  return strpbrk(text, "KMGTkmgt") != NULL;
}

static char *sweep_spec_whole_text(uint64_t value, bool suffixed)
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
  return b.text; /* now owned by the caller */
}

/* Rounded, without digits that only show rounding errors. */
static char *sweep_spec_real_text(double value)
{
  char buf[FMT_DOUBLE_SIZE];
  const double scale = pow(10.0, 12.0 - ceil(log10(fabs(value) + 1e-300)));

  if (value != 0.0 && isfinite(scale))
    value = round(value * scale) / scale;
  return mem_strdup(fmt_shortest(buf, value));
}

static int sweep_spec_expand_whole(struct sweep_spec *spec,
                                   const struct range *r, struct err *err)
{
  uint64_t value = r->from;

  for (uint64_t i = 1;; i++) {
    const uint64_t last = value;
    int rc = sweep_spec_add_value(
      spec, sweep_spec_whole_text(value, r->suffixed), err);

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

static int sweep_spec_expand_real(struct sweep_spec *spec,
                                  const struct range *r, struct err *err)
{
  const double slack = fabs(r->to_real) * 1e-12;

  for (unsigned i = 0;; i++) {
    double value = r->factor ? r->from_real * pow(r->step_real, i)
                             : r->from_real + i * r->step_real;
    int rc;

    /* Only the rounding error of a value that is 0. */
    if (!r->factor && fabs(value) < r->step_real * 1e-9)
      value = 0;

    if (!(value <= r->to_real + slack))
      return 0;
    rc = sweep_spec_add_value(spec, sweep_spec_real_text(value), err);
    if (rc < 0)
      return rc;
  }
}

/* False: not numbers. */
static bool sweep_spec_read_numbers(struct range *r, const char *from,
                                    const char *to, const char *step)
{
  const bool step_given = *step != '\0';

  r->step = 1;
  r->step_real = 1;
  r->suffixed = sweep_spec_has_suffix(from) || sweep_spec_has_suffix(to);
  r->whole = parse_size(from, &r->from) == 0 && parse_size(to, &r->to) == 0;
  if (step_given && !r->factor && r->whole)
    r->whole = parse_size(step, &r->step) == 0;
  if (step_given && (r->factor || !r->whole) &&
      parse_double(step, &r->step_real) < 0)
    return false;
  return r->whole || (parse_double(from, &r->from_real) == 0 &&
                      parse_double(to, &r->to_real) == 0);
}

static bool sweep_spec_is_number(const char *text)
{
  uint64_t size;
  double real;

  return parse_size(text, &size) == 0 || parse_double(text, &real) == 0;
}

static int sweep_spec_check_range(const struct range *r, const char *text,
                                  struct err *err)
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

static int sweep_spec_add_range(struct sweep_spec *spec, const char *item,
                                const char *dots, struct err *err)
{
  char *from = mem_strndup(item, (size_t)(dots - item));
  const char *rest = dots + 2;
  /* Not the sign of an exponent. */
  const char *sign = rest + strcspn(rest, "*+");
  char *to = mem_strndup(rest, (size_t)(sign - rest));
  struct range r = { .factor = *sign == '*' };
  int rc = 0;

  if (!from || !to)
    rc = sweep_plan_no_memory(err);
  else if (!sweep_spec_read_numbers(&r, from, to, *sign ? sign + 1 : "") ||
           (*sign && !sign[1]))
    rc = err_set(err, -EINVAL, "'%.200s' is no range such as 1..64*2", item);
  if (rc == 0)
    rc = sweep_spec_check_range(&r, item, err);
  if (rc == 0)
    rc = r.whole ? sweep_spec_expand_whole(spec, &r, err)
                 : sweep_spec_expand_real(spec, &r, err);
  free(from);
  free(to);
  return rc;
}

static int sweep_spec_add_item(struct sweep_spec *spec, const char *item,
                               struct err *err)
{
  const char *dots = strstr(item, "..");
  char *from;
  bool range = false;

  if (dots) {
    from = mem_strndup(item, (size_t)(dots - item));
    if (!from)
      return sweep_plan_no_memory(err);
    range = sweep_spec_is_number(from);
    free(from);
  }
  return range ? sweep_spec_add_range(spec, item, dots, err)
               : sweep_spec_add_value(spec, mem_strdup(item), err);
}

/* Unescapes one item; returns the text behind the comma. */
static const char *sweep_spec_next_item(const char *text, struct strbuf *item)
{
  strbuf_clear(item);
  for (; *text && *text != ','; text++) {
    if (text[0] == '\\' && text[1] == ',')
      text++;
    strbuf_add(item, text, 1);
  }
  return *text ? text + 1 : NULL;
}

static int sweep_spec_read_values(struct sweep_spec *spec, const char *text,
                                  struct err *err)
{
  struct strbuf item = { 0 };
  int rc = 0;

  while (text && rc == 0) {
    text = sweep_spec_next_item(text, &item);
    if (item.failed)
      rc = sweep_plan_no_memory(err);
    else if (item.len == 0)
      rc = err_set(err, -EINVAL, "a value is empty");
    else
      rc = sweep_spec_add_item(spec, strbuf_str(&item), err);
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
    return sweep_plan_no_memory(err);
  rc = sweep_spec_read_values(&spec, colon + 1, err);
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

/* ---- combinations ---- */

/* Options of several bundled tests, or of the program, that determine the data
 * that prepare makes. */
static const char *const data_options[] = { "tables",
                                            "table-size",
                                            "auto-inc",
                                            "secondary",
                                            "create-secondary",
                                            "create-index",
                                            "create-table-options",
                                            "mysql-storage-engine",
                                            "mysql-table-engine",
                                            "mysql-create-options",
                                            "pgsql-variant",
                                            "oltp-tables-count",
                                            "oltp-table-size",
                                            "oltp-auto-inc",
                                            "oltp-secondary",
                                            "oltp-create-secondary",
                                            "file-num",
                                            "file-total-size",
                                            "sqlite-page-size" };

/* Options of one bundled script, with another meaning elsewhere. */
enum {
  SCRIPT_OPTIONS_MAX = 6
};
static const struct {
  const char *test;
  const char *option[SCRIPT_OPTIONS_MAX]; /* padded with NULL */
} script_options[] = {
  { "bank", { "accounts", "balance" } },
  { "counter", { "rows" } },
  { "json", { "documents", "groups", "body", "data-seed" } },
  { "secondary", { "keys", "rows-per-key", "data-seed" } },
  { "tpcb", { "scale" } },
  { "tpcc",
    { "warehouses", "scale", "districts", "customers", "items",
      "history-key" } },
  { "ycsb", { "records", "fields", "field-length", "key", "order" } },
};

/* Sweeps also refuse options for results and for sweeps. */
static const char *const fixed_options[] = { "help", "version", "test",
                                             "config-file" };

static bool sweep_plan_is_among(const char *const *list, size_t n,
                                const char *name)
{
  for (size_t i = 0; i < n; i++) {
    if (opt_name_equal(list[i], name))
      return true;
  }
  return false;
}

bool sweep_shapes_data(const char *test, const char *option)
{
  for (size_t i = 0; test && i < ARRAY_SIZE(script_options); i++) {
    size_t n = 0;

    if (strcmp(script_options[i].test, test) != 0)
      continue;
    while (n < SCRIPT_OPTIONS_MAX && script_options[i].option[n])
      n++;
    if (sweep_plan_is_among(script_options[i].option, n, option))
      return true;
  }
  return sweep_plan_is_among(data_options, ARRAY_SIZE(data_options), option);
}

static int sweep_plan_check_option(const struct sweep_plan *plan,
                                   const struct optset *set, const char *option,
                                   struct err *err)
{
  const struct opt_entry *e = optset_find(set, option);

  if (e && e->row->flags & OPT_SECRET) /* names of steps contain the values */
    return err_set(err, -EINVAL,
                   "--%.100s cannot be swept: results would show its values",
                   option);
  if (sweep_plan_is_among(fixed_options, ARRAY_SIZE(fixed_options), option) ||
      opt_rows_have(results_opts, option) || opt_rows_have(sweep_opts, option))
    return err_set(err, -EINVAL, "--%.100s cannot be swept", option);
  for (size_t i = 0; i < plan->n_specs; i++) {
    if (opt_name_equal(plan->spec[i].option, option))
      return err_set(err, -EINVAL, "--sweep names '%.100s' twice", option);
  }
  return 0;
}

/* An alias becomes the option that it stands for. */
static int sweep_plan_use_real_name(struct sweep_spec *spec,
                                    const struct optset *set, struct err *err)
{
  const struct opt_entry *e = optset_find(set, spec->option);
  char *name;

  if (!e || !e->real)
    return 0;
  name = mem_strdup(e->real->row->name);
  if (!name)
    return sweep_plan_no_memory(err);
  free(spec->option);
  spec->option = name;
  return 0;
}

static int sweep_plan_add_spec(struct sweep_plan *plan,
                               const struct optset *set, const char *test,
                               const char *line, struct err *err)
{
  struct sweep_spec *spec = &plan->spec[plan->n_specs];
  int rc;

  if (plan->n_specs == SWEEP_OPTIONS_MAX)
    return err_set(err, -EINVAL, "more than %d --sweep options",
                   SWEEP_OPTIONS_MAX);
  rc = sweep_spec_parse(spec, line, err);
  if (rc == 0)
    rc = sweep_plan_use_real_name(spec, set, err);
  if (rc == 0)
    rc = sweep_plan_check_option(plan, set, spec->option, err);
  if (rc < 0) {
    sweep_spec_done(spec);
    return rc;
  }
  plan->n_specs++;
  plan->n_combinations *= spec->n; /* at most 1000 times 10000 */
  plan->shapes_data = plan->shapes_data ||
                      sweep_shapes_data(test, spec->option);
  if (plan->n_combinations * plan->repeats > SWEEP_STEPS_MAX)
    return err_set(err, -EINVAL, "a sweep of more than %d steps",
                   SWEEP_STEPS_MAX);
  return 0;
}

int sweep_plan_init(struct sweep_plan *ret, const struct optset *set,
                    const char *test, const char *sweeps, size_t repeats,
                    struct err *err)
{
  struct sweep_plan plan = { .n_combinations = 1, .repeats = repeats };
  int rc = 0;

  while (*sweeps && rc == 0) {
    const size_t len = strcspn(sweeps, "\n");
    char *line = mem_strndup(sweeps, len);

    rc = line ? sweep_plan_add_spec(&plan, set, test, line, err)
              : sweep_plan_no_memory(err);
    free(line);
    sweeps += len + (sweeps[len] == '\n');
  }
  if (rc < 0)
    sweep_plan_done(&plan);
  else
    *ret = plan;
  return rc;
}

int sweep_plan_add(struct sweep_plan *plan, const char *option,
                   const char *value, struct err *err)
{
  struct sweep_spec *spec = &plan->spec[0];
  int rc;

  if (plan->n_specs == 0) {
    spec->option = mem_strdup(option);
    if (!spec->option)
      return sweep_plan_no_memory(err);
    plan->n_specs = plan->repeats = 1;
  }
  rc = sweep_spec_add_value(spec, mem_strdup(value), err);
  plan->n_combinations = spec->n;
  return rc;
}

void sweep_plan_done(struct sweep_plan *plan)
{
  if (!plan)
    return;
  for (size_t i = 0; i < plan->n_specs; i++)
    sweep_spec_done(&plan->spec[i]);
  *plan = (struct sweep_plan){ 0 };
}

const char *sweep_plan_value(const struct sweep_plan *plan, size_t combination,
                             size_t option)
{
  for (size_t i = plan->n_specs; i-- > option + 1;)
    combination /= plan->spec[i].n;
  return plan->spec[option].values[combination % plan->spec[option].n];
}

void sweep_plan_describe(const struct sweep_plan *plan, size_t combination,
                         struct strbuf *out)
{
  for (size_t i = 0; i < plan->n_specs; i++) {
    strbuf_addf(out, "%s%s=", i > 0 ? ", " : "", plan->spec[i].option);
    secret_redact(sweep_plan_value(plan, combination, i), out);
  }
}
