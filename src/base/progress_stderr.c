/*
 * progress_stderr.c - lines of progress on stderr, by the program's clock.
 */
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/progress.h"

enum {
  USUAL_COLUMNS = 80 /* for a terminal that does not report its width */
};

static uint64_t now_ns(void *ctx)
{
  (void)ctx;
  return clock_now_ns();
}

static unsigned columns(void *ctx)
{
  struct winsize size = { 0 };

  (void)ctx;
  if (isatty(STDERR_FILENO) != 1)
    return 0;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
    return USUAL_COLUMNS;
  return size.ws_col;
}

static void show(void *ctx, const char *line, bool stays)
{
  (void)ctx;
  if (stays)
    log_line(line);
  else
    log_status(line);
}

const struct progress_io progress_stderr = {
  .now_ns = now_ns,
  .columns = columns,
  .show = show,
};
