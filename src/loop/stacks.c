#include "loop/stacks.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/os/os.h"
#include "base/thread.h"
#include "loop/loop.h"

enum {
  STACKS_FIRST = 8,
  STACKS_MOST = 256, /* per stretch */
};

/* At the start of a stretch, in its own page. */
struct stacks_stretch {
  struct stacks_stretch *next;
  size_t bytes, stacks;
};

void stacks_init(struct stacks *s, size_t bytes)
{
  *s = (struct stacks){ .page = (size_t)sysconf(_SC_PAGESIZE) };
  s->bytes = (bytes + s->page - 1) / s->page * s->page;
  s->guard = s->page > STACK_GUARD_BYTES ? s->page : STACK_GUARD_BYTES;
  s->light = os_can_guard();
}

void stacks_done(struct stacks *s)
{
  struct stacks_stretch *next;

  for (struct stacks_stretch *p = s->stretches; p; p = next) {
    next = p->next;
    (void)munmap(p, p->bytes);
  }
  *s = (struct stacks){
    .bytes = s->bytes, .page = s->page, .guard = s->guard, .light = s->light
  };
}

/* Only written pages take memory, if no page is huge. */
static int stacks_add_stretch(struct stacks *s)
{
  size_t n = s->stretches ? 2 * s->stretches->stacks : STACKS_FIRST;
  struct stacks_stretch *p;
  size_t bytes;

  if (n > STACKS_MOST)
    n = STACKS_MOST;
  bytes = s->page + n * (s->guard + s->bytes);
  p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
#ifdef MAP_STACK
             | MAP_STACK
#endif
           ,
           -1, 0);
  if (p == MAP_FAILED)
    return -1;
#ifdef MADV_NOHUGEPAGE
  (void)madvise(p, bytes, MADV_NOHUGEPAGE);
#endif
  p->next = s->stretches;
  p->bytes = bytes;
  p->stacks = n;
  s->stretches = p;
  s->at = (char *)p + s->page;
  s->end = (char *)p + bytes;
  return 0;
}

static int stacks_install_guard(const struct stacks *s)
{
  if (s->light && os_guard(s->at, s->guard) == 0)
    return 0;
  return mprotect(s->at, s->guard, PROT_NONE);
}

static char *stacks_last_word(const struct stacks *s, char *stack)
{
  return stack + s->bytes - sizeof(char *);
}

int stacks_take(struct stacks *s, char **ret, struct err *err)
{
  char *stack = s->unused;

  if (stack) {
    memcpy(&s->unused, stacks_last_word(s, stack), sizeof(char *));
    *ret = stack;
    return 0;
  }
  if ((s->at == s->end && stacks_add_stretch(s) < 0) ||
      stacks_install_guard(s) < 0)
    return err_sys(err, "cannot get memory for the stack of a client (see "
                        "--thread-stack-size, vm.max_map_count and ulimit "
                        "-v):");
  *ret = s->at + s->guard;
  s->at += s->guard + s->bytes;
  return 0;
}

void stacks_give_back(struct stacks *s, char *stack)
{
  memcpy(stacks_last_word(s, stack), &s->unused, sizeof(char *));
  s->unused = stack;
}

unsigned loop_maps_of_fiber(void)
{
  return os_can_guard() ? 0 : 2;
}
