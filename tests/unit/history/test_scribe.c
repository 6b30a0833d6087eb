/*
 * test_scribe.c - what clients record at the same time is read back; what they
 * have not finished is unknown.
 */
#include "verify/history/scribe.h"

#include <pthread.h>
#include <unistd.h>

#include "tests/unit/history/history_rig.h"

enum {
  CLIENTS = 4,
  TRXS = 5000
};

struct job {
  struct scribe *r;
  uint32_t number;
};

static void *work(void *arg)
{
  const struct job *job = arg;
  struct scribe_client *c = scribe_join(job->r, job->number);

  MUST(c);
  for (uint32_t i = 0; i < TRXS; i++) {
    scribe_begin(c);
    scribe_read(c, job->number);
    scribe_answer(c, "", 0);
    scribe_write(c, 100 + i, job->number);
    scribe_end(c, i % 2 ? HISTORY_OK : HISTORY_FAIL);
  }
  scribe_begin(c); /* and no end */
  scribe_read(c, 7);
  return NULL;
}

static void test_clients(const char *path)
{
  pthread_t threads[CLIENTS];
  struct job jobs[CLIENTS];
  struct scribe *r;
  struct history h;
  struct judgement j;
  struct err err = { 0 };
  uint32_t last = 0;

  MUST(scribe_open(&r, path, HISTORY_LISTS, CLIENTS, &err) == 0);
  for (uint32_t i = 0; i < CLIENTS; i++) {
    jobs[i] = (struct job){ r, i };
    MUST(pthread_create(&threads[i], NULL, work, &jobs[i]) == 0);
  }
  for (uint32_t i = 0; i < CLIENTS; i++)
    MUST(pthread_join(threads[i], NULL) == 0);
  OK(scribe_close(r, &err) == 0, "the history is closed");
  OK(scribe_count(r, HISTORY_OK) == CLIENTS * TRXS / 2, "half is ok");
  scribe_free(r);
  OK(history_read(&h, path, &err) == 0, "it is read back");
  OK(h.is_complete && h.n_trxs == CLIENTS * (TRXS + 1), "it is complete");
  MUST(history_judge(&j, &h, &err) == 0);
  OK(j.ok == CLIENTS * TRXS / 2 && j.failed == CLIENTS * TRXS / 2, "outcomes");
  OK(j.unknown == CLIENTS, "what has no end is unknown");
  for (uint32_t i = 0; i < h.n_trxs; i++)
    last = h.trxs[i].outcome == HISTORY_UNKNOWN ? h.trxs[i].line : last;
  OK(last > 0, "and there");
  judgement_done(&j);
  history_done(&h);
}

static void test_process(const char *path)
{
  struct scribe *r;
  struct scribe_client *c;
  struct history h;
  struct err err = { 0 };

  MUST(scribe_open(&r, path, HISTORY_REGISTERS, 3, &err) == 0);
  c = scribe_join(r, 1);
  MUST(c);
  scribe_begin(c);
  scribe_write(c, 1, 2);
  scribe_end(c, HISTORY_UNKNOWN);
  scribe_begin(c);
  scribe_end(c, HISTORY_OK);
  MUST(scribe_close(r, &err) == 0);
  scribe_begin(c);
  scribe_end(c, HISTORY_OK);
  scribe_free(r);
  MUST(history_read(&h, path, &err) == 0);
  OK(h.n_trxs == 2, "nothing is recorded after the close");
  OK(h.trxs[0].process == 1 && h.trxs[1].process == 4,
     "after an unknown outcome it is another process");
  OK(h.trxs[0].completed_ns == UINT64_MAX, "whose end is not known");
  history_done(&h);
}

static void test_odd(const char *path)
{
  struct scribe *r;
  struct scribe_client *c;
  struct err err = { 0 };

  MUST(scribe_open(&r, path, HISTORY_LISTS, 1, &err) == 0);
  c = scribe_join(r, 0);
  MUST(c);
  scribe_begin(c);
  scribe_read(c, 1);
  scribe_answer(c, "1,,2", 4);
  scribe_end(c, HISTORY_OK);
  OK(scribe_close(r, &err) < 0, "an answer that is no list is an error");
  OK(strstr(err.text, "'1,,2', which nobody has written") != NULL,
     "and the message says so");
  scribe_free(r);
}

int main(void)
{
  char path[] = "/tmp/bench_history_XXXXXX";
  const int fd = mkstemp(path);

  MUST(fd >= 0 && close(fd) == 0);
  test_clients(path);
  test_process(path);
  test_odd(path);
  MUST(unlink(path) == 0);
  return TAP_EXIT();
}
