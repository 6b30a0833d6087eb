/*
 * nodes.h - one run of several processes, the ranks of MPI.
 *
 *   plan    nodes.c: rank 0 sends arguments, files, variables, seed and script;
 *           each rank makes the plan and takes its share
 *   start   cluster.h: a moment of each rank's clock
 *   report  report.c, mail.c: rank 0 adds up
 *   end     report.c: a rank that stops informs rank 0, which informs all; then
 *           come last reports, each rank's end, and rank 0's confirmation.
 *
 * Rank 0 waits half an interval for a late report, which is added to the next.
 * A rank that is silent for 15 seconds, or missing after the launcher's
 * SIGTERM, is lost: the run ends, and the others report.
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
struct strbuf;

struct nodes_file {
  char *path; /* owned */
  struct strbuf text;
};

/* Arguments, files, variables, seed and script come from rank 0, so that all
 * ranks make the same plan. */
struct nodes {
  struct cluster *cluster; /* owned */
  unsigned rank, size;
  pid_t keeper; /* 0: none */
  struct post_events events;
  bool shared;

  uint64_t seed;
  uint64_t token; /* identifies this run */
  int argc;
  char **argv;              /* owned by the other ranks */
  struct nodes_file *files; /* owned */
  size_t n_files;
  char *password;
  bool has_script;
  struct resolved what; /* owned by the other ranks */
  struct bundle bundle;
};

/* If launched as one of several: joins and, unless rank 0, WAITS for its data.
 * *ret NULL: each process runs alone. *ret_go false: rank 0 has done all. */
int nodes_join(struct nodes **ret, int argc, char **argv, bool *ret_go,
               struct err *err);

/* For struct cmdline_input: configuration files of rank 0. */
int nodes_load(void *ranks, const char *path, char **ret_text, size_t *ret_len);

/* Rank 0 reads `path`; all ranks use the text as `name`. */
int nodes_load_as(struct nodes *ranks, const char *name, const char *path,
                  char **ret_text, size_t *ret_len);

/* On rank 0, with the plan and the script; elsewhere, or if `ranks` is NULL,
 * without effect. `what`: NULL for built-in tests. */
int nodes_share(struct nodes *ranks, const struct resolved *what,
                const struct plan *plan, struct err *err);

/* On rank 0: each process runs alone. Frees *ranks. */
void nodes_let_go(struct nodes **ranks);

/* `peers` is borrowed, and *ret borrows from `ranks`. -ERANGE: too many
 * threads. */
int nodes_part(const struct nodes *ranks, unsigned threads,
               const struct peers *peers, struct plan_part *ret,
               struct err *err);

/* WAITS. Returns the exit status of this process. Frees `ranks`. */
int nodes_leave(struct nodes *ranks, int status);

void nodes_peers_init(struct peers *peers, struct nodes *ranks);

enum share_kind {
  SHARE_END, /* nothing to do */
  SHARE_ALONE,
  SHARE_RUN,
};

/* Command line, files, variables (with passwords), script. Never printed. */
void nodes_share_write(const struct nodes *ranks, enum share_kind kind,
                       struct strbuf *out);

/* On another rank, before threads read the environment. */
int nodes_share_read(struct nodes *ranks, const void *bytes, size_t len,
                     bool *ret_alone, bool *ret_go, struct err *err);

/* first .. first + threads - 1 of all. -ERANGE: too many. */
struct split_threads {
  unsigned first, all;
};

int split_threads(unsigned threads, unsigned rank, unsigned ranks,
                  struct split_threads *ret);

#endif
