/*
 * test_url.c - parsing connection URLs and option files.
 */
#include "db/url.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "tests/unit/tap.h"

/* Writes the parts of a URL in one line, or "refused". */
static void describe(const char *text, struct strbuf *out)
{
  struct url url = { 0 };
  struct err err;

  if (url_parse(text, &url, &err) < 0) {
    strbuf_adds(out, "refused");
    return;
  }
  strbuf_addf(out, "%s %s %s", url.scheme, url.user ? url.user : "-",
              url.password ? url.password : "-");
  for (size_t i = 0; i < url.n_hosts; i++)
    strbuf_addf(out, " %s|%s", url.hosts[i].host, url.hosts[i].port);
  strbuf_addf(out, " <%s>", url.path);
  for (size_t i = 0; i < url.n_parameters; i++)
    strbuf_addf(out, " %s=%s", url.parameters[i].name,
                url.parameters[i].value ? url.parameters[i].value : "(none)");
  url_done(&url);
}

static const struct {
  const char *text, *want;
} cases[] = {
  { "mysql://u:p@h:1/d", "mysql u p h|1 <d>" },
  { "MySQL://h", "mysql - - h| <>" },
  { "mysql://", "mysql - - <>" },
  { "mysql:///d", "mysql - - <d>" },
  { "mysql://u@/d", "mysql u - <d>" },
  { "mysql://u:@h", "mysql u  h| <>" },
  { "mysql://u%3a:p%40%2f@h%2Ex/d%20e", "mysql u: p@/ h.x| <d e>" },
  { "mysql://u:p@q@h/d", "mysql u p@q h| <d>" },
  { "pg://a,b:2,[::1]:3/d", "pg - - a| b|2 ::1|3 <d>" },
  { "pg://[::1]/", "pg - - ::1| <>" },
  { "pg://h:/d", "pg - - h| <d>" },
  { "pg://h/d?a=1&b&c=%26&d=", "pg - - h| <d> a=1 b=(none) c=& d=" },
  { "pg://h?a=1", "pg - - h| <> a=1" },
  { "pg:///d?host=/run", "pg - - <d> host=/run" },
  { "sqlite:x.db", "sqlite - - <x.db>" },
  { "sqlite:a@b.db?m=1", "sqlite - - <a@b.db> m=1" },
  { "sqlite:///a/b", "sqlite - - <a/b>" },
  { "", "refused" },
  { "h", "refused" },
  { "://h", "refused" },
  { "pg://h:0", "refused" },
  { "pg://h:65536", "refused" },
  { "pg://h:+1", "refused" },
  { "pg://h:1x", "refused" },
  { "pg://::1", "refused" },
  { "pg://[::1", "refused" },
  { "pg://[::1]x", "refused" },
  { "pg://h/d#x", "refused" },
  { "pg://u:p/q@h", "refused" },
  { "pg://u:1?q@h", "refused" },
  { "pg://h/%", "refused" },
  { "pg://h/%4", "refused" },
  { "pg://h/%g0", "refused" },
  { "pg://h/%00", "refused" },
};

static const char file[] = "ignored=1\n"
                           "[mysqld]\nuser=nobody\n"
                           " [client] \r\n"
                           "# a comment\n; another\n!include x\n\n"
                           "user = alice # the user\r\n"
                           "password=\"a # b\\\\c\" # quoted\n"
                           "host='h'\n"
                           "color=a#b\n"
                           "empty=\n"
                           "ssl\n"
                           "[bench]\n"
                           "socket=a\\sb\n"
                           "[client-mariadb]\n"
                           "port=1";

static void describe_file(const char *text, size_t len, struct strbuf *out)
{
  struct client_file f = { 0 };
  struct err err;

  if (client_file_parse(text, len, "f", &f, &err) < 0) {
    strbuf_adds(out, err.text);
    return;
  }
  for (size_t i = 0; i < f.n; i++)
    strbuf_addf(out, "%s%s=%s%s\n", f.pairs[i].own ? "!" : "", f.pairs[i].name,
                f.pairs[i].value ? f.pairs[i].value : "(none)",
                f.pairs[i].value && !*f.pairs[i].value ? "(empty)" : "");
  client_file_done(&f);
}

static uint64_t next(uint64_t *state)
{
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return *state >> 33;
}

/*
 * Puts fragments together in any order: all end well, and sanitizers check the
 * memory.
 */
static bool survives(const char *const *parts, size_t n_parts, bool urls)
{
  uint64_t state = 3;
  bool ok = true;

  for (unsigned i = 0; i < 20000 && ok; i++) {
    struct strbuf text = { 0 }, out = { 0 };
    const size_t n = next(&state) % 16;

    for (size_t k = 0; k < n; k++)
      strbuf_adds(&text, parts[next(&state) % n_parts]);
    if (urls)
      describe(strbuf_str(&text), &out);
    else
      describe_file(strbuf_str(&text), text.len, &out);
    ok = !out.failed;
    strbuf_done(&text);
    strbuf_done(&out);
  }
  return ok;
}

int main(void)
{
  static const char *const url_parts[] = { "mysql", ":", "//", "/", "@",
                                           "?",     "&", "=",  "%", "%41",
                                           "[",     "]", ",",  "1", "h" };
  static const char *const file_parts[] = { "[client]", "[bench]", "[", "]",
                                            "\n",       "=",       "#", "'",
                                            "\"",       "\\",      " ", "a",
                                            "\r\n",     "!" };
  struct strbuf out = { 0 };

  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    strbuf_clear(&out);
    describe(cases[i].text, &out);
    if (strcmp(strbuf_str(&out), cases[i].want) != 0)
      printf("# %s\n", strbuf_str(&out));
    OK(strcmp(strbuf_str(&out), cases[i].want) == 0, cases[i].text);
  }
  strbuf_clear(&out);
  describe_file(file, sizeof(file) - 1, &out);
  OK(strcmp(strbuf_str(&out), "user=alice\npassword=a # b\\c\nhost=h\n"
                              "color=a#b\nempty=(empty)\nssl=(none)\n"
                              "!socket=a b\nport=1\n") == 0,
     "an option file");
  strbuf_clear(&out);
  describe_file("[client]\n[x", 11, &out);
  OK(strstr(strbuf_str(&out), "'f', line 2: "), "a group that is not closed");
  strbuf_clear(&out);
  describe_file("a\0b", 3, &out);
  OK(strstr(strbuf_str(&out), "'f' is not a text file"), "a zero byte");
  OK(survives(url_parts, 15, true), "20,000 URLs of fragments");
  OK(survives(file_parts, 14, false), "20,000 files of fragments");
  strbuf_done(&out);
  return TAP_EXIT();
}
