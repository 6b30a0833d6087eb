/*
 * find_check.c - what a search cannot be combined with.
 */
#include <errno.h>

#include "base/compiler.h"
#include "base/err.h"
#include "mix/list.h"
#include "program/internal.h"
#include "stats/slo.h"
#include "tools/search.h"
#include "tools/sweep_opts.h"

/* A step is decided after thirty intervals of 20 ms, and after its figures are
 * steady. */
#define FIND_TIME_MIN_S 1.0

/* The first option that means something in a sweep only, or that limits a step
 * of a search in another way than --time; NULL: none is given. */
static const char *alien_to_find(const struct program *p)
{
  static const char *const names[] = { "events", "load-profile",
                                       "reference-every", "sweep-format",
                                       "sweep-stop-on-error" };

  for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
    const struct opt_entry *e = optset_find(&p->set, names[i]);

    if (e && e->given)
      return names[i];
  }
  return NULL;
}

/* What a search could change in a mix. */
static int check_find_mix(const struct program *p, bool *ret_own_clients,
                          struct err *err)
{
  const bool finds_rate = p->opts.sweep.find == SEARCH_RATE;
  const char *what = search_what_name((enum search_what)p->opts.sweep.find);
  struct mix_list list = { 0 };
  size_t rated = 0;
  int rc;

  *ret_own_clients = false;
  if (p->opts.mix.members.n == 0)
    return 0;
  rc = mix_list_parse(&list, &p->opts.mix.members, err);
  for (size_t i = 0; rc == 0 && i < list.n; i++)
    rated += list.of[i].rate > 0;
  if (rc == 0 && !finds_rate && list.dedicated)
    rc = err_set(err, -EINVAL,
                 "--find=%s cannot be used with a --mix whose members have "
                 "clients of their own (%s:%u); give them weights (%s@%u)",
                 what, list.of[0].script, list.of[0].clients, list.of[0].script,
                 list.of[0].clients);
  else if (rc == 0 && finds_rate && rated == list.n)
    rc = err_set(err, -EINVAL,
                 "--find=rate needs a member of the mix without a rate of its "
                 "own");
  *ret_own_clients = rc == 0 && list.dedicated;
  mix_list_done(&list);
  return rc;
}

/*
 * Does the objective fail where the load is too high, and only there?  A lowest
 * throughput fails where it is too low.  Without a limit of time a rate holds
 * that nothing can keep up with: what is queued is no error.
 */
static int check_objective(const struct program *p, struct err *err)
{
  const bool finds_rate = p->opts.sweep.find == SEARCH_RATE;
  bool limits_time = false;
  struct slo slo = { 0 };
  int rc = slo_parse(p->opts.report.objective, &slo, err);

  for (unsigned i = 0; rc == 0 && i < slo.n; i++) {
    limits_time = limits_time || slo.term[i].kind->unit == SLO_NS;
    if (slo.term[i].kind->at_least)
      rc = err_set(err, -EINVAL,
                   "--find cannot be used with '%s' of --slo: a low load has a "
                   "low throughput, whatever is possible; leave it out, and "
                   "see how much the answer is",
                   slo.term[i].text);
  }
  if (rc == 0 && finds_rate && !limits_time)
    rc = err_set(err, -EINVAL,
                 "--find=rate needs a limit of time in --slo, such as "
                 "p99<=10ms: without one a rate holds that is never reached, "
                 "because events that wait are no errors");
  return rc;
}

/* What a search cannot be combined with. */
int program_check_find(const struct program *p, bool *ret_own_clients,
                       struct err *err)
{
  const struct sweep_cfg *cfg = &p->opts.sweep;
  const char *what = search_what_name((enum search_what)cfg->find);
  const struct opt_entry *e = optset_find(&p->set, what);

  if (!*p->opts.report.objective)
    return err_set(err, -EINVAL,
                   "--find=%s needs an objective, such as "
                   "--slo=\"p99<=10ms\"",
                   what);
  if (*cfg->sweeps || cfg->repeat > 1)
    return err_set(err, -EINVAL,
                   "--find chooses the values of its steps, and cannot be used "
                   "with --%s",
                   *cfg->sweeps ? "sweep" : "repeat");
  if (p->opts.run.rate > 0 || (e && e->given))
    return err_set(
      err, -EINVAL, "--find=%s cannot be used with --%s, which it %s", what,
      p->opts.run.rate > 0 ? "rate" : what,
      cfg->find == SEARCH_RATE || p->opts.run.rate <= 0 ? "chooses"
                                                        : "would have to know");
  if (alien_to_find(p))
    return err_set(err, -EINVAL, "--find cannot be used with --%s",
                   alien_to_find(p));
  e = optset_find(&p->set, "think-time");
  if (cfg->find == SEARCH_RATE && e && e->given)
    return err_set(err, -EINVAL,
                   "--find=rate cannot be used with --think-time: a rate says "
                   "when each event is due");
  if (p->opts.run.time_s < FIND_TIME_MIN_S)
    return err_set(err, -EINVAL,
                   "--find needs a --time of at least %d second, the limit of "
                   "each step",
                   (int)FIND_TIME_MIN_S);
  if (check_objective(p, err) < 0)
    return -EINVAL;
  return check_find_mix(p, ret_own_clients, err);
}
