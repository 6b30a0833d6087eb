/*
 * test_secret.c - passwords are taken out of text, and nothing else is.
 */
#include "base/secret.h"

#include <stdint.h>
#include <string.h>

#include "base/strbuf.h"
#include "tests/unit/tap.h"

static const struct {
  const char *text, *want;
} cases[] = {
  { "", "" },
  { "sbtest", "sbtest" },
  { "postgresql://u:SECRET@h/d", "postgresql://u:***@h/d" },
  { "u:SECRET@h", "u:***@h" },
  { "u:SE:CR@ET/@h:3306", "u:***@h:3306" },
  { "h:3306", "h:3306" },
  { "@abstract", "@abstract" },
  { "/tmp/a:b@c", "/tmp/a:b@c" },
  { "at 12:30@noon", "at 12:30@noon" },
  { "postgresql://u:SECRET@h", "postgresql://u:***@h" },
  { "postgresql://u:@h/d", "postgresql://u:***@h/d" },
  { "postgresql://u@h:5432/d", "postgresql://u@h:5432/d" },
  { "postgresql://h:5432/d", "postgresql://h:5432/d" },
  { "mysql://u:SE@CRET@h/d?ssl-mode=on", "mysql://u:***@h/d?ssl-mode=on" },
  { "mysql://u:SE/CRET@h/d", "mysql://u:***@h/d" },
  { "mysql://u:SE?CRET@h/d", "mysql://u:***@h/d" },
  { "mysql://u:SE CRET@h/d", "mysql://u:***@h/d" },
  { "mysql://u:SE'CRET@h/d", "mysql://u:***@h/d" },
  { "mysql://u:SE:CRET@h/d", "mysql://u:***@h/d" },
  { "postgresql://u:SECRET@[::1]:5/d", "postgresql://u:***@[::1]:5/d" },
  { "postgresql://h/d?user=u&password=SECRET&sslmode=require",
    "postgresql://h/d?user=u&password=***&sslmode=require" },
  { "postgresql://h/d?password=SECRET", "postgresql://h/d?password=***" },
  { "postgresql://h/d?pass%77ord=SECRET", "postgresql://h/d?pass%77ord=***" },
  { "postgresql://h/d?sslpassword=SECRET#x",
    "postgresql://h/d?sslpassword=***#x" },
  { "password=SECRET", "password=***" },
  { "dbname=d password=SECRET host=h", "dbname=d password=*** host=h" },
  { "password = 'SECRET SECRET' host=h", "password = *** host=h" },
  { "password='SECRET\\'SECRET' host=h", "password=*** host=h" },
  { "password='SECRET", "password=***" },
  { "password=SECRET\\ SECRET host=h", "password=*** host=h" },
  { "password=SECRET&SECRET", "password=***" },
  { "PASSWORD=SECRET", "PASSWORD=***" },
  { "passwd=SECRET pwd=SECRET", "passwd=*** pwd=***" },
  { "--mysql-password=SECRET run", "--mysql-password=*** run" },
  { "password= host=h", "password= ***" },
  { "passfile=/home/u/.pgpass", "passfile=/home/u/.pgpass" },
  { "password authentication failed", "password authentication failed" },
  { "in URI: \"postgresql://u:SECRET@h:x/d\"",
    "in URI: \"postgresql://u:***@h:x/d\"" },
  { "or postgresql://u:SECRET@h/d and mysql://u:SECRET@h/d",
    "or postgresql://u:***@h/d and mysql://u:***@h/d" },
  { "mysql://u:SECRET@ 'SECRET@h/d", "mysql://u:***@h/d" },
  { "a=b&c=d", "a=b&c=d" },
};

static bool is_shown_as(const char *text, const char *want)
{
  struct strbuf out = { 0 };
  bool same;

  secret_redact(text, &out);
  same = strcmp(strbuf_str(&out), want) == 0;
  if (!same)
    printf("# '%s' is shown as '%s'\n", text, strbuf_str(&out));
  strbuf_done(&out);
  return same;
}

/* ---- any password, in all forms ---- */

static uint64_t next(uint64_t *state)
{
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return *state >> 33;
}

/* Makes a password that contains the word SECRET and special characters. */
static void make_password(uint64_t *state, bool encoded, char *to)
{
  static const char plain[] = "abcXYZ019_.~-";
  static const char special[] = "abc@:/?#&=%[]'\" \\";
  const char *from = encoded ? plain : special;
  const size_t n = encoded ? sizeof(plain) - 1 : sizeof(special) - 1;
  const size_t before = next(state) % 6, after = next(state) % 6;

  for (size_t i = 0; i < before; i++)
    *to++ = from[next(state) % n];
  memcpy(to, "SECRET", 6);
  to += 6;
  for (size_t i = 0; i < after; i++)
    *to++ = from[next(state) % n];
  *to = '\0';
}

/* Adds text in quotes, with backslashes where they are needed. */
static void add_quoted(struct strbuf *to, const char *text)
{
  strbuf_adds(to, "'");
  for (; *text; text++)
    strbuf_addf(to, "%s%c", *text == '\'' || *text == '\\' ? "\\" : "", *text);
  strbuf_adds(to, "'");
}

static void make_text(unsigned form, const char *password, struct strbuf *to)
{
  switch (form) {
  case 0:
    strbuf_addf(to, "postgresql://u:%s@h:5432/d?sslmode=require", password);
    break;
  case 1:
    strbuf_addf(to, "mysql://u:%s@h", password);
    break;
  case 2:
    strbuf_adds(to, "host=h password=");
    add_quoted(to, password);
    strbuf_adds(to, " dbname=d");
    break;
  case 3:
    strbuf_addf(to, "cannot use 'mysql://u:%s@h/d', as said", password);
    break;
  case 4:
    strbuf_addf(to, "postgresql://h/d?password=%s&user=u", password);
    break;
  default:
    strbuf_addf(to, "password=%s", password);
  }
}

static bool hides_any(void)
{
  uint64_t state = 1;
  bool ok = true;

  for (unsigned i = 0; i < 60000 && ok; i++) {
    struct strbuf text = { 0 }, once = { 0 };
    const unsigned form = i % 6;
    char password[32];

    /* By definition, the last three forms end at certain characters. */
    make_password(&state, form >= 3, password);
    make_text(form, password, &text);
    secret_redact(strbuf_str(&text), &once);
    ok = !strstr(strbuf_str(&once), "SECRET") && secret_is_in(text.text) &&
         is_shown_as(strbuf_str(&once), strbuf_str(&once));
    if (!ok)
      printf("# '%s' is shown as '%s'\n", strbuf_str(&text), strbuf_str(&once));
    strbuf_done(&text);
    strbuf_done(&once);
  }
  return ok;
}

/* ---- any text ---- */

static bool is_stable(void)
{
  static const char *const parts[] = { "://", ":",   "@",  "?",    "&",  "pwd",
                                       "=",   "'",   "\"", " ",    "\\", "x",
                                       "***", "%77", "#",  "passw" };
  uint64_t state = 7;
  bool ok = true;

  for (unsigned i = 0; i < 60000 && ok; i++) {
    struct strbuf text = { 0 }, once = { 0 };
    const size_t n = next(&state) % 14;

    for (size_t k = 0; k < n; k++)
      strbuf_adds(&text, parts[next(&state) % 16]);
    secret_redact(strbuf_str(&text), &once);
    ok = once.len <= 4 * text.len + 3;
    strbuf_done(&text);
    strbuf_done(&once);
  }
  return ok;
}

static bool first_line_is(const char *text, size_t len, const char *want)
{
  char copy[16];
  const char *line;

  memcpy(copy, text, len);
  line = secret_first_line(copy, len);
  return line && want ? strcmp(line, want) == 0 : line == want;
}

static void test_first_line(void)
{
  OK(first_line_is("word", 4, "word"), "without an end");
  OK(first_line_is("word\nmore", 9, "word"), "the first of two lines");
  OK(first_line_is("a\rb\r\n", 5, "a\rb"), "only the end is cut off");
  OK(first_line_is("\r\nword", 6, NULL), "an empty line is no password");
  OK(first_line_is("a\0b\n", 4, NULL), "nor is a part of one");
}

int main(void)
{
  test_first_line();
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    OK(is_shown_as(cases[i].text, cases[i].want), cases[i].text);
  OK(secret_is_in("mysql://u:SECRET@h"), "there is a password");
  OK(!secret_is_in("mysql://u@h"), "there is none");
  OK(hides_any(), "60,000 passwords in six forms, hidden twice is hidden once");
  OK(is_stable(), "60,000 texts of fragments");
  return TAP_EXIT();
}
