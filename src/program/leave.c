/*
 * leave.c - the end of the program: what is still to be printed, the exit
 * status, and the end of a process that has left threads behind.
 */
#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/err.h"
#include "base/leave.h"
#include "base/log.h"
#include "nodes/nodes.h"
#include "program/internal.h"
#include "run/runner.h"

/*
 * An incomplete text must not look like success.  A user who has closed the
 * standard output does not want any.
 */
static int check_stdout(int status)
{
  struct err err;
  int why;

  if (!log_lost_text(&why) || why == EPIPE || why == EBADF || log_is_unread())
    return status;
  errno = why;
  if (why != 0)
    (void)err_sys(&err, "cannot write to the standard output,");
  else
    (void)err_set(&err, -EIO, "cannot write to the standard output");
  (void)program_fail(&err);
  log_flush();
  return status == EXIT_OK ? EXIT_FAILED : status;
}

int program_finish(struct program *p, int status)
{
  log_flush();
  status = check_stdout(status);
  return p->ranks ? nodes_leave(p->ranks, status) : status;
}

void program_leave(struct program *p, int status)
{
  if (leave_any(&p->leave))
    _exit(program_finish(p, status));
}
