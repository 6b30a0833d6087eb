/*
 * merge_classes.c - adds up classes of operations of several ranks, by name.
 */
#include "cluster/merge_classes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cluster/pack.h"
#include "stats/class_period.h"
#include "stats/hist_sum.h"

void merge_classes_done(struct merge_classes *s)
{
  for (unsigned i = 0; i < s->n; i++) {
    free((void *)(uintptr_t)s->of[i].name);
    hist_sum_free((struct hist_sum *)(uintptr_t)s->of[i].hist);
  }
  free(s->of);
  *s = (struct merge_classes){ 0 };
}

void merge_classes_clear(struct merge_classes *s)
{
  for (unsigned i = 0; i < s->n; i++) {
    struct class_report *c = &s->of[i];
    struct hist_sum *h = (struct hist_sum *)(uintptr_t)c->hist;
    const char *name = c->name;

    hist_sum_clear(h);
    *c = (struct class_report){ .name = name, .hist = h };
  }
}

/* The class of this name, which is made if it is new; NULL: no memory. */
static struct class_report *class_of(struct merge_classes *s, const char *name,
                                     size_t len)
{
  struct class_report *c;

  for (unsigned i = 0; i < s->n; i++) {
    if (strlen(s->of[i].name) == len && memcmp(s->of[i].name, name, len) == 0)
      return &s->of[i];
  }
  if (s->n == s->room) {
    const unsigned room = 2 * s->room + 8;

    c = realloc(s->of, room * sizeof(*c));
    if (!c)
      return NULL;
    s->of = c;
    s->room = room;
  }
  c = &s->of[s->n];
  *c = (struct class_report){ .name = mem_strndup(name, len),
                              .hist = hist_sum_new() };
  if (!c->name || !c->hist) {
    free((void *)(uintptr_t)c->name);
    hist_sum_free((struct hist_sum *)(uintptr_t)c->hist);
    return NULL;
  }
  s->n++;
  return c;
}

int merge_classes_add(struct merge_classes *s, struct unpack *u)
{
  const uint64_t n = unpack_u64(u);

  for (uint64_t i = 0; i < n && !u->failed; i++) {
    size_t len;
    const char *name = unpack_bytes(u, &len);
    struct class_report *c = class_of(s, name, len);
    uint64_t count, min_ns, max_ns;

    if (!c)
      return -ENOMEM;
    count = unpack_u64(u);
    c->errors += unpack_u64(u);
    c->rows += unpack_u64(u);
    c->bytes += unpack_u64(u);
    c->reconnects += unpack_u64(u);
    c->sum_ns += unpack_u64(u);
    min_ns = unpack_u64(u);
    max_ns = unpack_u64(u);
    if (count > 0)
      merge_limits(&c->min_ns, &c->max_ns, c->count == 0, min_ns, max_ns);
    c->count += count;
    (void)unpack_hist_add(u, (struct hist_sum *)(uintptr_t)c->hist);
  }
  return 0;
}
