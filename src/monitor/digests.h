/*
 * digests.h - statements as the server counts them, without their values: what
 * was added while the run went on.
 *
 * Nothing is reset.  Texts are read at the end, of the statements that took
 * most of the server's time.
 */
#ifndef BENCH_MONITOR_DIGESTS_H
#define BENCH_MONITOR_DIGESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link;
struct monitor_source;
struct server_gaps;

enum {
  DIGEST_ID = 72,     /* bytes of an id */
  DIGEST_TEXT = 1024, /* and of a text; the rest is cut off */
  DIGESTS_MAX =
    20000,            /* statements that a server has; of more, none are read */
  DIGESTS_USUAL = 20, /* so many remain */
};

struct digest {
  char id[DIGEST_ID];
  double calls, time_ns, rows;
  char *text; /* owned; NULL until the end */
};

/* {0} has not begun. */
struct digests {
  bool begun;
  bool cut;              /* there are more than DIGESTS_MAX, or no memory */
  char where[DIGEST_ID]; /* in which schema the server counts */
  uint64_t begun_ns;
  uint64_t period_ns; /* 0 until the end */
  struct digest *of;  /* owned; sorted by id, and at the end by time */
  size_t n, room;
};

void digests_done(struct digests *d);

/*
 * Read what the server has counted so far.  What it does not count, or this
 * user must not see, becomes a gap.  False: the connection is lost.
 */
bool digests_begin(struct digests *d, struct link *l,
                   const struct monitor_source *s, struct server_gaps *gaps);

/*
 * From now on `of` has what was added since then, `keep` statements at most.
 * Those that ask for the state of the server are left out.  If it cannot be
 * read, there are none.
 */
void digests_end(struct digests *d, struct link *l,
                 const struct monitor_source *s, size_t keep,
                 struct server_gaps *gaps);

#endif
