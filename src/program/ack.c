/*
 * ack.c - see ack.h.
 */
#include "program/ack.h"

#include <inttypes.h>

#include "ack/log.h"
#include "ack/sender.h"
#include "base/err.h"
#include "base/log.h"
#include "program/internal.h"
#include "program/source.h"
#include "run/runner.h"

int program_check_ack(struct program *p)
{
  if (!*p->opts.ack.log || !program_is_run(p))
    return EXIT_OK;
  if (source_of(p) != &source_script)
    return program_complain("--ack-log is for scripts that call "
                            "sysbench.ack(), such as the workload ack");
  if (p->ranks)
    return program_complain("--ack-log cannot be used by several processes in "
                            "one run (see --cluster)");
  if (sweep_wanted(&p->opts.sweep))
    return program_complain("--ack-log cannot be used with --sweep, --repeat "
                            "or --find: each run needs a log of its own");
  return EXIT_OK;
}

/* ---- what the sender of a log has to say ---- */

static void say_lost(void *arg, const char *why)
{
  const struct program *p = arg;

  log_msg(LOG_WARNING,
          "--ack-log=%s: %s; the run goes on, and the log waits for the "
          "listener",
          p->opts.ack.log, why);
}

static void say_back(void *arg)
{
  const struct program *p = arg;

  log_msg(LOG_WARNING, "--ack-log=%s: the listener has all of the log again",
          p->opts.ack.log);
}

static void say_full(void *arg)
{
  const struct program *p = arg;

  log_msg(LOG_WARNING,
          "--ack-log=%s: the listener is too slow; the run goes on, and what "
          "it does now is not in the log",
          p->opts.ack.log);
}

int program_open_ack(const struct job *job, struct ack_log **ret)
{
  const struct ack_notices notices = {
    .arg = job->p, .lost = say_lost, .back = say_back, .full = say_full
  };
  struct err err = { "" };

  if (!*job->p->opts.ack.log)
    return EXIT_OK;
  if (ack_log_open(ret, job->p->opts.ack.log, job->plan->threads, job->name,
                   &notices, &err) < 0)
    return program_fail(&err);
  return EXIT_OK;
}

int program_end_ack(const struct job *job, struct ack_log *log)
{
  const char *file, *address;
  struct ack_totals t;
  struct err err = { "" };

  if (!log)
    return EXIT_OK;
  file = ack_log_name(log);
  address = ack_log_address(job->p->opts.ack.log);
  if (ack_log_finish(log, !leave_any(&job->p->leave), &t, &err) < 0)
    return program_fail(&err);
  if (t.acked + t.aborted + t.unknown == 0)
    log_msg(LOG_WARNING,
            "--ack-log: nothing was named in '%s': the script has to call "
            "sysbench.ack() before each COMMIT",
            file);
  else
    log_msg(LOG_NOTICE,
            "\nAcknowledgement log '%s'%s%s: %" PRIu64 " acknowledged, %" PRIu64
            " aborted, %" PRIu64 " unknown\n",
            file, address ? " at " : "", address ? address : "", t.acked,
            t.aborted, t.unknown);
  return EXIT_OK;
}
