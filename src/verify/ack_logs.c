/*
 * ack_logs.c - what several logs say together.
 */
#include "verify/ack_logs.h"

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

double ack_logs_before(const struct ack_logs *logs)
{
  double least = logs->of[0]->reader.header.before;

  for (size_t i = 1; i < logs->n; i++) {
    if (logs->of[i]->reader.header.before < least)
      least = logs->of[i]->reader.header.before;
  }
  return least;
}
