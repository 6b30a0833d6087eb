/*
 * child.h - starts the program again with other arguments, or another one, a
 * process at a time, and handles signals of the terminal in the meantime.
 *
 * A child has a process group of its own, so that Ctrl-C reaches only this
 * process.  The first one is remembered, and the next ones are passed on.
 * SIGTERM, SIGHUP and SIGXCPU are passed on at once.  A child ends when this
 * process does.
 */
#ifndef BENCH_TOOLS_CHILD_H
#define BENCH_TOOLS_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct err;

struct children {
  const char *words;  /* borrowed: what the first Ctrl-C does */
  int signal;         /* SIGINT or SIGTERM has come; 0: neither */
  uint64_t signal_ns; /* when it came */
  sigset_t old;       /* the mask before */
  bool blocked;       /* signals are */
  bool hangup;        /* SIGHUP is not ignored */
};

/* The destination of a child's output. */
enum child_out {
  CHILD_OUT_SAME,   /* the same as of this process */
  CHILD_OUT_STDERR, /* to the standard error */
  CHILD_OUT_NONE,   /* nowhere */
  CHILD_OUT_ERR_FD, /* to err_fd, as its standard error */
};

struct child_command {
  const char *program; /* [opt] its path; NULL: this program again */
  char *const *argv;   /* ends with NULL */
  char *const *env;    /* [opt] ends with NULL; NULL: that of this process */
  enum child_out out;
  int err_fd; /* for its standard error; -1: the same as of this process */
  const char *folder; /* [opt] it works there */
};

/* Signals are blocked in between.  SIGCHLD must not be ignored.  `words`, which
 * are printed at the first Ctrl-C, must live until the end. */
int children_begin(struct children *c, const char *words, struct err *err);
void children_end(struct children *c);

/* Run a child until it ends.  *ret_status is the status that a shell would
 * show: the exit status, or 128 plus the signal that it died of. */
int children_run(struct children *c, const struct child_command *what,
                 int *ret_status, struct err *err);

/* Wait; less if a signal arrives. */
void children_pause(struct children *c, double seconds);

#endif
