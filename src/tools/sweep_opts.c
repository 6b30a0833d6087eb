#include "tools/sweep_opts.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/fmt.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/strbuf.h"

static const char *const prepare_words[] = { "auto", "on", "off", NULL };
static const char *const format_words[] = { "text", "markdown", "csv", NULL };
/* In the order of enum search_what. */
static const char *const find_words[] = { "off", "rate", "clients", "threads",
                                          NULL };
static const char *const careful_sets[] = {
  "repeat=3 settle=writeback sweep-reference=5 sweep-pause=5"
};
static const char *const role_words[] = { "none", "check", "step", NULL };

/* "3%" is 0.03; 0: refused. */
static double sweep_opts_read_precision(const char *text)
{
  const size_t len = strlen(text);
  char number[32];
  double percent;

  if (len < 2 || len > sizeof(number) || text[len - 1] != '%')
    return 0;
  memcpy(number, text, len - 1);
  number[len - 1] = '\0';
  if (parse_double(number, &percent) < 0 || !(percent >= 0.5 && percent <= 50))
    return 0;
  return percent / 100;
}

static bool sweep_spec_is_valid(const char *text)
{
  struct sweep_spec spec = { 0 };
  struct err err = { "" };
  const bool valid = sweep_spec_parse(&spec, text, &err) == 0;

  sweep_spec_done(&spec);
  return valid;
}

static bool sweep_opts_is_precision(const char *text)
{
  return sweep_opts_read_precision(text) > 0;
}

const struct opt sweep_opts[] = {
  {
    OPT_STRING(struct sweep_cfg, sweeps),
    .name = "sweep",
    .group = "Sweeps and searches",
    .flags = OPT_COLLECT | OPT_NOT_EMPTY | OPT_OWN | OPT_COMMON,
    .check = sweep_spec_is_valid,
    .expected = "OPTION:VALUE,VALUE,... with different values; ranges are "
                "1..64*2 or 100..1000+100",
    .show_as = "=OPTION:V1,V2,...",
    .help = "run once for each value of an option; can be given several times",
    .man =
      "Each value is a step; with several --sweep options, each combination of "
      "values is a step. 1..64*2 stands for 1,2,4,8,16,32,64 "
      "and 100..1000+100 for ten values; a comma in a value is written "
      "\\,. All steps are checked before the first one starts. "
      "Each step prints the usual report, and a table of all steps "
      "follows at the end.",
  },
  {
    OPT_INT(struct sweep_cfg, repeat),
    .name = "repeat",
    .flags = OPT_OWN | OPT_COMMON,
    .def = "1",
    .min = 1,
    .max = 1000,
    .help = "run every step this many times, in turns",
    .man = "Repeats are interleaved, 1 2 3 1 2 3, so that a drift of the "
           "machine does not look like an effect of the option. The table "
           "then has medians and ranges. It works without --sweep, too.",
  },
  {
    OPT_BOOL(struct sweep_cfg, careful),
    .name = "careful",
    .flags = OPT_OWN,
    .def = "off",
    .sets = careful_sets,
    .help = "settings for a sweep whose steps are comparable",
    .man = "Given options win.",
  },
  {
    OPT_TIME(struct sweep_cfg, pause_s),
    .name = "sweep-pause",
    .aliases = "pause",
    .flags = OPT_OWN,
    .def = "0",
    .fmax = 86400,
    .help = "seconds to wait between the steps of a sweep",
  },
  {
    OPT_STRING(struct sweep_cfg, reset),
    .name = "sweep-reset",
    .aliases = "reset",
    .flags = OPT_OWN,
    .def = "",
    .show_as = "=COMMAND",
    .help = "a command to run before each step of a sweep",
    .man = "The shell runs it, its output goes to stderr, and a failure ends "
           "the sweep with its exit status. The variables BENCH_STEP and "
           "BENCH_REPEAT have the numbers of the step and of the repeat, and "
           "BENCH_STEP_THREADS and the like the value of each swept option.",
  },
  {
    OPT_INT(struct sweep_cfg, reference_every),
    .name = "sweep-reference",
    .aliases = "reference-every",
    .flags = OPT_OWN,
    .def = "0",
    .max = 10000,
    .help =
      "run the first step again after every N steps, to see drift; 0 = never",
    .man = "These runs come before the first step, after every N steps and "
           "after the last one. A line below the table shows them, and a "
           "warning if one differs from the first by more than 5 %.",
  },
  {
    OPT_WORD(struct sweep_cfg, prepare),
    .name = "sweep-prepare",
    .flags = OPT_OWN,
    .def = "auto",
    .words = prepare_words,
    .help = "cleanup and prepare around each step {auto,on,off}",
    .man =
      "With \"auto\" this happens if a swept option shapes the data, such "
      "as table-size, warehouses or file-num; tables that exist before the "
      "first step are refused. With \"on\" steps replace the tables "
      "that bench made.",
  },
  {
    OPT_WORD(struct sweep_cfg, format),
    .name = "sweep-format",
    .flags = OPT_OWN,
    .def = "text",
    .words = format_words,
    .help = "form of the table of steps {text,markdown,csv}",
  },
  {
    OPT_BOOL(struct sweep_cfg, stop_on_error),
    .name = "sweep-stop-on-error",
    .flags = OPT_OWN | OPT_EXPERT,
    .def = "off",
    .help = "end the sweep when a step fails, instead of going on",
  },
  {
    OPT_WORD(struct sweep_cfg, find),
    .name = "find",
    .flags = OPT_OWN | OPT_COMMON,
    .def = "off",
    .words = find_words,
    .help = "find the highest value that meets --slo "
            "{off,rate,clients,threads}",
    .man = "Steps with different values, each a run of up to --time seconds, "
           "lead to the answer, which is confirmed by repeats. A step ends as "
           "soon as the objective is decided. The exit status is 4 if no value "
           "holds it, and 5 if there is no answer.",
  },
  {
    OPT_STRING(struct sweep_cfg, find_precision),
    .name = "find-precision",
    .flags = OPT_OWN | OPT_EXPERT,
    .def = "3%",
    .check = sweep_opts_is_precision,
    .expected = "a percentage from 0.5% to 50%",
    .show_as = "=P%",
    .help = "largest error of the answer of --find",
  },
  {
    OPT_STRING(struct sweep_cfg, find_drift),
    .name = "find-drift",
    .flags = OPT_OWN | OPT_EXPERT,
    .def = "10%",
    .check = sweep_opts_is_precision,
    .expected = "a percentage from 0.5% to 50%",
    .show_as = "=P%",
    .help = "largest drift of the reference steps of --find",
    .man =
      "Every few steps, and at the end, the first step is repeated. If its "
      "throughput has changed by more than P %, the search has no answer.",
  },
  {
    OPT_INT(struct sweep_cfg, confirm),
    .name = "find-confirm",
    .aliases = "confirm",
    .flags = OPT_OWN | OPT_EXPERT,
    .def = "3",
    .max = 20,
    .help = "how often --find repeats its answer; each repeat must hold",
    .man = "Repeats alternate with runs of a lower value. "
           "Without repeats (0) the answer of a plain bisection is wrong in "
           "every third search.",
  },
  {
    OPT_WORD(struct sweep_cfg, role),
    .name = "sweep-role",
    .def = "none",
    .words = role_words,
    .flags = OPT_HIDDEN,
    .help = "task of a process that a sweep has started",
  },
  {
    OPT_STRING(struct sweep_cfg, place),
    .name = "sweep-place",
    .def = "",
    .flags = OPT_HIDDEN,
    .help = "where a process that a sweep has started is in it: "
            "STEP/STEPS/SECONDS that follow",
  },
  OPT_END,
};

bool sweep_wanted(const struct sweep_cfg *cfg)
{
  return cfg->role == SWEEP_ROLE_NONE &&
         (*cfg->sweeps || cfg->repeat > 1 || cfg->find != SEARCH_OFF);
}

bool sweep_place(const struct sweep_cfg *cfg, uint64_t *ret_step,
                 uint64_t *ret_steps, double *ret_rest_s)
{
  *ret_rest_s = NAN;
  return sscanf(cfg->place, "%" SCNu64 "/%" SCNu64 "/%lf", ret_step, ret_steps,
                ret_rest_s) >= 2;
}

const char *sweep_option_names(const struct sweep_cfg *cfg)
{
  return cfg->find != SEARCH_OFF ? "--find" : "--sweep or --repeat";
}

struct search_rules sweep_rules(const struct sweep_cfg *cfg)
{
  return (struct search_rules){
    .what = (enum search_what)cfg->find,
    .precision = sweep_opts_read_precision(cfg->find_precision),
    .confirm = (unsigned)cfg->confirm,
    .again = SEARCH_AGAIN,
    .drift_max = sweep_opts_read_precision(cfg->find_drift),
  };
}

const char *sweep_useless_option(const struct sweep_cfg *cfg)
{
  if (*cfg->sweeps || cfg->repeat > 1 || cfg->find != SEARCH_OFF)
    return NULL;
  if (cfg->pause_s > 0)
    return "sweep-pause";
  if (*cfg->reset)
    return "sweep-reset";
  if (cfg->reference_every > 0)
    return "sweep-reference";
  if (cfg->prepare == SWEEP_PREPARE_ON)
    return "sweep-prepare";
  return cfg->stop_on_error ? "sweep-stop-on-error" : NULL;
}

/* ---- values of --sweep ---- */

struct range {
  bool whole;    /* `from`, `to` and `step` are exact */
  bool suffixed; /* values are written with K, M, G or T */
  bool factor;   /* A..B*F */
  uint64_t from, to, step;
  double from_real, to_real, step_real;
};

int sweep_spec_no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for --sweep");
}

int sweep_spec_add_value(struct sweep_spec *spec, char *value, struct err *err)
{
  char **more;
  int rc = 0;

  if (!value)
    return sweep_spec_no_memory(err);
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
    return rc < 0 ? rc : sweep_spec_no_memory(err);
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
  return b.text; /* the caller owns it */
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

    /* A rounding error instead of 0. */
    if (!r->factor && fabs(value) < r->step_real * 1e-9)
      value = 0;

    if (!(value <= r->to_real + slack))
      return 0;
    rc = sweep_spec_add_value(spec, sweep_spec_real_text(value), err);
    if (rc < 0)
      return rc;
  }
}

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
    rc = sweep_spec_no_memory(err);
  else if (!sweep_spec_read_numbers(&r, from, to, *sign ? sign + 1 : "") ||
           (*sign && !sign[1]))
    rc = err_set(err, -EINVAL, "'%.200s' is not a range such as 1..64*2", item);
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
      return sweep_spec_no_memory(err);
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
      rc = sweep_spec_no_memory(err);
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
    return sweep_spec_no_memory(err);
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
