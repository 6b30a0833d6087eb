/*
 * test_ack_report.c - what a total proves, with a whole log and with one that
 * may miss something.
 */
#include <stdio.h>
#include <string.h>

#include "tests/unit/tap.h"
#include "verify/ack_report.h"
#include "verify/verify.h"

/* A log with 10 acknowledged, and a total that has grown by `growth`. */
static int judge(unsigned flags, uint64_t end_ns, double growth, char text[512])
{
  static struct ack_log_read log;
  struct ack_log_read *const all[] = { &log };
  const struct ack_logs logs = { all, 1 };
  FILE *out = tmpfile();
  size_t n = 0;
  int rc;

  if (!out)
    return -1;
  memset(&log, 0, sizeof(log));
  log.sums.acked = 10;
  log.reader.header.flags = flags;
  log.reader.header.end_ns = end_ns;
  rc = ack_report_total(out, &logs, growth);
  rewind(out);
  n = fread(text, 1, 511, out);
  text[n] = '\0';
  (void)fclose(out);
  return rc;
}

static bool is_unsaid(const char *text)
{
  return strcmp(text, "Database: 10 since the begin of the run\n"
                      "Nobody can tell: the log is not complete\n") == 0;
}

int main(void)
{
  char text[512];

  OK(judge(0, 9, 10, text) == VERIFY_OK && strstr(text, "\nok: everything"),
     "a whole log, and all is there");
  OK(judge(ACK_REMOTE, 9, 9, text) == VERIFY_BAD &&
       strstr(text, "FAILED: at least 1 lost"),
     "a whole log, and one is not");
  OK(judge(ACK_REMOTE, 0, 9, text) == VERIFY_BAD,
     "what the log names is missing, whatever else it misses");
  OK(judge(ACK_REMOTE, 0, 10, text) == VERIFY_UNKNOWN && is_unsaid(text),
     "a log without its end proves nothing");
  OK(judge(ACK_REMOTE | ACK_MISSES, 9, 10, text) == VERIFY_UNKNOWN &&
       is_unsaid(text),
     "nor does one with gaps");
  return TAP_EXIT();
}
