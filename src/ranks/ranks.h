/*
 * ranks.h - one run of several ranks: how the program joins the others, what
 * rank 0 sends them, and how they part.
 *
 * mpirun starts the program on several machines, and the program notices it by
 * the engine's variables.  Everything is made of messages between two ranks
 * (cluster/link.h), the same for every engine:
 *
 *   one plan    rank 0 sends its arguments, files, variables, seed and script;
 *               each rank makes the plan from them and takes its share
 * (share.c) one start   rank 0 asks each rank for its clock, and the shortest
 * round trip counts; the start is sent as a moment of each rank's clock
 *               (cluster/sync.h)
 *   one report  a reporter before the others sends reports to rank 0, which
 *               adds them up and passes the sum on (report.c, mail.c)
 *   one end     a rank that stops informs rank 0, which informs all; then come
 *               the last reports, each rank's report about itself, and the
 *               confirmation of rank 0 that it has everything (end.c)
 *
 * src/run knows only struct peers and the share in the plan.  If a rank is late
 * with an interval, rank 0 waits for half an interval; the late report is added
 * to the next one.  A rank that is silent for 15 seconds, or is missing when
 * the launcher has sent SIGTERM to all, is lost: that ends the run, and the
 * others report without it.  MPICH's launcher kills instead, so the process
 * that it has started becomes a keeper, and a child of it works
 * (cluster/keeper.h).
 */
#ifndef BENCH_RANKS_H
#define BENCH_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cluster/post.h"
#include "lua/find/bundle.h"
#include "lua/find/resolve.h"

struct cluster;
struct err;
struct ranks;
struct peers;
struct plan;
struct plan_part;
struct program;

/* A file of options, as rank 0 has read it. */
struct ranks_file {
  char *path; /* owned */
  struct strbuf text;
};

/*
 * The part of the program in a run of several ranks.  The command line,
 * configuration files, variables of the environment, the seed, the script and
 * its modules come from rank 0, so that every rank makes the same plan of them.
 */
struct ranks {
  struct cluster *cluster; /* owned */
  unsigned rank, size;
  pid_t keeper;              /* 0: none */
  struct post_events events; /* while a run listens */
  bool shared; /* rank 0 has told the others what to do, or that there is
                  nothing */

  /* Recorded by rank 0, and received by the others. */
  uint64_t seed;
  uint64_t token; /* a number that identifies this run */
  int argc;
  char **argv;              /* owned by the other ranks, with its strings */
  struct ranks_file *files; /* owned */
  size_t n_files;
  char *password; /* [opt] owned: a password that rank 0 has read */
  bool has_script;
  struct resolved what; /* owned by the other ranks */
  struct bundle bundle;
};

/*
 * If the process was launched as one of several: join the other ranks and,
 * unless it is rank 0, wait for its data.  *ret is NULL if there are no other
 * ranks, or if each process does a run of its own.  *ret_go is false if there
 * is nothing to do, because rank 0 has already done it.
 */
int ranks_join(struct ranks **ret, int argc, char **argv, bool *ret_go,
               struct err *err);

/* For struct cmdline_input: loads the configuration files of rank 0. */
int ranks_load(void *ranks, const char *path, char **ret_text, size_t *ret_len);

/* The same for a file that is in different places on different machines: rank 0
 * reads `path`, and all ranks know the text as `name`. */
int ranks_load_as(struct ranks *ranks, const char *name, const char *path,
                  char **ret_text, size_t *ret_len);

/*
 * In rank 0, after the plan is made and the script is loaded: send the other
 * ranks the data that they need.  `what` is NULL for built-in tests.  Does
 * nothing in other ranks, or if there are none.
 */
int ranks_share(struct ranks *ranks, const struct resolved *what,
                const struct plan *plan, struct err *err);

/* In rank 0: let each process do a run of its own.  Ends *ranks. */
void ranks_let_go(struct ranks **ranks);

/*
 * What this process does of a run with so many threads in each.  `peers` is
 * borrowed, and *ret borrows from `ranks`.  -ERANGE: too many threads in all.
 */
int ranks_part(const struct ranks *ranks, unsigned threads,
               const struct peers *peers, struct plan_part *ret,
               struct err *err);

/* Leave the run; returns the exit status of this process.  Ends `ranks`. */
int ranks_leave(struct ranks *ranks, int status);

#endif
