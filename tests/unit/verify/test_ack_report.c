/*
 * test_ack_report.c - which logs are judged together, and what a total proves,
 * with a whole log and with one that may miss something.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "tests/unit/tap.h"
#include "verify/ack_report.h"
#include "verify/verify.h"

enum {
  TEXT = 2048
};

/* A log with 10 acknowledged, and a total that has grown by `growth`. */
static int judge_of(unsigned flags, uint64_t end_ns, uint64_t unknown,
                    double growth, bool replica, char text[TEXT])
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
  log.sums.unknown = unknown;
  log.reader.header.kind = ACK_TOTAL;
  log.reader.header.flags = flags;
  log.reader.header.end_ns = end_ns;
  rc = ack_report_total(out, &logs, growth, replica);
  rewind(out);
  n = fread(text, 1, TEXT - 1, out);
  text[n] = '\0';
  (void)fclose(out);
  return rc;
}

static int judge(unsigned flags, uint64_t end_ns, double growth,
                 char text[TEXT])
{
  return judge_of(flags, end_ns, 0, growth, false, text);
}

/* A whole log, unless end_ns is 0, and what is known of its numbers. */
static int judge_set(struct ack_set *set, const struct losses *l,
                     uint64_t end_ns, bool replica, char text[TEXT])
{
  static struct ack_log_read log;
  struct ack_log_read *const all[] = { &log };
  const struct ack_logs logs = { all, 1 };
  FILE *out = tmpfile();
  int rc;

  if (!out)
    return -1;
  memset(&log, 0, sizeof(log));
  log.sums.acked = 2;
  log.reader.header.flags = ACK_REMOTE;
  log.reader.header.end_ns = end_ns;
  rc = ack_report_numbers(out, &logs, set, l, replica);
  rewind(out);
  text[fread(text, 1, TEXT - 1, out)] = '\0';
  (void)fclose(out);
  return rc;
}

/* Two numbers that were acknowledged, of which number 2 is there so often. */
static int judge_numbers(unsigned times, bool replica, char text[TEXT])
{
  struct ack_entry of[] = { { .id = 1, .acked = 1 }, { .id = 2, .acked = 1 } };
  struct ack_set set = { .of = of, .n = 2 };
  struct loss loss = { .id = 1 };
  const struct losses l = { .of = &loss, .n = 1 };

  for (unsigned i = 0; i < times; i++)
    ack_set_found(&set, 2);
  return judge_set(&set, &l, 9, replica, text);
}

/* One number of a log, and the line that is about it. */
static void test_kinds(void)
{
  static const struct {
    struct ack_entry e;
    uint64_t end_ns;
    int rc;
    const char *line, *what;
  } rows[] = {
    { { .acked = 1, .found = 1 },
      9,
      VERIFY_OK,
      "\nok: everything",
      "it is there" },
    { { .acked = 3, .found = 1 },
      9,
      VERIFY_BAD,
      "\nFAILED: 2 lost\n",
      "it was acknowledged three times, and is there once" },
    { { .aborted = true, .found = 1 },
      9,
      VERIFY_BAD,
      "\nFAILED: 1 phantom\n",
      "the server has refused it, and it is there" },
    { { .aborted = true, .found = 1 },
      0,
      VERIFY_UNKNOWN,
      "\n  unclear             1 ",
      "the end of its log is missing" },
    { { .aborted = true },
      9,
      VERIFY_OK,
      "\nok: everything",
      "the server has refused it" },
    { { .unknown = true, .aborted = true, .found = 1 },
      9,
      VERIFY_OK,
      "\n  recovered           1 ",
      "nobody knew, and it is there" },
    { { .unknown = true, .found = 2 },
      9,
      VERIFY_BAD,
      "\nFAILED: 1 duplicate\n",
      "it is there twice" },
  };

  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    struct ack_entry e = rows[i].e;
    struct ack_set set = { .of = &e, .n = 1 };
    const struct losses none = { 0 };
    char text[TEXT];

    OK(judge_set(&set, &none, rows[i].end_ns, false, text) == rows[i].rc &&
         strstr(text, rows[i].line),
       rows[i].what);
  }
}

/* What a replica has not got is not lost. */
static void test_replica(void)
{
  char text[TEXT];

  OK(judge_numbers(1, false, text) == VERIFY_BAD &&
       strstr(text, "\nFAILED: 1 lost\n"),
     "one of two is missing on a primary");
  OK(judge_numbers(1, true, text) == VERIFY_UNKNOWN &&
       strstr(text, "\n  missing             1   ") &&
       strstr(text, "\ncannot tell: at least 1 is not on this server, which is "
                    "read-only"),
     "on a replica that proves nothing");
  OK(judge_numbers(2, true, text) == VERIFY_BAD &&
       strstr(text, "\nFAILED: 1 duplicate\n"),
     "what is there twice is there twice");
  OK(judge_of(0, 9, 0, 8, true, text) == VERIFY_UNKNOWN &&
       strstr(text,
              "\ncannot tell: at least 2 are not on this server, which is "
              "read-only"),
     "the same of a total");
  OK(judge_of(0, 9, 0, 10, true, text) == VERIFY_OK, "a replica that has all");
}

static bool is_unsaid(const char *text)
{
  return strcmp(text, "Database: 10 since the begin of the run\n"
                      "cannot tell: the log is not complete\n") == 0;
}

/* May logs of two processes be judged together? */
static int check(struct ack_header a, struct ack_header b, struct err *err)
{
  static struct ack_log_read log[2];
  struct ack_log_read *const all[] = { &log[0], &log[1] };
  const struct ack_logs logs = { all, 2 };

  log[0].reader.header = a;
  log[0].reader.path = "A";
  log[1].reader.header = b;
  log[1].reader.path = "B";
  return ack_logs_check(&logs, err);
}

static void test_runs(void)
{
  const struct ack_header first = { .rank = 0, .ranks = 2, .run = 7 };
  struct ack_header other = { .rank = 1, .ranks = 2, .run = 7 };
  const struct ack_header alone = { .ranks = 0 };
  struct ack_header older = first;
  struct err err = { "" };

  OK(check(first, other, &err) == 0, "two processes of a run");
  other.run = 8;
  other.start_real_ns = UINT64_C(1700000000) * 1000000000;
  OK(check(first, other, &err) == -EINVAL &&
       strcmp(err.text,
              "'A' and 'B' are logs of two runs: the first is of process 0 of "
              "2, which began at 1970-01-01 00:00:00 UTC, the other of process "
              "1 of 2, 2023-11-14 22:13:20 UTC (expected those of one run)") ==
         0,
     "processes of two runs");
  OK(check(first, first, &err) == -EINVAL &&
       strcmp(err.text, "'A' and 'B' are both logs of process 0 of 2 (expected "
                        "one log of each process of a run)") == 0,
     "one process twice");
  older.run = other.run = 0;
  OK(check(older, other, &err) == 0, "logs from before there were numbers");
  OK(check(first, other, &err) == -EINVAL, "one of them is");
  OK(check(alone, alone, &err) == 0, "two runs of one process each");
  OK(check(alone, first, &err) == -EINVAL, "a run alone, and one of several");
}

int main(void)
{
  char text[TEXT];

  test_runs();
  test_kinds();
  test_replica();

  OK(judge(0, 9, 10, text) == VERIFY_OK && strstr(text, "\nok: everything"),
     "a whole log, and all is there");
  OK(judge_of(0, 9, 2, 10, false, text) == VERIFY_OK &&
       strstr(text, "\nok: the total is not too low, unless"),
     "two with unknown outcome could be there in place of others");
  OK(judge_of(0, 9, 2, 12, false, text) == VERIFY_OK &&
       strstr(text, "\nok: everything"),
     "all of them are there, so none is missing");
  OK(judge_of(ACK_OTHERS, 9, 2, 13, false, text) == VERIFY_OK &&
       strstr(text, "\nok: the total is not too low, unless"),
     "unless some are those of others");
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
