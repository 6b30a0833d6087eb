/*
 * ack.c - see ack.h.
 */
#include "program/ack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "ack/link.h"
#include "ack/log.h"
#include "base/err.h"
#include "base/log.h"
#include "nodes/nodes.h"
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
  if (sweep_wanted(&p->opts.sweep))
    return program_complain("--ack-log cannot be used with --sweep, --repeat "
                            "or --find: each run needs a log of its own");
  return EXIT_OK;
}

int program_open_ack(const struct job *job, struct ack_log **ret)
{
  const struct program *p = job->p;
  const char *where = p->opts.ack.log;
  struct err err = { "" };
  char *own = NULL;
  int rc = 0;

  if (!*where)
    return EXIT_OK;
  if (p->ranks && p->ranks->rank > 0 && !ack_link_address(where)) {
    own = program_rank_file(where, p->ranks->rank);
    rc = own ? 0 : err_set(&err, -ENOMEM, "not enough memory for --ack-log");
  }
  if (rc == 0)
    rc = ack_log_open(ret, own ? own : where, job->plan->threads,
                      job->plan->first_thread, job->name, &err);
  if (rc == 0 && p->ranks)
    rc = ack_log_part(*ret, p->ranks->token, p->ranks->rank, p->ranks->size,
                      &err);
  free(own);
  return rc < 0 ? program_fail(&err) : EXIT_OK;
}

int program_end_ack(const struct job *job, struct ack_log *log)
{
  const char *file, *address;
  struct ack_totals t;
  struct err err = { "" };

  if (!log)
    return EXIT_OK;
  file = ack_log_name(log);
  address = ack_link_address(job->p->opts.ack.log);
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
  if (job->p->ranks && address)
    log_msg(LOG_NOTICE, "The listener has a log of each other process, too.\n");
  else if (job->p->ranks)
    log_msg(LOG_NOTICE,
            "The other processes have logs of their own: '%s.rank1' and so "
            "on.\n",
            file);
  return EXIT_OK;
}
