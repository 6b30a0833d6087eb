/*
 * ack_logs.c - what several logs say together.
 */
#include "verify/ack_logs.h"

#include <errno.h>
#include <inttypes.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"

struct ack_sums ack_logs_sums(const struct ack_logs *logs)
{
  struct ack_sums all = { 0 };

  for (size_t i = 0; i < logs->n; i++) {
    all.acked += logs->of[i]->sums.acked;
    all.aborted += logs->of[i]->sums.aborted;
    all.unknown += logs->of[i]->sums.unknown;
  }
  return all;
}

uint64_t ack_logs_damaged(const struct ack_logs *logs)
{
  uint64_t n = 0;

  for (size_t i = 0; i < logs->n; i++)
    n += logs->of[i]->reader.damaged;
  return n;
}

unsigned ack_logs_flags(const struct ack_logs *logs)
{
  unsigned flags = 0;

  for (size_t i = 0; i < logs->n; i++)
    flags |= logs->of[i]->reader.header.flags;
  return flags;
}

const struct ack_reader *ack_logs_incomplete(const struct ack_logs *logs)
{
  for (size_t i = 0; i < logs->n; i++) {
    if (ack_is_incomplete(&logs->of[i]->reader.header))
      return &logs->of[i]->reader;
  }
  return NULL;
}

struct when {
  char text[32];
};

/* The moment at which the log begins. */
static struct when when(const struct ack_header *h)
{
  const time_t at = (time_t)(h->start_real_ns / NS_PER_S);
  struct when w = { "some time" };
  struct tm tm;

  if (gmtime_r(&at, &tm))
    (void)strftime(w.text, sizeof(w.text), "%Y-%m-%d %H:%M:%S UTC", &tm);
  return w;
}

static int refuse(const struct ack_reader *a, const struct ack_reader *b,
                  struct err *err)
{
  if (a->header.ranks == b->header.ranks && a->header.run == b->header.run)
    return err_set(err, -EINVAL,
                   "'%.400s' and '%.400s' are both logs of process %" PRIu32
                   " of %" PRIu32
                   " (expected one log of each process of a run)",
                   a->path, b->path, a->header.rank, a->header.ranks);
  return err_set(err, -EINVAL,
                 "'%.400s' and '%.400s' are logs of two runs: the first is of "
                 "process %" PRIu32 " of %" PRIu32
                 ", which began at %s, the other of process %" PRIu32
                 " of %" PRIu32 ", %s (expected those of one run)",
                 a->path, b->path, a->header.rank, a->header.ranks,
                 when(&a->header).text, b->header.rank, b->header.ranks,
                 when(&b->header).text);
}

/* Two processes of one run, or two runs of one process each: these may well
 * have worked for the same query. */
static bool belong_together(const struct ack_header *a,
                            const struct ack_header *b)
{
  return a->ranks == b->ranks && a->run == b->run &&
         (a->ranks == 0 || a->rank != b->rank);
}

int ack_logs_check(const struct ack_logs *logs, struct err *err)
{
  for (size_t i = 1; i < logs->n; i++) {
    for (size_t k = 0; k < i; k++) {
      const struct ack_reader *a = &logs->of[k]->reader;
      const struct ack_reader *b = &logs->of[i]->reader;

      if (!belong_together(&a->header, &b->header))
        return refuse(a, b, err);
    }
  }
  return 0;
}

size_t ack_logs_runs(const struct ack_logs *logs)
{
  return logs->of[0]->reader.header.ranks > 0 ? 1 : logs->n;
}

static bool has_rank(const struct ack_logs *logs, uint32_t rank)
{
  for (size_t i = 0; i < logs->n; i++) {
    if (logs->of[i]->reader.header.rank == rank)
      return true;
  }
  return false;
}

uint32_t ack_logs_absent(const struct ack_logs *logs, uint32_t *ret)
{
  const uint32_t ranks = logs->of[0]->reader.header.ranks;

  if (ranks <= logs->n)
    return 0;
  *ret = 0;
  while (has_rank(logs, *ret))
    ++*ret;
  return ranks - (uint32_t)logs->n;
}

double ack_logs_before(const struct ack_logs *logs)
{
  double least = logs->of[0]->reader.header.before;

  for (size_t i = 1; i < logs->n; i++) {
    if (logs->of[i]->reader.header.before < least)
      least = logs->of[i]->reader.header.before;
  }
  return least;
}
