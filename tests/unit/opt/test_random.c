/*
 * test_random.c - arbitrary command lines and files: always an answer, never a
 * crash or a leak (run it with the address sanitizer).
 */
#include <errno.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "opt/file.h"
#include "tests/unit/opt_fixture.h"
#include "tests/unit/tap.h"

#define ROUNDS 10000

/* The test has its own generator, so that a failure can be repeated. */
static uint64_t state = 88172645463325252;

static unsigned draw(unsigned n)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)(state >> 33) % n;
}

static const char *const pieces[] = {
  "--",
  "=",
  "threads",
  "num-threads",
  "-",
  "_",
  "time",
  "rand-type",
  "pareto",
  "0",
  "1",
  "99999999999",
  "on",
  ",",
  "1,2,3",
  "%",
  "64K",
  "percentile",
  "99.9",
  "histogram",
  "off",
  "config-file",
  "test",
  "cpu",
  "run",
  "my_opt",
  "version",
  "help",
  "debug",
  "percentiles",
  "report-checkpoints",
  "=",
  "--",
  "\n",
  "'",
  "\"",
  " ",
  "#",
  "[x]",
  "\r\n",
  "\xff\x80",
  "forced-shutdown",
  "compat",
  "1.1",
  "nan",
  "1e400",
};

/* Some pieces and random bytes; may contain zero bytes. */
static size_t make(char *out, size_t room)
{
  const unsigned parts = draw(12);
  size_t len = 0;

  for (unsigned i = 0; i < parts; i++) {
    const char *piece = pieces[draw(ARRAY_SIZE(pieces))];

    if (draw(8) == 0 && len + 1 < room) {
      out[len++] = (char)draw(256);
    } else if (len + strlen(piece) < room) {
      memcpy(out + len, piece, strlen(piece));
      len += strlen(piece);
    }
  }
  out[len] = '\0';
  return len;
}

static bool scan_one(void)
{
  char text[6][128];
  char name[] = "bench";
  char *argv[8] = { name };
  char env[] = "1.1";
  struct cmdline_input in = { .argc = 1 + (int)draw(7), .argv = argv };
  const struct cmdline_rules rules = { .accept_unknown = draw(2) };
  struct fixture f;
  int rc;

  for (int i = 1; i < in.argc; i++) {
    size_t skip = 0;

    if (draw(2)) {
      memcpy(text[i - 1], "--", 2);
      skip = 2;
    }
    (void)make(text[i - 1] + skip, sizeof(text[0]) - skip);
    argv[i] = text[i - 1];
  }
  env[2] = (char)('0' + draw(3));
  in.compat_env = draw(3) ? NULL : env;
  in.stdin_is_terminal = draw(2);

  (void)fixture_init(&f);
  rc = cmdline_scan(&f.cmd, &in, &f.set, &f.opts.cmdline, &f.err);
  if (rc == 0)
    rc = cmdline_apply(&f.cmd, &rules, &f.err);
  fixture_done(&f);
  return rc == 0 ? f.err.text[0] == '\0' : f.err.text[0] != '\0';
}

static bool parse_one(void)
{
  char text[1024];
  const size_t len = make(text, sizeof(text));
  char *exact = malloc(len ? len : 1); /* there is no terminator to rely on */
  struct err err = { "" };
  struct opt_file file;
  int rc;

  if (!exact)
    return false;
  memcpy(exact, text, len);
  rc = opt_file_parse(exact, len, "f", &file, &err);
  opt_file_done(&file);
  free(exact);
  return rc == 0 ? err.text[0] == '\0' : err.text[0] != '\0';
}

int main(void)
{
  size_t lines = 0, files = 0;

  for (int i = 0; i < ROUNDS; i++) {
    lines += scan_one();
    files += parse_one();
  }
  OK(lines == ROUNDS, "random command lines get an answer");
  OK(files == ROUNDS, "random files get an answer");
  return TAP_EXIT();
}
