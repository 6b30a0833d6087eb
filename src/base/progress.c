/*
 * progress.c - when a line of progress is due, and the thread that shows it.
 */
#include "base/progress.h"

#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/thread.h"
#include "base/wait.h"

#define EVERY_NS (10 * NS_PER_S)
#define EVERY_TERMINAL_NS (NS_PER_S / 4)
#define STACK_BYTES (256 * 1024)

static uint64_t period_ns(const struct progress *p)
{
  return p->io->columns(p->io_ctx) > 0 ? EVERY_TERMINAL_NS : EVERY_NS;
}

void progress_init(struct progress *p, const struct progress_io *io,
                   void *io_ctx,
                   void (*look)(void *ctx, struct progress_point *ret,
                                struct strbuf *detail),
                   void *ctx)
{
  memset(p, 0, sizeof(*p));
  p->io = io;
  p->io_ctx = io_ctx;
  p->look = look;
  p->ctx = ctx;
  p->start_ns = io->now_ns(io_ctx);
  p->next_ns = p->start_ns + period_ns(p);
}

uint64_t progress_tick(struct progress *p)
{
  struct progress_point at = { .verb = "" };
  struct strbuf line = { 0 }, detail = { 0 };
  const uint64_t now = p->io->now_ns(p->io_ctx);
  unsigned columns;

  if (now < p->next_ns)
    return p->next_ns;
  columns = p->io->columns(p->io_ctx);
  p->look(p->ctx, &at, &detail);
  progress_line(&line, &at, now - p->start_ns, strbuf_str(&detail), columns);
  p->io->show(p->io_ctx, strbuf_str(&line), columns == 0);
  strbuf_done(&line);
  strbuf_done(&detail);
  p->next_ns = now + period_ns(p);
  return p->next_ns;
}

static void *progress_thread(void *arg)
{
  struct progress *p = arg;

  thread_set_name("progress");
  while (atomic_load(&p->stop) == 0)
    wait_while(&p->stop, 0, progress_tick(p));
  return NULL;
}

void progress_start(struct progress *p)
{
  struct err err;

  p->threaded = thread_start(&p->thread, STACK_BYTES, progress_thread, p,
                             &err) == 0;
}

void progress_stop(struct progress *p)
{
  if (!p->threaded)
    return;
  atomic_store(&p->stop, 1);
  wait_wake_all(&p->stop);
  (void)pthread_join(p->thread, NULL);
  p->threaded = false;
  p->io->show(p->io_ctx, NULL, false);
}

void progress_print_sum(struct progress *p)
{
  struct progress_point at = { .verb = "" };
  struct strbuf line = { 0 }, detail = { 0 };

  p->look(p->ctx, &at, &detail);
  progress_sum(&line, &at, p->io->now_ns(p->io_ctx) - p->start_ns);
  p->io->show(p->io_ctx, strbuf_str(&line), true);
  strbuf_done(&line);
  strbuf_done(&detail);
}
