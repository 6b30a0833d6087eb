/*
 * test_memory.c - the n-th allocation fails, for every n: an error is returned,
 * and nothing leaks.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "opt/help.h"
#include "tests/unit/opt_fixture.h"
#include "tests/unit/tap.h"
#include "tests/unit/torture.h"

static const struct opt script_row = {
  .type = OPT_TYPE_LIST, .name = "columns", .def = "id,k", .help = "to read"
};

/* Does everything that a run does with options. */
static int everything(void *file, struct err *ret_err)
{
  char name[] = "bench", test[] = "--test=x.lua", old[] = "--num-threads=2";
  char list[] = "--report-checkpoints=1,2", own[] = "--my-opt=5";
  char config[64], run[] = "run", endless[] = "--time=0";
  char *argv[] = { name, test, old, list, own, config, run, endless, NULL };
  const struct cmdline_input in = { .argc = 8, .argv = argv };
  const struct cmdline_rules rules = { .accept_unknown = true };
  static const char *const groups[] = { "General", NULL };
  const struct help_lists lists = { .groups = groups };
  struct strbuf help = { 0 };
  struct fixture f;
  int rc;

  (void)snprintf(config, sizeof(config), "--config-file=%s",
                 (const char *)file);
  rc = fixture_init(&f);
  if (rc == 0)
    rc = cmdline_scan(&f.cmd, &in, &f.set, &f.opts.cmdline, &f.err);
  if (rc == 0)
    rc = optset_declare(&f.set, "x.lua", &script_row, NULL, &f.err);
  if (rc == 0)
    rc = cmdline_apply(&f.cmd, &rules, &f.err);
  if (rc == 0) {
    help_ring(&help, "bench", &f.set, &lists, CMDLINE_HELP_ALL);
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

  OK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) &&
       close(fd) == 0,
     "makes a file");
  OK(torture(everything, name) > 100,
     "each failed allocation is an error with a text");
  remove(name);
  return TAP_EXIT();
}
