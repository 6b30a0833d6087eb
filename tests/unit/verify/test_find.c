/*
 * test_find.c - the first line of a file, all of it, says which kind it is.
 */
#include <errno.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/err.h"
#include "tests/unit/tap.h"
#include "verify/verify.h"

static const struct verify_kind shapes = {
  .magic = "shapes 1",
  .title = "a list of shapes",
  .options = { "query" },
};

static const struct verify_kind colours = {
  .magic = "colours 12",
  .title = "a list of colours",
};

static const struct verify_kind *const kinds[] = { &shapes, &colours, NULL };

static const struct {
  const char *text;
  const struct verify_kind *kind;
} file_case[] = {
  { "shapes 1\ncircle\n", &shapes },
  { "shapes 1\n", &shapes },
  { "colours 12\n", &colours },
  { "shapes 1", NULL },
  { "shapes 12\n", NULL },
  { "shapes\n", NULL },
  { " shapes 1\n", NULL },
  { "\n", NULL },
  { "", NULL },
};

static void put(const char *path, const char *text)
{
  FILE *f = fopen(path, "w");

  MUST(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

int main(void)
{
  char path[] = "/tmp/bench_verify_XXXXXX";
  const int fd = mkstemp(path);
  struct err err = { "" };
  const struct verify_kind *kind;

  MUST(fd >= 0 && close(fd) == 0);
  for (size_t i = 0; i < ARRAY_SIZE(file_case); i++) {
    int rc;

    put(path, file_case[i].text);
    kind = NULL;
    rc = verify_find(kinds, path, &kind, &err);
    OK(rc == (file_case[i].kind ? 0 : -EINVAL), "the first line decides");
    OK(kind == file_case[i].kind, "the right kind, or none");
  }
  OK(strstr(err.text, "a list of shapes, or a list of colours") != NULL,
     "the message says what is expected");
  OK(verify_find(kinds, "/", &kind, &err) == -EINVAL, "a folder is refused");
  MUST(unlink(path) == 0);
  OK(verify_find(kinds, path, &kind, &err) == -ENOENT, "no file");
  OK(strstr(err.text, path) != NULL, "the message names the file");
  OK(verify_has_option(&shapes, "query"), "an option of the kind");
  OK(!verify_has_option(&colours, "query"), "an option of another kind");
  return TAP_EXIT();
}
