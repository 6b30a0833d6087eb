/*
 * ack.c - see ack.h.
 */
#include "program/ack.h"

#include <inttypes.h>

#include "ack/log.h"
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

int program_open_ack(const struct job *job, struct ack_log **ret)
{
  struct err err = { "" };

  if (!*job->p->opts.ack.log)
    return EXIT_OK;
  if (ack_log_open(ret, job->p->opts.ack.log, job->plan->threads, job->name,
                   &err) < 0)
    return program_fail(&err);
  return EXIT_OK;
}

int program_end_ack(const struct job *job, struct ack_log *log)
{
  const char *file = job->p->opts.ack.log;
  struct ack_totals t;
  struct err err = { "" };

  if (!log)
    return EXIT_OK;
  if (ack_log_finish(log, !leave_any(&job->p->leave), &t, &err) < 0)
    return program_fail(&err);
  if (t.acked + t.aborted + t.unknown == 0)
    log_msg(LOG_WARNING,
            "--ack-log: nothing was named in '%s': the script has to call "
            "sysbench.ack() before each COMMIT",
            file);
  else
    log_msg(LOG_NOTICE,
            "\nAcknowledgement log '%s': %" PRIu64 " acknowledged, %" PRIu64
            " aborted, %" PRIu64 " unknown\n",
            file, t.acked, t.aborted, t.unknown);
  return EXIT_OK;
}
