/*
 * ack_logs.c - what several logs say together.
 */
#include "verify/ack_logs.h"

#include <errno.h>
#include <inttypes.h>

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

int ack_logs_check(const struct ack_logs *logs, struct err *err)
{
  for (size_t i = 1; i < logs->n; i++) {
    const struct ack_reader *b = &logs->of[i]->reader;

    for (size_t k = 0; k < i; k++) {
      const struct ack_reader *a = &logs->of[k]->reader;

      if (a->header.ranks != b->header.ranks ||
          (a->header.ranks > 0 && a->header.rank == b->header.rank))
        return err_set(err, -EINVAL,
                       "'%.400s' and '%.400s' are logs of two runs: the first "
                       "is of process %" PRIu32 " of %" PRIu32
                       ", the other of process %" PRIu32 " of %" PRIu32
                       " (expected those of one run)",
                       a->path, b->path, a->header.rank, a->header.ranks,
                       b->header.rank, b->header.ranks);
    }
  }
  return 0;
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
