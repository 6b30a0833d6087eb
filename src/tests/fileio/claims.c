/*
 * claims.c - records which places have a request in flight.
 */
#include "tests/fileio/claims.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"

int claims_init(struct claims *c, uint64_t places, struct err *err)
{
  uint64_t bits = 64;

  while (bits < places && bits < CLAIMS_MAX)
    bits *= 2;
  c->word = calloc(bits / 64, sizeof(*c->word));
  if (!c->word)
    return err_set(err, -ENOMEM,
                   "cannot allocate %llu bytes to identify requests",
                   (unsigned long long)(bits / 8));
  c->mask = bits - 1;
  return 0;
}

void claims_done(struct claims *c)
{
  free(c->word);
  c->word = NULL;
}
