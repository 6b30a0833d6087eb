#include "run/plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/fmt.h"
#include "base/minmax.h"
#include "loop/loop.h"
#include "report/text.h"
#include "run/load_curve.h"
#include "run/peers.h"
#include "stats/rand/dist.h"
#include "stats/rand/rng.h"

/* If automatic. */
#define GRACE_AUTO_NS (30 * NS_PER_S)

/* For Lua, client libraries and error reports. */
#define SMALLEST_STACK ((size_t)64 << 10)

#define SAMPLE_NS NS_PER_S

/* At most about 2^32 seconds. */
static uint64_t plan_ns_of(double seconds)
{
  return (uint64_t)llround(seconds * (double)NS_PER_S);
}

static uint64_t plan_percent_of(uint64_t ns, uint64_t percent)
{
  const unsigned __int128 part = (unsigned __int128)ns * percent / 100;

  return part >= PLAN_NO_LIMIT ? PLAN_NO_LIMIT - 1 : (uint64_t)part;
}

static void plan_set_grace(struct plan *plan, bool no_deadline)
{
  const struct forced_shutdown forced = plan->cfg.forced_shutdown;
  const uint64_t five = plan->time_ns == PLAN_NO_LIMIT
                          ? GRACE_AUTO_NS
                          : plan_percent_of(plan->time_ns, 5);

  plan->grace_ns = PLAN_NO_LIMIT;
  switch (forced.kind) {
  case FORCED_AUTO:
    plan->grace_auto = true;
    if (!no_deadline)
      plan->grace_ns = five > GRACE_AUTO_NS ? five : GRACE_AUTO_NS;
    break;
  case FORCED_OFF:
    break;
  case FORCED_SECONDS:
    plan->grace_ns = plan_ns_of(forced.seconds);
    break;
  case FORCED_PERCENT:
    if (plan->time_ns != PLAN_NO_LIMIT)
      plan->grace_ns = plan_percent_of(plan->time_ns, forced.percent);
    break;
  }
  plan->grace_shown = !plan->grace_auto && plan->grace_ns != PLAN_NO_LIMIT &&
                      plan->time_ns != PLAN_NO_LIMIT;
}

static int plan_read_lists(struct plan *plan, struct err *err)
{
  const size_t n = plan->cfg.report_checkpoints.n;
  const size_t k = plan->report.percentile_list.n;
  uint64_t *moments = calloc(n + 1, sizeof(*moments));
  double *percentiles = calloc(k + 1, sizeof(*percentiles));

  plan->checkpoint_ns = moments;
  plan->report.percentiles = percentiles;
  if (!moments || !percentiles)
    return err_set(err, -ENOMEM, "cannot allocate the plan of the run");
  plan->n_checkpoints = (unsigned)run_checkpoints(&plan->cfg, moments);
  for (size_t i = 0; i < plan->n_checkpoints; i++)
    moments[i] *= NS_PER_S;
  plan->report.n_percentiles = (unsigned)report_percentiles(&plan->report,
                                                            percentiles);
  return 0;
}

static int plan_set_random(struct plan *plan, const struct plan_input *in,
                           struct err *err)
{
  const int64_t seed = in->rand->seed;
  struct rand_params *params = malloc(sizeof(*params));

  if (!params)
    return err_set(err, -ENOMEM, "cannot allocate the plan of the run");
  rand_params_init(params, in->rand);
  plan->rand = params;
  plan->rand_type_given = in->rand_type_given;
  plan->seed_given = seed != 0;
  if (plan->seed_given)
    plan->seed = (uint64_t)seed;
  else
    plan->seed = in->seed_from_clock ? (uint64_t)rand_seed_from_clock()
                                     : RNG_SEED_FIXED;
  if (in->part && in->part->seed)
    plan->seed = *in->part->seed;
  return 0;
}

/* Shares differ by at most one. */
static uint64_t plan_share_of(uint64_t whole, unsigned part, unsigned parts)
{
  return whole / parts + (part < whole % parts);
}

static void plan_set_work(struct plan *plan, const struct plan_input *in)
{
  const struct run_cfg *run = in->run;
  const struct plan_part alone = {
    .parts = 1,
    .all_threads = run_workers(run, in->clients),
  };
  const struct plan_part *own = in->part ? in->part : &alone;

  plan->threads = run_workers(run, in->clients);
  plan->clients = in->clients && run->clients > 0;
  plan->may_carry = in->clients && run->clients == 0 &&
                    in->identity == IDENTITY_BENCH;
  plan->first_thread = own->first_thread;
  plan->all_threads = own->all_threads;
  plan->part = own->part;
  plan->parts = own->parts;
  plan->peers = own->peers;
  plan->rate = run->rate / own->parts;
  plan->events = run->events > 0 && !in->own_limit
                   ? plan_share_of(run->events, own->part, own->parts)
                   : PLAN_NO_LIMIT;
}

static int plan_set_idle(struct plan *plan, const struct plan_input *in,
                         struct err *err)
{
  if (!in->clients) /* the command runs no events */
    return 0;
  return idle_share_count(&in->run->idle_clients, plan->threads, &plan->idle,
                          err);
}

/* After all other clients. */
static int plan_set_storm(struct plan *plan, const struct plan_input *in,
                          struct err *err)
{
  const struct storm_plan *storm = &in->run->storm;
  uint64_t last_ns;

  if (storm->n == 0)
    return 0;
  if (!in->clients) /* the command runs no events */
    return 0;
  last_ns = storm->of[storm->n - 1].at_ns;
  if (last_ns >= plan->time_ns)
    return err_set(err, -EINVAL,
                   "--storm=%s: the run ends after %.10g s, so the storm at "
                   "%.10g s would never come",
                   storm->text, in->run->time_s,
                   (double)last_ns / (double)NS_PER_S);
  plan->storm = *storm;
  plan->threads += storm->clients;
  return 0;
}

/* A client with its own thread needs no loop. */
static void plan_set_carriers(struct plan *plan, const struct plan_input *in)
{
  const uint64_t threads = plan->cfg.threads;

  if (plan->clients && (plan->threads > threads || in->share ||
                        plan->cfg.client_engine != LOOP_AUTO))
    plan->carriers = (unsigned)min_u64(threads, plan_clients(plan));
}

/* `all` are dealt to `to` places in turn: the number at `at`. */
static uint64_t plan_dealt(unsigned all, unsigned to, unsigned at)
{
  return all / to + (at < all % to);
}

bool plan_is_idle(const struct plan *plan, unsigned index)
{
  const unsigned carriers = plan->carriers > 0 ? plan->carriers : 1;
  const unsigned carrier = index % carriers;
  const uint64_t row = index / carriers;
  const unsigned all = plan_clients(plan);
  const uint64_t here = plan_dealt(all, carriers, carrier);
  const uint64_t work = plan_dealt(all - plan->idle, carriers, carrier);

  return row * work % here >= work;
}

const char *plan_rated_by(const struct plan *plan)
{
  if (plan->curve)
    return "load-profile";
  return plan->rate > 0.0 ? "rate" : NULL;
}

static int plan_set_curve(struct plan *plan, struct err *err)
{
  const char *profile = plan->cfg.load_profile;

  /* Tests have no rows. */
  if (!profile || !*profile)
    return 0;
  return load_profile_read(&plan->curve, profile, err);
}

static void plan_set_report(struct plan *plan, const struct plan_input *in)
{
  struct report_setup *setup = &plan->report;

  *setup = *in->report;
  setup->layout_1_1 = in->compat == COMPAT_1_1;
  setup->per_thread = in->run->debug;
  setup->rate = plan_rated_by(plan) != NULL;
  setup->profile = plan->curve != NULL;
  setup->statement_times = in->statement_times;
  setup->percentile_given = in->percentile_given;
  setup->stall_given = in->stall_given;
  setup->details = in->details ||
                   (setup->slo.n > 0 && in->run->report_checkpoints.n > 0);
  setup->as_sysbench = in->identity == IDENTITY_SYSBENCH;
  setup->interval_decimals = fmt_decimals(in->run->report_interval_s);
}

static uint64_t plan_init_timeout(const struct plan *plan,
                                  const struct plan_input *in)
{
  double s = in->run->thread_init_timeout_s;

  if (s <= 0)
    return PLAN_NO_LIMIT;
  if (in->start_rate > 0)
    s += plan->all_threads / in->start_rate;
  return s < UINT32_MAX ? plan_ns_of(s) : PLAN_NO_LIMIT;
}

int plan_init(struct plan *plan, const struct plan_input *in, struct err *err)
{
  const struct run_cfg *run = in->run;
  int rc;

  memset(plan, 0, sizeof(*plan));
  plan->cfg = *run;
  plan->compat = in->compat;
  plan->identity = in->identity;
  plan_set_work(plan, in);
  plan->stack_bytes = run->thread_stack_size > SMALLEST_STACK
                        ? run->thread_stack_size
                        : SMALLEST_STACK;
  plan->init_timeout_ns = plan_init_timeout(plan, in);
  plan->time_ns = run->time_s > 0 ? plan_ns_of(run->time_s) : PLAN_NO_LIMIT;
  plan->warmup_ns = plan_ns_of(run->warmup_time_s);
  plan->stall_ns = (uint64_t)(run->stall_s * (double)NS_PER_S);
  plan->idle_ping_ns = (uint64_t)(run->idle_ping_s * (double)NS_PER_S);
  plan->interval_ns = plan_ns_of(run->report_interval_s);
  if (in->details || in->live)
    plan->sample_ns = SAMPLE_NS;
  plan_set_grace(plan, in->no_deadline);
  plan->patient = plan->grace_auto && !in->time_given;
  rc = plan_set_idle(plan, in, err);
  if (rc == 0)
    rc = plan_set_storm(plan, in, err);
  plan_set_carriers(plan, in);
  if (rc == 0)
    rc = plan_set_curve(plan, err);
  plan_set_report(plan, in);
  if (rc == 0)
    rc = plan_read_lists(plan, err);
  plan->percentiles = plan->report.percentile > 0.0 || plan->report.histogram ||
                      plan->report.n_percentiles > 0 || plan->report.details ||
                      slo_needs_histogram(&plan->report.slo);
  plan->classes = plan->report.details || in->classes ||
                  plan->report.class_table;
  plan->kept = in->kept || plan->report.details;
  plan->event_rings = in->event_rings;
  if (rc == 0)
    rc = plan_set_random(plan, in, err);
  if (rc < 0)
    plan_done(plan);
  return rc;
}

double plan_hot_keys(const struct plan *plan, unsigned *ret_pct)
{
  const struct rand_params *rand = plan->rand;

  if (plan->rand_type_given || !rand || rand->type != RAND_SPECIAL)
    return 0;
  *ret_pct = rand->hot_pct;
  return 1 - (double)rand->hot_from / 0x1p53;
}

void plan_done(struct plan *plan)
{
  if (!plan)
    return;
  free((void *)(uintptr_t)plan->checkpoint_ns);
  free((void *)(uintptr_t)plan->report.percentiles);
  free((void *)(uintptr_t)plan->rand);
  load_curve_free(plan->curve);
  memset(plan, 0, sizeof(*plan));
}

void plan_divide_folder(const struct plan *plan, const char *path,
                        unsigned *ret_part, unsigned *ret_parts)
{
  *ret_part = 0;
  *ret_parts = 1;
  if (plan->peers)
    plan->peers->divide_folder(plan->peers->ctx, path, ret_part, ret_parts);
}

/* Can be too large for ns. */
static uint64_t plan_deadline_s(const struct plan *plan)
{
  const unsigned __int128 ns = (unsigned __int128)plan->warmup_ns +
                               plan->time_ns + plan->grace_ns;

  return (uint64_t)(ns / NS_PER_S);
}

/* Programs expect sysbench's line. */
static unsigned plan_carriers_shown(const struct plan *plan)
{
  if (!plan->clients || plan->identity == IDENTITY_SYSBENCH)
    return 0;
  return plan->carriers > 0 ? plan->carriers : plan_clients(plan);
}

void plan_describe(const struct plan *plan, const char *extra,
                   struct strbuf *out)
{
  uint64_t moments[RUN_CHECKPOINTS_MAX];
  struct text_mode mode = {
    .threads = plan_clients(plan),
    .carriers = plan_carriers_shown(plan),
    .idle = plan->idle,
    .storm = plan->storm.n > 0 ? plan->storm.text : NULL,
    .warmup_s = plan->warmup_ns / NS_PER_S,
    .rate = plan->cfg.rate,
    .profile = plan->cfg.load_profile,
    .interval_s = (double)plan->interval_ns / (double)NS_PER_S,
    .n_checkpoints = plan->n_checkpoints,
    .checkpoints = moments,
    .debug = plan->cfg.debug,
    .validate = plan->cfg.validate,
    .seed = plan->seed_given ? (int64_t)plan->seed : 0,
    .forced = plan->grace_shown,
    .extra = extra,
  };

  for (unsigned i = 0; i < plan->n_checkpoints; i++)
    moments[i] = plan->checkpoint_ns[i] / NS_PER_S;
  if (plan->grace_shown)
    mode.forced_s = plan_deadline_s(plan);
  text_mode(out, &mode);
}
