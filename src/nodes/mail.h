/*
 * mail.h - reports on their way from the other ranks to rank 0, and those that
 * have arrived early.
 */
#ifndef BENCH_NODES_MAIL_H
#define BENCH_NODES_MAIL_H

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

/* The first part of a message with a report. */
struct nodes_mail_head {
  enum report_kind kind;
  uint64_t elapsed_ns;
  bool partial, has_total;
};

/* Pack a report as the content of a message, or as a message of this rank. */
void nodes_mail_pack(struct strbuf *b, const struct report *r);
int nodes_mail_own(const struct report *r, struct post_message **ret);

/* Read the head.  It is followed by what merge_pack() has written: the report,
 * then the total if there is one. */
struct nodes_mail_head nodes_mail_head(struct unpack *u);

/* Reports of another rank that were not used yet, by kind. */
struct nodes_mail_waiting {
  struct post_message *first[2], **last[2]; /* intervals, checkpoints */
  struct post_message *final;
  uint64_t events;      /* of the intervals that are in lines */
  unsigned checkpoints; /* the number of checkpoints that are covered by reports
                           already used */
};

/* A part of struct nodes_report. */
struct nodes_mail {
  struct cluster *cluster;
  struct post *post;
  const struct plan *plan;
  unsigned size;
  struct nodes_mail_waiting *of; /* owned; [size] */
};

int nodes_mail_init(struct nodes_mail *m, struct cluster *cluster,
                    const struct plan *plan, struct err *err);
/* May be called after a failed init, and for a zeroed struct. */
void nodes_mail_done(struct nodes_mail *m);

/*
 * Add the reports of the other ranks about the moment of an interval or
 * checkpoint `r` of rank 0 to `to`, and their reports about earlier moments
 * that were late.  Waits for them: a short time for an interval, which has a
 * successor; a long time for a checkpoint, unless they are lost or have ended,
 * but never longer than the end of a run allows.  Returns 0, -ENOMEM or
 * -EBADMSG.
 */
int nodes_mail_add_line(struct nodes_mail *m, const struct report *r,
                        struct merge *to);
/* Add a report of a rank that has arrived and belongs to no line, if
 * *ret_any. */
int nodes_mail_add_left(struct nodes_mail *m, unsigned rank,
                        enum report_kind kind, struct merge *to, bool *ret_any);

/* The last report, which stays in the list; NULL: there is none, and that was
 * reported. */
struct post_message *nodes_mail_final(struct nodes_mail *m, unsigned rank);

#endif
