/*
 * test_opt_memory.c - the n-th allocation fails, for every n: an error, and
 * nothing is lost.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "opt/help.h"
#include "opt_fixture.h"
#include "tap.h"

/* The linker sends all allocations of the program through these. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

/* How many allocations still succeed; negative: all. */
static long left = -1;

static bool fails(void)
{
  if (left < 0)
    return false;
  if (left == 0)
    return true;
  left--;
  return false;
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

static const struct opt script_row = {
  .type = OPT_TYPE_LIST, .name = "columns", .def = "id,k", .help = "to read"
};

/* Everything that a run does with options. */
static int everything(const char *file, struct err *ret_err)
{
  char name[] = "bench", test[] = "--test=x.lua", old[] = "--num-threads=2";
  char list[] = "--report-checkpoints=1,2", own[] = "--my-opt=5";
  char config[64], run[] = "run", endless[] = "--time=0";
  char *argv[] = { name, test, old, list, own, config, run, endless, NULL };
  const struct cmdline_input in = { .argc = 8, .argv = argv };
  const struct cmdline_rules rules = { .accept_unknown = true };
  const struct help_lists lists = { 0 };
  struct strbuf help = { 0 };
  struct fixture f;
  int rc;

  (void)snprintf(config, sizeof(config), "--config-file=%s", file);
  rc = fixture_init(&f);
  if (rc == 0)
    rc = cmdline_scan(&f.cmd, &in, &f.set, &f.core, &f.err);
  if (rc == 0)
    rc = optset_declare(&f.set, "x.lua", &script_row, NULL, &f.err);
  if (rc == 0)
    rc = cmdline_apply(&f.cmd, &rules, &f.err);
  if (rc == 0) {
    help_all(&help, "bench", &f.set, &lists);
    help_test(&help, "x.lua", &f.set);
    rc = help.failed ? err_set(&f.err, -ENOMEM, "no help") : 0;
  }
  strbuf_done(&help);
  *ret_err = f.err;
  fixture_done(&f);
  return rc;
}

int main(void)
{
  char name[] = "/tmp/bench-opt-memory-XXXXXX";
  const char text[] = "events = 7\ncolumns = 'a b', c\nreport-checkpoints=1 2";
  const int fd = mkstemp(name);
  struct err err = { "" };
  bool good = true;
  long n;
  int rc;

  OK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) &&
       close(fd) == 0,
     "makes a file");
  for (n = 0;; n++) {
    left = n;
    rc = everything(name, &err);
    left = -1;
    if (rc == 0)
      break;
    if (rc != -ENOMEM || err.text[0] == '\0') {
      printf("# allocation %ld: %d, %s\n", n, rc, err.text);
      good = false;
      break;
    }
  }
  remove(name);
  OK(good, "each failed allocation is an error with a text");
  OK(n > 100, "there were many");
  return TAP_EXIT();
}
