/*
 * test_log.c - levels, prefixes, streams, and repeated messages.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/log.h"
#include "tests/unit/tap.h"
#include "tests/unit/torture.h"

/* Collects the text of stdout and stderr while a test runs. */
struct capture {
  FILE *text, *messages;
  int saved;
};

static void begin(struct capture *c)
{
  c->text = tmpfile();
  c->messages = tmpfile();
  c->saved = dup(STDERR_FILENO);
  if (!c->text || !c->messages || c->saved < 0)
    abort();
  (void)dup2(fileno(c->messages), STDERR_FILENO);
  log_set_text(c->text);
}

static void check(FILE *f, const char *want, const char *what)
{
  char got[8192];
  size_t len;

  rewind(f);
  len = fread(got, 1, sizeof(got) - 1, f);
  got[len] = '\0';
  OK_STR(got, want, what);
  (void)fclose(f);
}

static void end(struct capture *c, const char *text, const char *messages,
                const char *what)
{
  log_flush();
  log_set_text(NULL);
  log_set_level(LOG_NOTICE);
  (void)dup2(c->saved, STDERR_FILENO);
  (void)close(c->saved);
  check(c->text, text, what);
  check(c->messages, messages, "and on stderr");
}

static void say_all(void)
{
  log_msg(LOG_FATAL, "f %d", 1);
  log_msg(LOG_ALERT, "a");
  log_msg(LOG_WARNING, "w");
  log_msg(LOG_NOTICE, "n\n");
  log_msg(LOG_INFO, "i");
  log_msg(LOG_DEBUG, "d");
}

static void test_levels(void)
{
  static const struct {
    enum log_level level;
    const char *text, *messages;
  } cases[] = {
    { LOG_FATAL, "", "FATAL: f 1\n" },
    { LOG_WARNING, "", "FATAL: f 1\nALERT: a\nWARNING: w\n" },
    { LOG_NOTICE, "n\n", "FATAL: f 1\nALERT: a\nWARNING: w\n" },
    { LOG_INFO, "n\ni\n", "FATAL: f 1\nALERT: a\nWARNING: w\n" },
    { LOG_DEBUG, "n\ni\n", "FATAL: f 1\nALERT: a\nWARNING: w\nDEBUG: d\n" },
  };
  struct capture c;

  OK(log_get_level() == LOG_NOTICE, "the level at first");
  for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
    begin(&c);
    log_set_level(cases[i].level);
    OK(log_get_level() == cases[i].level, "the level is set");
    say_all();
    end(&c, cases[i].text, cases[i].messages, "what is shown at a level");
  }
}

static void test_repetition(void)
{
  struct capture c;

  begin(&c);
  for (int i = 0; i < 5; i++)
    log_msg(LOG_WARNING, "again");
  log_msg(LOG_WARNING, "other");
  log_msg(LOG_WARNING, "again");
  end(&c, "",
      "WARNING: again\n(last message repeated 4 times)\nWARNING: other\n"
      "WARNING: again\n",
      "a message that comes again is counted");

  begin(&c);
  log_msg(LOG_FATAL, "x");
  log_msg(LOG_FATAL, "x");
  log_msg(LOG_ALERT, "x");
  end(&c, "", "FATAL: x\n(last message repeated 1 times)\nALERT: x\n",
      "another level is another message");

  begin(&c);
  log_msg(LOG_ALERT, "to the end");
  log_msg(LOG_ALERT, "to the end");
  log_msg(LOG_ALERT, "to the end");
  end(&c, "", "ALERT: to the end\n(last message repeated 2 times)\n",
      "the count is printed at the end");

  begin(&c);
  log_msg(LOG_ALERT, "to the end");
  end(&c, "", "ALERT: to the end\n", "and the next series begins afresh");
}

static void test_streams(void)
{
  struct capture c;

  begin(&c);
  log_set_level(LOG_INFO);
  log_msg(LOG_INFO, "same");
  log_msg(LOG_FATAL, "same");
  log_msg(LOG_INFO, "same");
  log_msg(LOG_FATAL, "same");
  log_msg(LOG_INFO, "new");
  end(&c, "same\n(last message repeated 1 times)\nnew\n",
      "FATAL: same\n(last message repeated 1 times)\n",
      "each stream has a series of its own");
}

static void test_notices(void)
{
  struct capture c;

  begin(&c);
  log_set_level(LOG_INFO);
  log_msg(LOG_NOTICE, "\n");
  log_msg(LOG_NOTICE, "\n");
  log_msg(LOG_INFO, "i");
  log_msg(LOG_NOTICE, "line\n");
  log_msg(LOG_NOTICE, "line\n");
  log_msg(LOG_INFO, "i");
  log_msg(LOG_NOTICE, "last, without an end");
  log_msg(LOG_INFO, "j");
  end(&c,
      "\n\ni\nline\nline\nlast, without an end(last message repeated 1 times)\n"
      "j\n",
      "", "notices are never counted and end no series");
}

static void test_hidden(void)
{
  struct capture c;

  begin(&c);
  log_msg(LOG_WARNING, "w");
  log_msg(LOG_DEBUG, "hidden");
  log_msg(LOG_WARNING, "w");
  end(&c, "", "WARNING: w\n(last message repeated 1 times)\n",
      "what is not shown ends no series");
}

static void test_lines(void)
{
  struct capture c;

  begin(&c);
  log_msg(LOG_WARNING, "first\nsecond");
  log_msg(LOG_WARNING, "%s", "");
  log_msg(LOG_WARNING, "%s", "");
  log_msg(LOG_NOTICE, "%s", "");
  end(&c, "",
      "WARNING: first\nsecond\nWARNING: \n(last message repeated 1 times)\n",
      "one prefix for several lines, empty messages");
}

enum {
  THREADS = 4,
  MESSAGES = 500
};

static void *say_much(void *arg)
{
  for (int i = 0; i < MESSAGES; i++)
    log_msg(LOG_ALERT, "thread %s", (const char *)arg);
  return NULL;
}

/* Counts and lines add up in any order. */
static void test_threads(void)
{
  static const char *const name[THREADS] = { "a", "b", "a", "b" };
  pthread_t thread[THREADS];
  char line[256];
  unsigned long n = 0, more;
  bool whole = true;
  struct capture c;
  int saved;

  begin(&c);
  saved = dup(fileno(c.messages));
  for (int i = 0; i < THREADS; i++) {
    if (pthread_create(&thread[i], NULL, say_much,
                       (void *)(uintptr_t)name[i]) != 0)
      abort();
  }
  for (int i = 0; i < THREADS; i++)
    (void)pthread_join(thread[i], NULL);
  log_flush();
  rewind(c.messages);
  while (fgets(line, sizeof(line), c.messages)) {
    if (sscanf(line, "(last message repeated %lu times)", &more) == 1)
      n += more;
    else if (strcmp(line, "ALERT: thread a\n") == 0 ||
             strcmp(line, "ALERT: thread b\n") == 0)
      n++;
    else
      whole = false;
  }
  MUST(ftruncate(saved, 0) == 0);
  (void)close(saved);
  end(&c, "", "", "several threads");
  OK(whole, "lines of threads are whole");
  OK(n == THREADS * MESSAGES, "no message is lost or counted twice");
}

/* A disk is full, and then has room again. */
static void test_lost_text(void)
{
  int why = -1, saved, full;
  bool lost;

  log_flush();
  OK(!log_lost_text(&why) && why == -1, "nothing is lost");
  (void)fflush(stdout);
  saved = dup(STDOUT_FILENO);
  full = open("/dev/full", O_WRONLY);
  (void)dup2(full, STDOUT_FILENO);
  log_put("text\n", 5);
  log_flush();
  (void)dup2(saved, STDOUT_FILENO);
  (void)close(saved);
  (void)close(full);
  log_put("", 0);
  log_flush();
  lost = log_lost_text(&why);
  clearerr(stdout);
  OK(lost && why == ENOSPC, "a line is lost, and it is known why");
}

/* Memory for a message is scarce when the message is that memory is scarce. */
static int say_without_memory(void *ctx, struct err *err)
{
  struct capture *c = ctx;
  static int number;
  char got[256], want[256];
  size_t len;
  void *more;

  torture_pause(true);
  rewind(c->messages);
  (void)!ftruncate(fileno(c->messages), 0);
  torture_pause(false);
  log_msg(LOG_FATAL, "no memory for %d", ++number);
  more = malloc(1); /* is there memory again? */
  OPAQUE(more);     /* clang leaves out memory that nobody uses */
  torture_pause(true);
  log_flush();
  (void)snprintf(want, sizeof(want), "FATAL: no memory for %d\n", number);
  rewind(c->messages);
  len = fread(got, 1, sizeof(got) - 1, c->messages);
  got[len] = '\0';
  torture_pause(false);
  if (strcmp(got, want) != 0) {
    free(more);
    return err_set(err, -EIO, "printed: '%s'", got);
  }
  if (!more)
    return err_set(err, -ENOMEM, "no memory, but the message is there");
  free(more);
  return 0;
}

static void test_no_memory(void)
{
  struct capture c;
  long n;

  begin(&c);
  n = torture(say_without_memory, &c);
  MUST(ftruncate(fileno(c.messages), 0) == 0);
  end(&c, "", "", "a message that has no memory");
  OK(n > 0, "is printed without any");
}

int main(void)
{
  test_no_memory();
  test_levels();
  test_repetition();
  test_streams();
  test_notices();
  test_hidden();
  test_lines();
  test_threads();
  test_lost_text();
  return TAP_EXIT();
}
