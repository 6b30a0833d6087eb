/*
 * ranks.h - one run by several processes: how the program joins the others,
 * what process 0 tells them, and how they part.
 *
 * mpirun starts the program on several machines, and the program notices it by
 * the engine's variables.  Everything is made of messages between two ranks
 * (cluster/link.h), the same for every engine:
 *
 *   one plan    rank 0 sends its arguments, files, variables, seed and script;
 *               each rank makes the plan of them and takes its share (share.c)
 *   one start   rank 0 asks each for its clock, the shortest round trip counts;
 *               the start is sent as a moment of each clock (cluster/sync.h)
 *   one report  a reporter in front of the others sends reports to rank 0,
 *               which adds them up and hands on the sum (report.c, mail.c)
 *   one end     who stops tells rank 0, which tells all; then come the last
 *               reports, what each says of itself, and rank 0's word that it
 *               has everything (end.c)
 *
 * src/run knows only struct peers and the share in the plan.  A rank that is
 * late with an interval is waited for for half an interval; what it says then
 * is added to the next one.  A rank that says nothing for 15 seconds, or is
 * missing when the engine has sent SIGTERM to all, is lost: that ends the run,
 * and the others report without it.  MPICH's launcher kills instead, so what it
 * has started becomes a keeper, and a child of it works (cluster/keeper.h).
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

/* A file of options, as process 0 has read it. */
struct ranks_file {
  char *path; /* owned */
  struct strbuf text;
};

/*
 * The part of the program in a run of several ranks.  The command line,
 * configuration files, variables of the environment, the seed, the script and
 * its modules come from process 0, so that every process makes the same plan of
 * them.
 */
struct ranks {
  struct cluster *cluster; /* owned */
  unsigned rank, size;
  pid_t keeper;              /* 0: none */
  struct post_events events; /* while a run listens */
  bool shared; /* process 0 has told the others what to do, or not to */

  /* Recorded by process 0, given to the others. */
  uint64_t seed;
  uint64_t token; /* a number of this run */
  int argc;
  char **argv;              /* owned by the others, with its strings */
  struct ranks_file *files; /* owned */
  size_t n_files;
  char *password; /* [opt] owned: one that process 0 has read */
  bool has_script;
  struct resolved what; /* owned by the others */
  struct bundle bundle;
};

/*
 * If the process was launched as one of several: join the others and, unless it
 * is process 0, wait for what it tells.  *ret is NULL where there are no
 * others, or each process does a run of its own.  *ret_go false: there is
 * nothing to do, process 0 has seen to it.
 */
int ranks_join(struct ranks **ret, int argc, char **argv, bool *ret_go,
               struct err *err);

/* For struct cmdline_input: configuration files of process 0. */
int ranks_load(void *ranks, const char *path, char **ret_text, size_t *ret_len);

/* The same for a file whose place differs between machines: process 0 reads
 * `path`, and all know the text as `name`. */
int ranks_load_as(struct ranks *ranks, const char *name, const char *path,
                  char **ret_text, size_t *ret_len);

/*
 * By process 0, when the plan is made and the script is loaded: give the others
 * what they need.  `what` is NULL for built-in tests.  Nothing happens in the
 * others, or where there are none.
 */
int ranks_share(struct ranks *ranks, const struct resolved *what,
                const struct plan *plan, struct err *err);

/* By process 0: each process does a run of its own.  Ends *ranks. */
void ranks_let_go(struct ranks **ranks);

/*
 * What this process does of a run with so many threads in each.  `peers` is
 * borrowed, and *ret borrows from `ranks`.  -ERANGE: too many threads in all.
 */
int ranks_part(const struct ranks *ranks, unsigned threads,
               const struct peers *peers, struct plan_part *ret,
               struct err *err);

/* Part; returns the exit status of this process.  Ends `ranks`. */
int ranks_leave(struct ranks *ranks, int status);

#endif
