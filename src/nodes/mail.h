/*
 * mail.h - reports on their way to rank 0, and early ones.
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

struct nodes_mail_head {
  enum report_kind kind;
  uint64_t elapsed_ns;
  bool partial, has_total;
};

/* As content; as a message of this rank. */
void nodes_mail_pack(struct strbuf *b, const struct report *r);
int nodes_mail_own(const struct report *r, struct post_message **ret);

/* The rest is from merge_pack(): the report, and its total if any. */
struct nodes_mail_head nodes_mail_head(struct unpack *u);

/* Of a rank, not used yet. */
struct nodes_mail_waiting {
  struct post_message *first[2], **last[2]; /* intervals, checkpoints */
  struct post_message *final;
  uint64_t events; /* in lines */
  unsigned checkpoints;
};

struct nodes_mail {
  struct cluster *cluster;
  struct post *post;
  const struct plan *plan;
  unsigned size;
  struct nodes_mail_waiting *of;
};

int nodes_mail_init(struct nodes_mail *m, struct cluster *cluster,
                    const struct plan *plan, struct err *err);
/* Also after a failed init, or zeroed. */
void nodes_mail_done(struct nodes_mail *m);

/*
 * Adds the other ranks' reports about the moment of `r` (an interval or
 * checkpoint), and late ones. WAITS shortly for an interval, because its
 * successor can include the report; longer for a checkpoint, unless ranks are
 * lost or have ended. Never longer than the end of a run allows. 0, -ENOMEM or
 * -EBADMSG.
 */
int nodes_mail_add_line(struct nodes_mail *m, const struct report *r,
                        struct merge *to);
/* Adds reports without a line. *ret_any: whether there were some. */
int nodes_mail_add_left(struct nodes_mail *m, unsigned rank,
                        enum report_kind kind, struct merge *to, bool *ret_any);

/* Stays in the list; WAITS. NULL: missing, which was reported. */
struct post_message *nodes_mail_final(struct nodes_mail *m, unsigned rank);

#endif
