/*
 * digests.h - statements as the server counts them, without values. Texts are
 * read at the end, for the statements that took most time.
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
  DIGEST_ID = 72,      /* bytes */
  DIGEST_TEXT = 1024,  /* bytes; the rest is cut off */
  DIGESTS_MAX = 20000, /* of more statements, none are read */
  DIGESTS_USUAL = 20,
};

struct digest {
  char id[DIGEST_ID];
  double calls, time_ns, rows;
  char *text; /* owned; NULL until the end */
};

/* {0} has not begun. */
struct digests {
  bool begun;
  bool cut;              /* more than DIGESTS_MAX, or no memory */
  char where[DIGEST_ID]; /* the server's schema */
  uint64_t begun_ns;
  uint64_t period_ns; /* 0 until the end */
  struct digest *of;  /* owned; by id, at the end by time */
  size_t n, room;
};

void digests_done(struct digests *d);

/* Reads the counts; missing or forbidden ones become a gap. False: the
 * connection is lost. */
bool digests_begin(struct digests *d, struct link *l,
                   const struct monitor_source *s, struct server_gaps *gaps);

/* `of` becomes the difference: at most `keep` statements, without a monitor's;
 * empty if unreadable. */
void digests_end(struct digests *d, struct link *l,
                 const struct monitor_source *s, size_t keep,
                 struct server_gaps *gaps);

#endif
