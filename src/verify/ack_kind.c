/*
 * ack_kind.c - judges acknowledgement logs: every number that the server has
 * acknowledged must be in the database, once.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ack/reader.h"
#include "base/err.h"
#include "base/log.h"
#include "verify/ack_ask.h"
#include "verify/ack_logs.h"
#include "verify/ack_report.h"
#include "verify/acks.h"
#include "verify/kinds.h"
#include "verify/losses.h"

/* What is needed for the logs of a run. */
struct work {
  struct ack_logs logs;
  struct ack_set set;
  struct losses losses;
  const char *query;
};

static int load_all(struct work *w, struct err *err)
{
  int rc = 0;

  for (size_t i = 0; i < w->logs.n && rc == 0; i++)
    rc = ack_set_load(&w->set, &w->logs.of[i]->reader, &w->logs.of[i]->sums,
                      err);
  if (rc == 0)
    ack_set_sort(&w->set);
  return rc;
}

static int find_losses(struct work *w, struct err *err)
{
  int rc = 0;

  for (size_t i = 0; i < w->logs.n && rc == 0; i++)
    rc = losses_find(&w->losses, &w->set, &w->logs.of[i]->reader,
                     w->logs.of[i]->sums.last_ns, err);
  return rc;
}

static int judge_work(struct work *w, const struct verify_input *in,
                      struct err *err)
{
  const bool is_total = w->logs.of[0]->reader.header.kind == ACK_TOTAL;
  double total = 0;
  bool replica = false;

  if (load_all(w, err) < 0)
    return VERIFY_UNKNOWN;
  ack_report_logs(in->out, &w->logs);
  if (!*w->query) {
    (void)err_set(err, -EINVAL,
                  "the log has no query: give --query, or let the script call "
                  "sysbench.ack_query()");
    return VERIFY_BAD_INPUT;
  }
  if (is_total) {
    if (ack_ask_total(in->db, w->query, &total, &replica, err) < 0)
      return VERIFY_UNKNOWN;
    return ack_report_total(in->out, &w->logs,
                            total - ack_logs_before(&w->logs), replica);
  }
  if (ack_ask_numbers(in->db, w->query, &w->set, &replica, err) < 0)
    return VERIFY_UNKNOWN;
  if (find_losses(w, err) < 0)
    return VERIFY_UNKNOWN;
  return ack_report_numbers(in->out, &w->logs, &w->set, &w->losses, replica);
}

/* ---- several logs ---- */

struct all {
  size_t n, n_open;
  struct ack_log_read *logs;   /* owned */
  struct ack_log_read **group; /* owned; logs that are judged together */
  bool *judged;                /* owned */
};

/* The query of a log, or the one that the user gives. */
static const char *query_of(const struct verify_input *in,
                            const struct ack_log_read *log)
{
  return *in->cfg->query ? in->cfg->query : log->reader.header.query;
}

static bool is_same_log(const struct ack_header *a, const struct ack_header *b)
{
  return a->start_ns == b->start_ns && a->start_real_ns == b->start_real_ns;
}

static int open_all(struct all *a, const struct verify_input *in,
                    struct err *err)
{
  int rc = 0;

  for (; rc == 0 && a->n_open < a->n; a->n_open++) {
    const struct ack_header *h = &a->logs[a->n_open].reader.header;

    rc = ack_reader_open(&a->logs[a->n_open].reader, in->paths[a->n_open], err);
    if (rc < 0)
      break;
    for (size_t i = 0; i < a->n_open && rc == 0; i++) {
      if (is_same_log(h, &a->logs[i].reader.header))
        rc = err_set(err, -EINVAL, "'%.400s' and '%.400s' are the same log",
                     in->paths[i], in->paths[a->n_open]);
    }
  }
  return rc;
}

/* Judges the logs with the query of log number i. */
static int judge_group(struct all *a, size_t i, const struct verify_input *in,
                       struct err *err)
{
  struct work w = { .query = query_of(in, &a->logs[i]) };
  size_t n = 0;
  int status;

  for (size_t k = i; k < a->n; k++) {
    if (a->judged[k] || strcmp(query_of(in, &a->logs[k]), w.query) != 0 ||
        a->logs[k].reader.header.kind != a->logs[i].reader.header.kind)
      continue;
    a->group[n++] = &a->logs[k];
    a->judged[k] = true;
  }
  w.logs = (struct ack_logs){ a->group, n };
  if (ack_logs_check(&w.logs, err) < 0)
    return VERIFY_BAD_INPUT;
  if (i > 0)
    (void)fputs("\n", in->out);
  status = judge_work(&w, in, err);
  losses_done(&w.losses);
  ack_set_done(&w.set);
  return status;
}

/* A loss says more than a log that cannot be judged, and that more than what
 * nobody knows. */
static int worse(int a, int b)
{
  static const int weight[] = { [VERIFY_OK] = 0,
                                [VERIFY_BAD] = 3,
                                [VERIFY_BAD_INPUT] = 2,
                                [VERIFY_UNKNOWN] = 1 };

  return weight[a] >= weight[b] ? a : b;
}

/* The caller prints the reason of the last group only. */
static void tell(struct err *err)
{
  if (err->text[0] != '\0')
    log_msg(LOG_FATAL, "%s", err->text);
  err->text[0] = '\0';
}

static int judge_all(struct all *a, const struct verify_input *in,
                     struct err *err)
{
  int status = VERIFY_OK;
  const int rc = open_all(a, in, err);

  if (rc < 0)
    return rc == -EINVAL ? VERIFY_BAD_INPUT : VERIFY_UNKNOWN;
  for (size_t i = 0; i < a->n; i++) {
    if (a->judged[i])
      continue;
    tell(err);
    status = worse(status, judge_group(a, i, in, err));
  }
  return status;
}

static int judge(const struct verify_input *in, struct err *err)
{
  struct all a = {
    .n = in->n_paths,
    .logs = calloc(in->n_paths, sizeof(*a.logs)),
    .group = calloc(in->n_paths, sizeof(*a.group)),
    .judged = calloc(in->n_paths, sizeof(*a.judged)),
  };
  int status = VERIFY_UNKNOWN;

  if (a.logs && a.group && a.judged)
    status = judge_all(&a, in, err);
  else
    (void)err_set(err, -ENOMEM, "not enough memory");
  for (size_t i = 0; i < a.n_open; i++)
    ack_reader_done(&a.logs[i].reader);
  free(a.logs);
  free((void *)a.group);
  free(a.judged);
  return status;
}

const struct verify_kind verify_acks = {
  .magic = ACK_MAGIC,
  .title = "an acknowledgement log",
  .uses_database = true,
  .takes_several = true,
  .options = { "query" },
  .judge = judge,
};
