/*
 * nodes.h - one run of several processes, the ranks of MPI: how the program
 * joins the others, what rank 0 sends them, and how they part.
 *
 * mpirun starts the program on several machines.  The program notices that by
 * the engine's variables.  All traffic is messages between two ranks (link.h),
 * the same for every engine:
 *
 * - One plan (nodes.c).  Rank 0 sends its arguments, files, variables, seed and
 * script; each rank makes the plan from them and takes its share.  - One start
 * (cluster.h).  Rank 0 asks each rank for its clock, and the shortest round
 * trip counts; the start is a moment of each rank's clock.  - One report
 * (report.c, mail.c).  A reporter before the others sends reports to rank 0,
 * which adds them up and passes the sum on.  - One end (report.c).  A rank that
 * stops informs rank 0, which informs all.  Then come the last reports, each
 * rank's report about itself, and the confirmation of rank 0 that it has
 * everything.
 *
 * src/run has only struct peers and the share in the plan.  If a rank is late
 * with an interval, rank 0 waits for half an interval; the late report is added
 * to the next one.  A rank that is silent for 15 seconds, or is missing when
 * the launcher has sent SIGTERM to all, is lost: that ends the run, and the
 * others report without it.
 */
#ifndef BENCH_NODES_NODES_H
#define BENCH_NODES_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lua/find/bundle.h"
#include "lua/find/resolve.h"
#include "nodes/post.h"

struct cluster;
struct err;
struct nodes;
struct peers;
struct plan;
struct plan_part;
struct program;
struct strbuf;

/* A file of options, as rank 0 has read it. */
struct nodes_file {
  char *path; /* owned */
  struct strbuf text;
};

/*
 * The part of the program in a run of several ranks.  The command line,
 * configuration files, variables of the environment, the seed, the script and
 * its modules come from rank 0, so that every rank makes the same plan of them.
 */
struct nodes {
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
  struct nodes_file *files; /* owned */
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
int nodes_join(struct nodes **ret, int argc, char **argv, bool *ret_go,
               struct err *err);

/* For struct cmdline_input: loads the configuration files of rank 0. */
int nodes_load(void *ranks, const char *path, char **ret_text, size_t *ret_len);

/* The same for a file that is in different places on different machines: rank 0
 * reads `path`, and all ranks know the text as `name`. */
int nodes_load_as(struct nodes *ranks, const char *name, const char *path,
                  char **ret_text, size_t *ret_len);

/*
 * In rank 0, after the plan is made and the script is loaded: send the other
 * ranks the data that they need.  `what` is NULL for built-in tests.  Does
 * nothing in other ranks, or if there are none.
 */
int nodes_share(struct nodes *ranks, const struct resolved *what,
                const struct plan *plan, struct err *err);

/* In rank 0: let each process do a run of its own.  Ends *ranks. */
void nodes_let_go(struct nodes **ranks);

/*
 * What this process does of a run with so many threads in each.  `peers` is
 * borrowed, and *ret borrows from `ranks`.  -ERANGE: too many threads in all.
 */
int nodes_part(const struct nodes *ranks, unsigned threads,
               const struct peers *peers, struct plan_part *ret,
               struct err *err);

/* Leave the run; returns the exit status of this process.  Ends `ranks`. */
int nodes_leave(struct nodes *ranks, int status);

/* ---- the data that rank 0 sends to the other ranks, as bytes ---- */

enum share_kind {
  SHARE_END,   /* there is nothing to do */
  SHARE_ALONE, /* each process does a run of its own */
  SHARE_RUN,
};

/*
 * Pack the command line, the files, the relevant part of the environment (with
 * passwords), and the script.  None of it is ever printed.
 */
void nodes_share_write(const struct nodes *ranks, enum share_kind kind,
                       struct strbuf *out);

/* Unpack it into the struct nodes of another rank, and into its environment.
 * Call it before there are threads that read the environment. */
int nodes_share_read(struct nodes *ranks, const void *bytes, size_t len,
                     bool *ret_alone, bool *ret_go, struct err *err);

/* ---- which threads a rank has ---- */

/* The workers of a rank: it has first .. first + threads - 1 of all. */
struct split_threads {
  unsigned first, all;
};

/* Returns -ERANGE if there are too many in all. */
int split_threads(unsigned threads, unsigned rank, unsigned ranks,
                  struct split_threads *ret);

#endif
