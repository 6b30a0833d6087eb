/*
 * plan.c - from options to the plan of a run.
 */
#include "run/plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/fmt.h"
#include "opt/core_opts.h"
#include "rand/dist.h"
#include "rand/rng.h"
#include "report/text_mode.h"

/* What --forced-shutdown adds at least when it is automatic. */
#define GRACE_AUTO_NS (30 * NS_PER_S)

/* Intervals in files, where none are asked for. */
#define SAMPLE_NS NS_PER_S

/* At most some 2^32 seconds, as the options allow. */
static uint64_t ns_of(double seconds)
{
  return (uint64_t)llround(seconds * (double)NS_PER_S);
}

static uint64_t percent_of(uint64_t ns, uint64_t percent)
{
  const unsigned __int128 part = (unsigned __int128)ns * percent / 100;

  return part >= PLAN_NO_LIMIT ? PLAN_NO_LIMIT - 1 : (uint64_t)part;
}

static void set_grace(struct plan *plan, const struct forced_shutdown *forced)
{
  const uint64_t five = plan->time_ns == PLAN_NO_LIMIT
                          ? GRACE_AUTO_NS
                          : percent_of(plan->time_ns, 5);

  plan->grace_ns = PLAN_NO_LIMIT;
  switch (forced->kind) {
  case FORCED_AUTO:
    plan->grace_auto = true;
    plan->grace_ns = five > GRACE_AUTO_NS ? five : GRACE_AUTO_NS;
    break;
  case FORCED_OFF:
    break;
  case FORCED_SECONDS:
    plan->grace_ns = ns_of(forced->seconds);
    break;
  case FORCED_PERCENT:
    if (plan->time_ns != PLAN_NO_LIMIT)
      plan->grace_ns = percent_of(plan->time_ns, forced->percent);
    break;
  }
  plan->grace_shown = !plan->grace_auto && plan->grace_ns != PLAN_NO_LIMIT &&
                      plan->time_ns != PLAN_NO_LIMIT;
}

static int copy_lists(struct plan *plan, const struct core_checked *checked,
                      struct err *err)
{
  uint64_t *moments = calloc(checked->n_checkpoints + 1, sizeof(*moments));
  double *percentiles = calloc(checked->n_percentiles + 1,
                               sizeof(*percentiles));

  plan->checkpoint_ns = moments;
  plan->report.percentiles = percentiles;
  if (!moments || !percentiles)
    return err_set(err, -ENOMEM, "cannot allocate the plan of the run");
  for (size_t i = 0; i < checked->n_checkpoints; i++)
    moments[i] = checked->checkpoints_s[i] * NS_PER_S;
  memcpy(percentiles, checked->percentiles,
         checked->n_percentiles * sizeof(*percentiles));
  plan->n_checkpoints = (unsigned)checked->n_checkpoints;
  plan->report.n_percentiles = (unsigned)checked->n_percentiles;
  return 0;
}

static int set_random(struct plan *plan, const struct plan_input *in,
                      struct err *err)
{
  const struct rand_opts_cfg *opts = in->rand;
  struct rand_params *params = malloc(sizeof(*params));

  if (!params)
    return err_set(err, -ENOMEM, "cannot allocate the plan of the run");
  rand_params_init(params, &(struct rand_choice){
                             .type = (enum rand_type)opts->type,
                             .spec_iter = opts->spec_iter,
                             .spec_pct = opts->spec_pct,
                             .spec_res = opts->spec_res,
                             .pareto_h = opts->pareto_h,
                             .zipfian_exp = opts->zipfian_exp,
                           });
  plan->rand = params;
  plan->rand_type_given = in->rand_type_given;
  plan->seed_given = opts->seed != 0;
  if (plan->seed_given)
    plan->seed = (uint64_t)opts->seed;
  else
    plan->seed = in->run ? (uint64_t)rand_seed_from_clock() : RNG_SEED_FIXED;
  return 0;
}

int plan_init(struct plan *plan, const struct plan_input *in, struct err *err)
{
  const struct core_cfg *core = in->core;
  int rc;

  memset(plan, 0, sizeof(*plan));
  plan->compat = in->compat;
  plan->identity = in->identity;
  plan->threads = plan->all_threads = (unsigned)core->threads;
  plan->parts = 1;
  plan->stack_bytes = core->thread_stack_size;
  plan->init_timeout_ns = core->thread_init_timeout_s > 0
                            ? ns_of(core->thread_init_timeout_s)
                            : PLAN_NO_LIMIT;
  plan->init_timeout_s = core->thread_init_timeout_s;
  plan->events = core->events > 0 ? core->events : PLAN_NO_LIMIT;
  plan->time_ns = core->time_s > 0 ? ns_of(core->time_s) : PLAN_NO_LIMIT;
  plan->warmup_ns = ns_of(core->warmup_time_s);
  plan->rate = plan->all_rate = core->rate;
  plan->rate_abort = core->rate > 0.0 &&
                     core->rate_overload == RATE_OVERLOAD_ABORT;
  plan->interval_ns = ns_of(core->report_interval_s);
  if (in->details)
    plan->sample_ns = SAMPLE_NS;
  plan->debug = core->debug;
  plan->validate = core->validate;
  plan->force = core->force;
  set_grace(plan, &in->checked->forced_shutdown);

  plan->report = (struct report_setup){
    .layout_1_1 = in->compat == COMPAT_1_1,
    .percentile = core->percentile,
    .histogram = core->histogram,
    .per_thread = core->debug,
    .rate = core->rate > 0.0,
    .statement_times = in->statement_times,
    .percentile_given = in->percentile_given,
    .statements = core->report_statements,
    .details = in->details,
    .as_sysbench = in->identity == IDENTITY_SYSBENCH,
    .interval_decimals = fmt_decimals(core->report_interval_s),
  };
  rc = copy_lists(plan, in->checked, err);
  plan->percentiles = core->percentile > 0.0 || core->histogram ||
                      plan->report.n_percentiles > 0 || in->details;
  plan->classes = in->details || core->report_statements;
  plan->classes_by_table = core->statement_classes ==
                           STATEMENT_CLASSES_BY_TABLE;
  plan->event_rings = in->event_rings;
  if (rc == 0)
    rc = set_random(plan, in, err);
  if (rc < 0)
    plan_done(plan);
  return rc;
}

void plan_done(struct plan *plan)
{
  if (!plan)
    return;
  free((void *)(uintptr_t)plan->checkpoint_ns);
  free((void *)(uintptr_t)plan->report.percentiles);
  free((void *)(uintptr_t)plan->rand);
  memset(plan, 0, sizeof(*plan));
}

/* Nanoseconds may not hold it: then there is no deadline, and yet a number. */
static uint64_t deadline_s(const struct plan *plan)
{
  const unsigned __int128 ns = (unsigned __int128)plan->warmup_ns +
                               plan->time_ns + plan->grace_ns;

  return (uint64_t)(ns / NS_PER_S);
}

void plan_describe(const struct plan *plan, const char *extra,
                   struct strbuf *out)
{
  uint64_t moments[CORE_CHECKPOINTS_MAX];
  struct text_mode mode = {
    .threads = plan->threads,
    .warmup_s = plan->warmup_ns / NS_PER_S,
    .rate = plan->all_rate,
    .interval_s = (double)plan->interval_ns / (double)NS_PER_S,
    .n_checkpoints = plan->n_checkpoints,
    .checkpoints = moments,
    .debug = plan->debug,
    .validate = plan->validate,
    .seed = plan->seed_given ? (int64_t)plan->seed : 0,
    .forced = plan->grace_shown,
    .extra = extra,
  };

  for (unsigned i = 0; i < plan->n_checkpoints; i++)
    moments[i] = plan->checkpoint_ns[i] / NS_PER_S;
  if (plan->grace_shown)
    mode.forced_s = deadline_s(plan);
  text_mode(out, &mode);
}
