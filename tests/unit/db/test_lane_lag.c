/*
 * test_lane_lag.c - answers that have come with that of another client: how
 * long their own clients go on after that.
 */
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/unit/db/lane_rig.h"

enum {
  EVENTS = 3,
  COMPUTES_MS = 5, /* each client, after its answer */
};

/* A session with a socket, on which each answer is a byte. */
static struct {
  int fd[2];
  unsigned received; /* answers, of those that are in flight */
  bool begun;        /* before that, sessions are opened */
  unsigned n_lags;
  uint64_t longest_ns;
} at;

static int begin_anew(struct session *s, struct outcome *out)
{
  at.received = 0;
  return begin(s, out);
}

static bool answer_what_is_sent(struct session *s, bool wait)
{
  struct wire *w = wire_of(s);

  for (; w->n_pushed < w->n_asked; w->n_pushed++)
    MUST(write(at.fd[1], "=", 1) == 1);
  (void)wait;
  return true;
}

static bool has_come(const struct session *s)
{
  return at.received > wire_of(s)->n_answered;
}

static int receive_byte(struct session *s, struct prepared *p, const char *sql,
                        size_t len, struct outcome *out)
{
  char bytes[QUEUE];

  (void)p;
  (void)sql;
  (void)len;
  if (!has_come(s)) {
    const ssize_t got = loop_recv(at.fd[0], bytes, sizeof(bytes));

    MUST(got > 0);
    at.received += (unsigned)got;
  }
  wire_of(s)->n_answered++;
  return fake_say((struct fake_answer){ 0 }, out);
}

static void note_lag(void *ctx, uint64_t ns)
{
  (void)ctx;
  if (!at.begun)
    return;
  at.n_lags++;
  if (ns > at.longest_ns)
    at.longest_ns = ns;
}

static void ask_and_compute(struct client *c, unsigned n)
{
  uint64_t until_ns;

  at.begun = true;
  ask_one(c, n);
  until_ns = clock_now_ns() + COMPUTES_MS * NS_PER_MS;
  while (clock_now_ns() < until_ns)
    ;
}

static void test_lag(void)
{
  struct wire *w = wire_new(NULL);
  struct driver_pipe calls = pipe_calls;

  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, at.fd) == 0);
  calls.begin = begin_anew;
  calls.push = answer_what_is_sent;
  calls.has_arrived = has_come;
  calls.receive = receive_byte;
  w->scene.driver.pipe = &calls;
  w->lag = note_lag;
  (void)run(w, EVENTS, ask_and_compute);
  OK(at.n_lags == EVENTS * CLIENTS,
     "each answer has a lag, whoever has read it");
  OK(at.longest_ns >= COMPUTES_MS * NS_PER_MS,
     "which counts from the moment when it had come");
  (void)close(at.fd[0]);
  (void)close(at.fd[1]);
  wire_free(w);
}

int main(void)
{
  log_set_level(LOG_FATAL);
  test_lag();
  return TAP_EXIT();
}
