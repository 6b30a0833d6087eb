/*
 * torture.c - makes allocations fail as the test asks.
 */
#include "tests/unit/torture.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The linker sends all allocations of the program through these. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_reallocarray(void *p, size_t n, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
char *__wrap_strdup(const char *text);

static struct {
  bool on, paused;
  bool once;   /* only one fails */
  long before; /* that many succeed first */
  long count;  /* allocations so far */
} state;

static bool fails(void)
{
  if (!state.on || state.paused)
    return false;
  state.count++;
  return state.once ? state.count == state.before + 1
                    : state.count > state.before;
}

void *__wrap_malloc(size_t size)
{
  return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
  return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
  return fails() ? NULL : __real_realloc(p, size);
}

void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
  return fails() ? NULL : __real_reallocarray(p, n, size);
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
  return fails() ? NULL : __real_aligned_alloc(align, size);
}

char *__wrap_strdup(const char *text)
{
  return fails() ? NULL : __real_strdup(text);
}

void torture_pause(bool pause)
{
  state.paused = pause;
}

/* Does one round; true: it went as it must. */
static bool one(torture_action *action, void *ctx, long before, bool once,
                bool *ret_failed)
{
  struct err err = { "" };
  int rc;

  state.once = once;
  state.before = before;
  state.count = 0;
  state.on = true;
  rc = action(ctx, &err);
  state.on = state.paused = false;
  *ret_failed = state.count > before;
  /* With a single failure, the action may have found another way. */
  if (rc == 0 && (!*ret_failed || once))
    return true;
  if (rc == -ENOMEM && *ret_failed && err.text[0] != '\0')
    return true;
  printf("# allocation %ld fails%s: %d (%s), '%s'\n", before,
         once ? " alone" : "", rc, strerror(-rc), err.text);
  return false;
}

long torture(torture_action *action, void *ctx)
{
  bool failed = true;
  long n = 0;

  for (int once = 0; once < 2; once++) {
    for (n = 0, failed = true; failed; n++) {
      if (!one(action, ctx, n, once, &failed))
        return 0;
    }
  }
  return n - 1;
}
