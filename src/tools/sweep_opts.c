/*
 * sweep_opts.c - the options of sweeps.
 */
#include "tools/sweep_opts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "tools/sweep_plan.h"

static const char *const prepare_words[] = { "auto", "on", "off", NULL };
static const char *const format_words[] = { "text", "markdown", "csv", NULL };
/* In the order of enum search_what. */
static const char *const find_words[] = { "off", "rate", "clients", "threads",
                                          NULL };
static const char *const role_words[] = { "none", "check", "step", NULL };

/* "3%" is 0.03; 0: not a precision. */
static double read_precision(const char *text)
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

static bool is_precision(const char *text)
{
  return read_precision(text) > 0;
}

const struct opt sweep_opts[] = {
  {
    OPT_STRING(struct sweep_cfg, sweeps),
    .name = "sweep",
    .flags = OPT_COLLECT | OPT_NOT_EMPTY | OPT_OWN | OPT_COMMON,
    .check = sweep_spec_is_valid,
    .expected = "OPTION:VALUE,VALUE,... with different values; ranges are "
                "1..64*2 or 100..1000+100",
    .show_as = "=OPTION:V1,V2,...",
    .help = "run once for each value of an option; may be given several times",
    .man = "Each value is a step, and with several of these options each "
           "combination of values is one. 1..64*2 stands for 1,2,4,8,16,32,64 "
           "and 100..1000+100 for ten values; a comma in a value is written "
           "\\,. All steps are checked before the first one starts. "
           "Each step prints the usual report, and a table of all steps "
           "follows at the end.",
  },
  {
    OPT_INT(struct sweep_cfg, repeat),
    .name = "repeat",
    .flags = OPT_OWN,
    .def = "1",
    .min = 1,
    .max = 1000,
    .help = "run every step this many times, in turns",
    .man = "Repeats are interleaved, 1 2 3 1 2 3, so that a drift of the "
           "machine does not look like an effect of the option. The table "
           "then has medians and ranges. It works without --sweep, too.",
  },
  {
    OPT_TIME(struct sweep_cfg, pause_s),
    .name = "pause",
    .flags = OPT_OWN,
    .def = "0",
    .fmax = 86400,
    .help = "seconds to wait between the steps of a sweep",
  },
  {
    OPT_STRING(struct sweep_cfg, reset),
    .name = "reset",
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
    .name = "reference-every",
    .flags = OPT_OWN,
    .def = "0",
    .max = 10000,
    .help = "run the first step again after so many steps, to see drift; "
            "0 = never",
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
    .flags = OPT_OWN,
    .def = "off",
    .help = "end the sweep when a step fails, instead of going on",
  },
  {
    OPT_WORD(struct sweep_cfg, find),
    .name = "find",
    .flags = OPT_OWN,
    .def = "off",
    .words = find_words,
    .help = "find the highest value that holds --slo "
            "{off,rate,clients,threads}",
    .man = "Steps with different values, each a run of up to --time seconds, "
           "lead to the answer, which is confirmed by repeats. A step ends as "
           "soon as the objective is decided. The exit status is 4 if no value "
           "holds it, and 5 if there is no answer.",
  },
  {
    OPT_STRING(struct sweep_cfg, find_precision),
    .name = "find-precision",
    .flags = OPT_OWN,
    .def = "3%",
    .check = is_precision,
    .expected = "a percentage from 0.5% to 50%",
    .help = "how far the answer of --find may be from the truth",
  },
  {
    OPT_STRING(struct sweep_cfg, find_drift),
    .name = "find-drift",
    .flags = OPT_OWN,
    .def = "10%",
    .check = is_precision,
    .expected = "a percentage from 0.5% to 50%",
    .help = "how far references of --find may differ from the first one",
    .man = "Every few steps, and at the end, the first step is repeated. If "
           "its throughput has changed by more than that, there is no answer.",
  },
  {
    OPT_INT(struct sweep_cfg, confirm),
    .name = "confirm",
    .flags = OPT_OWN,
    .def = "3",
    .max = 20,
    .help = "how often --find repeats the answer, which has to hold each time",
    .man = "Each repeat is run beside one with a lower value, in turns. "
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
    .precision = read_precision(cfg->find_precision),
    .confirm = (unsigned)cfg->confirm,
    .again = SEARCH_AGAIN,
    .drift_max = read_precision(cfg->find_drift),
  };
}

const char *sweep_useless_option(const struct sweep_cfg *cfg)
{
  if (*cfg->sweeps || cfg->repeat > 1 || cfg->find != SEARCH_OFF)
    return NULL;
  if (cfg->pause_s > 0)
    return "pause";
  if (*cfg->reset)
    return "reset";
  if (cfg->reference_every > 0)
    return "reference-every";
  if (cfg->prepare == SWEEP_PREPARE_ON)
    return "sweep-prepare";
  return cfg->stop_on_error ? "sweep-stop-on-error" : NULL;
}
