/*
 * mail.h - reports on their way from the others to process 0, and
 * those that have arrived before their turn.
 */
#ifndef BENCH_RANKS_MAIL_H
#define BENCH_RANKS_MAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/report.h"

struct cluster;
struct err;
struct post_message;
struct merge;
struct plan;
struct post;
struct strbuf;
struct unpack;

/* What a message with a report begins with. */
struct ranks_mail_head {
  enum report_kind kind;
  uint64_t elapsed_ns;
  bool partial, has_total;
};

/* A report as the content of a message, and as a message of this process. */
void ranks_mail_pack(struct strbuf *b, const struct report *r);
int ranks_mail_own(const struct report *r, struct post_message **ret);

/* What follows it is what merge_pack() has written: the report, then the total
 * if there is one. */
struct ranks_mail_head ranks_mail_head(struct unpack *u);

/* Reports of another process that were not used yet, by their kind. */
struct ranks_mail_waiting {
  struct post_message *first[2], **last[2]; /* intervals, checkpoints */
  struct post_message *final;
  unsigned checkpoints; /* so many are covered by those that were used */
};

/* Part of struct ranks_report. */
struct ranks_mail {
  struct cluster *cluster;
  struct post *post;
  const struct plan *plan;
  unsigned size;
  struct ranks_mail_waiting *of; /* owned; [size] */
};

int ranks_mail_init(struct ranks_mail *m, struct cluster *cluster,
                    const struct plan *plan, struct err *err);
/* Also after a failed init, and of zeroes. */
void ranks_mail_done(struct ranks_mail *m);

/*
 * Add to `to` what the others say about the moment of an interval or checkpoint
 * `r` of process 0, and about earlier ones for which they were late.  Waits for
 * them: a while for an interval, after which there will be a next one; long for
 * a checkpoint, unless they are lost or have ended, but not longer than the end
 * of a run leaves time for.  0, -ENOMEM or -EBADMSG.
 */
int ranks_mail_add_line(struct ranks_mail *m, const struct report *r,
                        struct merge *to);
/* Add what has come of a process and belongs to no line, if there is *ret_any.
 */
int ranks_mail_add_left(struct ranks_mail *m, unsigned rank,
                        enum report_kind kind, struct merge *to, bool *ret_any);

/* The last report, which stays there; NULL: there is none, and that was said.
 */
struct post_message *ranks_mail_final(struct ranks_mail *m, unsigned rank);

#endif
