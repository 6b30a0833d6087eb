/*
 * test_err.c - messages of failed operations.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "tests/unit/tap.h"

static void fill(char *text, size_t size, char c)
{
  memset(text, c, size - 1);
  text[size - 1] = '\0';
}

static bool is_marked(const struct err *err)
{
  return strcmp(err->text + strlen(err->text) - 4, "x...") == 0;
}

static void test_long(void)
{
  static char longer[3000];
  struct err err = { "" };

  fill(longer, sizeof(longer), 'x');
  (void)err_set(&err, -1, "%s", longer);
  OK(strlen(err.text) == sizeof(err.text) - 1 && is_marked(&err),
     "a long message is cut, which shows");
  err_prefix(&err, "context");
  OK(strncmp(err.text, "context: xxx", 12) == 0 &&
       strlen(err.text) == sizeof(err.text) - 1 && is_marked(&err),
     "a prefix of a full message pushes its end out");
  (void)err_set(&err, -1, "why");
  err_prefix(&err, "%s", longer);
  OK(strlen(err.text) == sizeof(err.text) - 1 &&
       strcmp(err.text + sizeof(err.text) - 3, ": ") == 0,
     "a prefix that is too long is cut");
  errno = ENOENT;
  OK(err_sys(&err, "%s", longer) == -ENOENT &&
       strlen(err.text) == sizeof(err.text) - 1,
     "a full message of a system call");
}

int main(void)
{
  struct err err = { "" };

  OK(err_set(&err, -ERANGE, "%d is %s", 7, "odd") == -ERANGE,
     "returns the code");
  OK_STR(err.text, "7 is odd", "the message");
  err_prefix(&err, "file '%s'", "a%s");
  OK_STR(err.text, "file 'a%s': 7 is odd", "a prefix");
  err_prefix(&err, "bench");
  OK_STR(err.text, "bench: file 'a%s': 7 is odd", "another one");

  errno = ENOENT;
  OK(err_sys(&err, "cannot open '%s',", "x") == -ENOENT,
     "a system call's code");
  OK_STR(err.text, "cannot open 'x', errno = 2 (No such file or directory)",
         "a system call's message");
  errno = 0;
  OK(err_sys(&err, "odd") == -EIO, "a failure without errno is still one");
  test_long();
  return TAP_EXIT();
}
