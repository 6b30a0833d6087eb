/*
 * share.h - what process 0 tells the others, as bytes.
 */
#ifndef BENCH_RANKS_SHARE_H
#define BENCH_RANKS_SHARE_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct ranks;
struct strbuf;

enum share_kind {
  SHARE_END,   /* nothing is to be done */
  SHARE_ALONE, /* each process does a run of its own */
  SHARE_RUN,
};

/*
 * The command line, the files, the environment where it matters (passwords
 * too), the script.  Nothing of it is ever printed.
 */
void ranks_share_write(const struct ranks *ranks, enum share_kind kind,
                       struct strbuf *out);

/* The same into the ranks of another process and into its environment.  Before
 * there are threads that read the environment. */
int ranks_share_read(struct ranks *ranks, const void *bytes, size_t len,
                     bool *ret_alone, bool *ret_go, struct err *err);

#endif
