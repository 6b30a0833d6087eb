/*
 * test_file.c - the grammar of configuration files.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "opt/file.h"
#include "tests/unit/tap.h"

/* A file, and its lines as "name" or "name=(item)(item)", `|` between them. */
static const struct {
  const char *text, *lines;
} good[] = {
  { "", "" },
  { "\n\r\n   \n\t\n", "" },
  { "# comment\n  # another = 1\n[client]\n [ a b ] \n", "" },
  { "threads=4", "threads=(4)" },
  { "\xef\xbb\xbfthreads=4", "threads=(4)" },
  { "\xef\xbb\xbf", "" },
  { "\xef\xbb", "\xef\xbb" },
  { "threads=4\r\ntime = 5\r\n", "threads=(4)|time=(5)" },
  { "  --num_threads\t=\t4  ", "num_threads=(4)" },
  { "debug", "debug" },
  { "  --debug  ", "debug" },
  { "a =", "a=" },
  { "a = # nothing", "a=" },
  { "a = 1 # one", "a=(1)" },
  { "a = 1#one", "a=(1#one)" },
  { "a = x,y, z  w,,", "a=(x)(y)(z)(w)" },
  { "a = 'x y', \"#,z\" w'v", "a=(x y)(#,z)(w'v)" },
  { "a = ''", "a=()" },
  { "a = \"it's\"", "a=(it's)" },
  { "a=b=c", "a=(b=c)" },
  { "= 1", "=(1)" },
  { "[half", "[half" },
  { "two words = 1", "two words=(1)" },
};

static void show(const struct opt_file *file, struct strbuf *out)
{
  for (const struct opt_line *l = file->first; l; l = l->next) {
    strbuf_addf(out, "%s%s%s", l == file->first ? "" : "|", l->given.name,
                l->given.bare ? "" : "=");
    for (size_t i = 0; l->given.items && i < l->given.items->n; i++)
      strbuf_addf(out, "(%s)", l->given.items->items[i]);
  }
}

static const struct {
  const char *text;
  size_t len;
  const char *message, *lines;
} bad[] = {
  { "a=1\nb = 'x\nc=1\n", 15, "missing closing quote, my.cnf:2", "a=(1)" },
  { "b = x \"y'", 9, "missing closing quote, my.cnf:1", "" },
  { "\na=1\n\nx\0y\n", 10, "a zero byte in a configuration file, my.cnf:4",
    "a=(1)" },
};

static void check_load(void)
{
  char name[] = "/tmp/bench-opt-file-XXXXXX";
  const int fd = mkstemp(name);
  FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
  char *text = NULL;
  size_t len = 0;

  if (!f) {
    OK(0, "makes a temporary file");
    return;
  }
  for (int i = 0; i < 100000; i++)
    fputc('x', f);
  fclose(f);
  OK(opt_file_load(name, &text, &len) == 0 && len == 100000 &&
       strlen(text) == len,
     "a long file is read");
  free(text);
  remove(name);
  text = NULL;
  OK(opt_file_load(name, &text, &len) == -ENOENT && !text, "no file");
  OK(opt_file_load("/tmp", &text, &len) == -EISDIR && !text, "a folder");
  OK(opt_file_load("/dev/zero", &text, &len) == -EFBIG && !text, "no end");
  OK(opt_file_load("/dev/null", &text, &len) == 0 && len == 0, "nothing");
  free(text);
}

int main(void)
{
  struct opt_file file;
  struct err err;

  for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
    struct strbuf got = { 0 };
    const int rc = opt_file_parse(good[i].text, strlen(good[i].text), "my.cnf",
                                  &file, &err);

    show(&file, &got);
    OK(rc == 0, "accepted");
    OK_STR(strbuf_str(&got), good[i].lines, "has the right lines");
    strbuf_done(&got);
    opt_file_done(&file);
  }
  for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
    struct strbuf got = { 0 };
    const int rc = opt_file_parse(bad[i].text, bad[i].len, "my.cnf", &file,
                                  &err);

    show(&file, &got);
    OK(rc == -EINVAL, "refused");
    OK_STR(err.text, bad[i].message, "says why");
    OK_STR(strbuf_str(&got), bad[i].lines, "has the lines before");
    strbuf_done(&got);
    opt_file_done(&file);
  }

  OK(opt_file_parse("\n\nx = 'a b' c # d", 17, "p", &file, &err) == 0, "where");
  OK_STR(file.first->given.where, "p:3", "file and line are known");
  OK_STR(file.first->given.text, "'a b' c # d", "and the text as written");
  opt_file_done(&file);
  check_load();
  return TAP_EXIT();
}
