/*
 * What --version prints: one line, and another one where the system lacks
 * something, which no test on Linux can see otherwise.
 */
#include <stddef.h>

#include "base/os/os.h"
#include "base/strbuf.h"
#include "program/internal.h"
#include "tests/unit/tap.h"

static void test_lacks(void)
{
  static const struct {
    const char *lacks, *text;
  } of[] = {
    { "", "bench 9.8.7\n" },
    { "direct I/O, libaio",
      "bench 9.8.7\nnot on this system: direct I/O, libaio\n" },
  };
  struct program p = { .version = "bench 9.8.7" };

  for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
    struct strbuf out = { 0 };

    program_version_text(&p, of[i].lacks, &out);
    OK_STR(strbuf_str(&out), of[i].text, "what a system lacks");
    strbuf_done(&out);
  }
#ifdef __linux__
  OK_STR(os_lacks, "", "Linux lacks nothing");
#endif
}

int main(void)
{
  test_lacks();
  return TAP_EXIT();
}
