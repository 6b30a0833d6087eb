/*
 * share.h - what process 0 tells the others, as bytes.
 */
#ifndef BENCH_RANKS_SHARE_H
#define BENCH_RANKS_SHARE_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct team;
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
void share_write(const struct team *team, enum share_kind kind,
                 struct strbuf *out);

/* The same into the job of another process and into its environment.  Before
 * there are threads that read the environment. */
int share_read(struct team *team, const void *bytes, size_t len,
               bool *ret_alone, bool *ret_go, struct err *err);

#endif
