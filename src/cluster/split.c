/*
 * split.c - which threads a rank has.
 */
#include "cluster/split.h"

#include <errno.h>
#include <limits.h>

int split_threads(unsigned threads, unsigned rank, unsigned ranks,
                  struct split_threads *ret)
{
  unsigned all;

  if (__builtin_mul_overflow(threads, ranks, &all) || all > INT_MAX)
    return -ERANGE;
  ret->all = all;
  ret->first = rank * threads;
  return 0;
}
