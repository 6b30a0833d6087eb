/*
 * share.c - a table that several ranks load together.
 */
#include "load/share.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"

bool share_is_alone(const struct load_share *s)
{
  return s->voters < 2;
}

bool share_creates(const struct load_share *s)
{
  return s->part == 0;
}

/* Learn the word of the first rank at the table; all of them must have come. */
static int meet(const struct load_share *s, unsigned char own, int *ret,
                struct err *err)
{
  unsigned char *all = calloc(s->voters, 1);
  int rc = 0;

  if (!all)
    return err_set(err, -ENOMEM, "not enough memory");
  s->vote(s->ctx, own, all);
  for (unsigned i = 0; i < s->parts; i++) {
    if (all[s->first + i * s->step] == UINT8_MAX)
      rc = -ECANCELED;
  }
  if (rc < 0)
    (void)err_set(err, rc, "another process has given up");
  else
    *ret = all[s->first];
  free(all);
  return rc;
}

int share_created(const struct load_share *s, int origin, int *ret_origin,
                  struct err *err)
{
  return meet(s, (unsigned char)origin, ret_origin, err);
}

int share_loaded(const struct load_share *s, struct err *err)
{
  int ignored;

  return meet(s, 0, &ignored, err);
}
