/*
 * child.h - runs this program, or another, as a child; temporary files for
 * children.
 *
 * A child has its own process group, so that Ctrl-C reaches only this process,
 * which remembers the first and passes on the next.  SIGTERM, SIGHUP and
 * SIGXCPU are passed on at once.  A child ends when this process does.
 */
#ifndef BENCH_TOOLS_CHILD_H
#define BENCH_TOOLS_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"

struct err;
struct strbuf;

struct children {
  const char *words; /* borrowed; the effect of the first Ctrl-C */
  int signal;        /* 0: none */
  uint64_t signal_ns;
  sigset_t old; /* mask before */
  bool blocked;
  bool hangup; /* SIGHUP is not ignored */
};

enum child_out {
  CHILD_OUT_SAME,
  CHILD_OUT_STDERR,
  CHILD_OUT_NONE,
  CHILD_OUT_ERR_FD,
};

struct child_command {
  const char *program; /* [opt] its path; NULL: this program again */
  char *const *argv;   /* ends with NULL */
  char *const *env;    /* [opt] NULL: as of this process */
  enum child_out out;
  int err_fd;         /* -1: as of this process */
  const char *folder; /* [opt] working directory */
};

/* Signals are blocked until children_end().  SIGCHLD must not be ignored.
 * `words` are borrowed until then and printed at the first Ctrl-C. */
int children_begin(struct children *c, const char *words, struct err *err);
void children_end(struct children *c);

/* *ret_status is as in a shell: the exit status, or 128 plus the signal. */
int children_run(struct children *c, const struct child_command *what,
                 int *ret_status, struct err *err);

/* A signal ends the pause early. */
void children_pause(struct children *c, double seconds);

/* Arguments, or an environment; {0} is empty. */
struct child_words {
  char **of; /* owned; ends with NULL; NULL: empty */
  size_t n;
  bool failed; /* out of memory */
};

/* Takes `text` over; NULL: out of memory. */
void child_words_add(struct child_words *w, char *text);
void child_words_addf(struct child_words *w, const char *fmt, ...)
  PRINTF_LIKE(2, 3);
/* Frees `b`. */
void child_words_take(struct child_words *w, struct strbuf *b);
void child_words_add_option(struct child_words *w, const char *name,
                            const char *value);
void child_words_done(struct child_words *w);

/*
 * A folder in TMPDIR, /tmp, the folder of the file `beside` ("" or "-": none),
 * or in memory, with a warning.  *ret is the whole path, owned by the caller;
 * free with child_scratch_remove().
 */
int child_scratch(const char *beside, char **ret, struct err *err);
/* Below `below`, with a name that begins with `name`. */
int child_scratch_in(const char *below, const char *name, char **ret,
                     struct err *err);

/* In memory; children do not inherit the file.  NULL: errno is set. */
FILE *scratch_file(void);

/* Also removes its files; frees the name.  NULL is allowed. */
void child_scratch_remove(char *folder);

#endif
