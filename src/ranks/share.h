/*
 * share.h - the data that rank 0 sends to the other ranks, as bytes.
 */
#ifndef BENCH_RANKS_SHARE_H
#define BENCH_RANKS_SHARE_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct ranks;
struct strbuf;

enum share_kind {
  SHARE_END,   /* there is nothing to do */
  SHARE_ALONE, /* each process does a run of its own */
  SHARE_RUN,
};

/*
 * Pack the command line, the files, the relevant part of the environment (with
 * passwords), and the script.  None of it is ever printed.
 */
void ranks_share_write(const struct ranks *ranks, enum share_kind kind,
                       struct strbuf *out);

/* Unpack it into the struct ranks of another rank, and into its environment.
 * Call it before there are threads that read the environment. */
int ranks_share_read(struct ranks *ranks, const void *bytes, size_t len,
                     bool *ret_alone, bool *ret_go, struct err *err);

#endif
