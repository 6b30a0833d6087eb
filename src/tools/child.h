/*
 * child.h - the program started again with other arguments, one process at a
 * time, and what the terminal asks for in the meantime.
 *
 * A child has a process group of its own, so that Ctrl-C reaches only us: the
 * first one is kept in mind, the next ones are passed on.  SIGTERM, SIGHUP and
 * SIGXCPU are passed on at once.  A child ends when we do.
 */
#ifndef BENCH_TOOLS_CHILD_H
#define BENCH_TOOLS_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct err;

struct children {
  int signal;         /* SIGINT or SIGTERM has come; 0: neither */
  uint64_t signal_ns; /* when it did */
  sigset_t old;       /* the mask before */
  bool blocked;       /* signals are */
  bool hangup;        /* SIGHUP is not ignored */
};

/* Where the output of a child goes. */
enum child_out {
  CHILD_OUT_SAME,   /* where ours goes */
  CHILD_OUT_STDERR, /* to the standard error */
  CHILD_OUT_NONE,   /* nowhere */
};

struct child_command {
  char *const *argv; /* ends with NULL */
  enum child_out out;
  int err_fd; /* the standard error goes there; -1: where ours goes */
};

/* Signals are blocked in between.  SIGCHLD must not be ignored. */
int children_begin(struct children *c, struct err *err);
void children_end(struct children *c);

/* Run one to its end.  *ret_status is what a shell would show: the exit
 * status, or 128 plus the signal that it died of. */
int children_run(struct children *c, const struct child_command *what,
                 int *ret_status, struct err *err);

/* Wait; shorter when a signal comes. */
void children_pause(struct children *c, double seconds);

#endif
