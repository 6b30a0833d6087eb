/*
 * test_tcp_proxy.c - the proxy does to connections what its commands say.
 * This process is the client and the server at both of its ends.
 */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/fault/address.h"
#include "tests/unit/tap.h"

#define LIMIT_MS 10000 /* for failure: everything below waits for events */

struct proxy {
  pid_t pid;
  int port;
  FILE *in, *out;
};

static const char *program;

static bool spawn(struct proxy *p, const char *arg1, const char *arg2,
                  const char *target)
{
  const char *argv[5] = { program };
  int in[2], out[2], n = 1;

  if (arg1)
    argv[n++] = arg1;
  if (arg2)
    argv[n++] = arg2;
  argv[n] = target;
  if (pipe(in) < 0 || pipe(out) < 0)
    return false;
  p->pid = fork();
  if (p->pid == 0) {
    (void)dup2(in[0], STDIN_FILENO);
    (void)dup2(out[1], STDOUT_FILENO);
    for (int i = 0; i < 2; i++) {
      (void)close(in[i]);
      (void)close(out[i]);
    }
    (void)execv(program, (char *const *)argv);
    _exit(127);
  }
  (void)close(in[0]);
  (void)close(out[1]);
  p->in = fdopen(in[1], "w");
  p->out = fdopen(out[0], "r");
  return p->pid > 0 && p->in && p->out && fscanf(p->out, "%d", &p->port) == 1 &&
         fgetc(p->out) == '\n';
}

/* The exit status of the proxy, once its standard input has ended. */
static int finish(struct proxy *p)
{
  int status = -1;

  (void)fclose(p->in);
  (void)waitpid(p->pid, &status, 0);
  (void)fclose(p->out);
  return status;
}

static const char *tell(struct proxy *p, const char *cmd)
{
  static char answer[256];

  fprintf(p->in, "%s\n", cmd);
  (void)fflush(p->in);
  if (!fgets(answer, sizeof(answer), p->out))
    return "(nothing)";
  answer[strcspn(answer, "\n")] = '\0';
  return answer;
}

static bool readable(int fd)
{
  struct pollfd pfd = { .fd = fd, .events = POLLIN };

  return poll(&pfd, 1, LIMIT_MS) == 1;
}

static int client_of(int port)
{
  struct address a = { .len = sizeof(struct sockaddr_in) };
  struct sockaddr_in *in = (struct sockaddr_in *)&a.sa;

  in->sin_family = AF_INET;
  in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  in->sin_port = htons((uint16_t)port);
  return address_connect(&a, NULL);
}

/* Both ends of a new connection through the proxy. */
static bool connect_pair(struct proxy *p, int listener, int ret_fd[2])
{
  ret_fd[0] = client_of(p->port);
  ret_fd[1] = ret_fd[0] >= 0 && readable(listener)
                ? accept(listener, NULL, NULL)
                : -1;
  return ret_fd[1] >= 0;
}

static void close_pair(const int fd[2])
{
  (void)close(fd[0]);
  (void)close(fd[1]);
}

static bool arrives(int from, int to, const char *text)
{
  char buf[64];
  size_t len = strlen(text), got = 0;

  if (send(from, text, len, MSG_NOSIGNAL) != (ssize_t)len)
    return false;
  while (got < len && readable(to)) {
    ssize_t n = recv(to, buf + got, len - got, 0);

    if (n <= 0)
      return false;
    got += (size_t)n;
  }
  return got == len && memcmp(buf, text, len) == 0;
}

/* The next thing that happens to the socket: data, its end, or an error. */
static int next_event(int fd)
{
  char c;
  ssize_t n;

  if (!readable(fd))
    return -ETIMEDOUT;
  n = recv(fd, &c, 1, 0);
  return n < 0 ? -errno : (int)n;
}

static uint64_t now_ms(void)
{
  struct timespec ts;

  (void)clock_gettime(CLOCK_MONOTONIC, &ts);
  return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void test_pass(struct proxy *p, int listener)
{
  int fd[2];

  OK(connect_pair(p, listener, fd), "a connection reaches the server");
  OK(arrives(fd[0], fd[1], "question"), "data goes up");
  OK(arrives(fd[1], fd[0], "the answer"), "data goes down");
  OK_STR(tell(p, "count"), "open=1 total=1 up=8 down=10", "count");
  (void)shutdown(fd[0], SHUT_WR);
  OK(next_event(fd[1]) == 0, "the client's end of data is passed on");
  OK(arrives(fd[1], fd[0], "more"), "and the other direction stays open");
  (void)close(fd[1]);
  OK(next_event(fd[0]) == 0, "until the server ends it, too");
  (void)close(fd[0]);
}

static void test_bulk(struct proxy *p, int listener)
{
  enum {
    TOTAL = 8 << 20
  };
  static char block[65536];
  size_t wrong = 0, got = 0;
  int fd[2];
  pid_t child;

  OK(connect_pair(p, listener, fd), "bulk: connects");
  child = fork();
  if (child == 0) {
    for (size_t at = 0; at < TOTAL; at += sizeof(block)) {
      for (size_t i = 0; i < sizeof(block); i++)
        block[i] = (char)((at + i) % 251);
      for (size_t sent = 0; sent < sizeof(block);)
        sent += (size_t)send(fd[0], block + sent, sizeof(block) - sent, 0);
    }
    _exit(0);
  }
  while (got < TOTAL && readable(fd[1])) {
    ssize_t n = recv(fd[1], block, sizeof(block), 0);

    for (ssize_t i = 0; i < n; i++)
      wrong += block[i] != (char)((got + (size_t)i) % 251);
    if (n <= 0)
      break;
    got += (size_t)n;
  }
  OK(got == TOTAL && wrong == 0, "bulk: every byte arrives, in order");
  (void)kill(child, SIGKILL);
  (void)waitpid(child, NULL, 0);
  close_pair(fd);
}

static void test_delay(struct proxy *p, int listener)
{
  uint64_t start_ms;
  int fd[2];

  OK(connect_pair(p, listener, fd), "delay: connects");
  OK_STR(tell(p, "delay 60"), "ok", "delay: accepted");
  start_ms = now_ms();
  OK(arrives(fd[0], fd[1], "late"), "delay: data arrives");
  OK(now_ms() - start_ms >= 59, "delay: not before its time");
  OK_STR(tell(p, "delay 3600000"), "ok", "delay: of an hour");
  OK(send(fd[0], "x", 1, 0) == 1, "delay: data that waits for an hour");
  (void)shutdown(fd[0], SHUT_WR);
  OK_STR(tell(p, "pass"), "ok", "pass");
  OK(next_event(fd[1]) == 1, "pass: delivers what was delayed at once");
  OK(next_event(fd[1]) == 0, "pass: and the end of data");
  close_pair(fd);
}

static void test_rate(struct proxy *p, int listener)
{
  static char bytes[20000];
  size_t got = 0;
  uint64_t start_ms;
  int fd[2];

  OK(connect_pair(p, listener, fd), "rate: connects");
  OK_STR(tell(p, "rate 100000"), "ok", "rate: accepted");
  start_ms = now_ms();
  OK(send(fd[0], bytes, sizeof(bytes), 0) == sizeof(bytes), "rate: bytes");
  while (got < sizeof(bytes)) {
    const ssize_t n = recv(fd[1], bytes, sizeof(bytes), 0);

    if (n <= 0)
      break;
    got += (size_t)n;
  }
  OK(got == sizeof(bytes), "rate: all of them arrive");
  OK(now_ms() - start_ms >= 199, "rate: not before their time");
  OK_STR(tell(p, "rate 1"), "ok", "rate: a byte per second");
  OK(send(fd[0], "x", 1, 0) == 1, "rate: a byte that waits");
  OK_STR(tell(p, "pass"), "ok", "pass");
  OK(next_event(fd[1]) == 1, "pass: delivers it at once");
  close_pair(fd);
}

static void test_blackhole(struct proxy *p, int listener)
{
  struct pollfd waiting = { .events = POLLIN };
  int old[2], fresh, server;

  OK(connect_pair(p, listener, old), "blackhole: connects before it");
  OK_STR(tell(p, "blackhole"), "ok", "blackhole");
  OK(send(old[0], "up", 2, 0) == 2, "blackhole: the client can send");
  fresh = client_of(p->port);
  OK(fresh >= 0, "blackhole: accepts a new client");
  OK(send(fresh, "hello", 5, 0) == 5, "blackhole: takes its data");
  /* Each answer ends a turn of the proxy, which also saw what came before. */
  for (int i = 0; i < 20; i++)
    (void)tell(p, "count");
  waiting.fd = old[1];
  OK(poll(&waiting, 1, 20) == 0, "blackhole: nothing reaches the server");
  waiting.fd = listener;
  OK(poll(&waiting, 1, 0) == 0, "blackhole: no new connection either");
  OK_STR(tell(p, "pass"), "ok", "blackhole: pass");
  OK(next_event(old[1]) == 1, "blackhole: held data comes out after it");
  server = readable(listener) ? accept(listener, NULL, NULL) : -1;
  OK(server >= 0 && next_event(server) == 1,
     "blackhole: held connections are made after it");
  close_pair(old);
  (void)close(fresh);
  (void)close(server);
}

static void test_cut(struct proxy *p, int listener)
{
  int a[2], b[2];

  OK(connect_pair(p, listener, a) && connect_pair(p, listener, b),
     "cut: two connections");
  OK_STR(tell(p, "cut"), "ok", "cut");
  OK(next_event(a[0]) == -ECONNRESET && next_event(b[0]) == -ECONNRESET,
     "cut: both clients see a reset");
  OK(next_event(a[1]) == -ECONNRESET && next_event(b[1]) == -ECONNRESET,
     "cut: and both servers");
  OK(strncmp(tell(p, "count"), "open=0 ", 7) == 0, "cut: none is left");
  close_pair(a);
  close_pair(b);
}

static void test_reset_is_passed_on(struct proxy *p, int listener)
{
  const struct linger hard = { .l_onoff = 1, .l_linger = 0 };
  int fd[2];

  OK(connect_pair(p, listener, fd), "reset: connects");
  (void)setsockopt(fd[1], SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
  (void)close(fd[1]);
  OK(next_event(fd[0]) == -ECONNRESET, "reset: the client sees the server's");
  (void)close(fd[0]);
}

static void test_refuse(struct proxy *p, int listener)
{
  int fd[2], again[2];

  OK(connect_pair(p, listener, fd), "refuse: connects before it");
  OK_STR(tell(p, "refuse"), "ok", "refuse");
  errno = 0;
  OK(client_of(p->port) < 0 && errno == ECONNREFUSED, "refuse: refuses");
  OK(arrives(fd[0], fd[1], "still"), "refuse: old connections stay");
  OK_STR(tell(p, "accept"), "ok", "accept");
  OK(connect_pair(p, listener, again), "accept: the same port again");
  close_pair(fd);
  close_pair(again);
}

static void test_dead_server(struct proxy *p, int listener)
{
  int fd;

  (void)close(listener);
  fd = client_of(p->port);
  OK(fd >= 0 && next_event(fd) == -ECONNRESET,
     "without a server the client gets a reset");
  (void)close(fd);
  OK_STR(tell(p, "nonsense"), "error: unknown command 'nonsense'",
         "an unknown command");
  OK_STR(tell(p, "delay soon"), "error: unknown command 'delay soon'",
         "a delay that is no number");
}

/* One answer of `tcp_proxy --send`; returns its exit status. */
static int send_by_program(const char *path, const char *cmd, char answer[64])
{
  char line[512];
  FILE *f;

  (void)snprintf(line, sizeof(line), "'%s' --send='%s' '%s'", program, path,
                 cmd);
  f = popen(line, "r");
  if (!f || !fgets(answer, 64, f))
    answer[0] = '\0';
  return f ? pclose(f) : -1;
}

static void test_sockets(const char *folder)
{
  char target[256], control[256], option[300], owner[32], answer[64];
  struct proxy p;
  int fd[2], listener;
  pid_t child = fork();

  if (child == 0) {
    (void)pause();
    _exit(0);
  }
  (void)snprintf(target, sizeof(target), "%s/target", folder);
  (void)snprintf(control, sizeof(control), "%s/control", folder);
  (void)snprintf(option, sizeof(option), "--control=%s", control);
  (void)snprintf(owner, sizeof(owner), "--owner=%d", (int)child);
  listener = address_listen_unix(target);
  OK(listener >= 0 && spawn(&p, option, owner, target), "control: starts");
  OK(connect_pair(&p, listener, fd) && arrives(fd[0], fd[1], "unix"),
     "a Unix socket as the target");
  OK(send_by_program(control, "count", answer) == 0, "control: a command");
  OK_STR(answer, "open=1 total=1 up=4 down=0\n", "control: its answer");
  OK(send_by_program(control, "nonsense", answer) != 0, "control: an error");
  (void)kill(child, SIGKILL);
  (void)waitpid(child, NULL, 0);
  OK(finish(&p) == 0, "it ends when its owner does");
  OK(access(control, F_OK) < 0, "and leaves no control socket");
  close_pair(fd);
  (void)close(listener);
  (void)unlink(target);
}

int main(int argc, char **argv)
{
  char folder[] = "/tmp/bench-proxy.XXXXXX", target[32];
  char path[4096];
  struct proxy p;
  int port = 0;
  int listener = address_listen_tcp(&port);

  (void)argc;
  /* Children that fork() makes must not print what the buffer holds again. */
  (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  (void)snprintf(path, sizeof(path), "%.*stcp_proxy",
                 (int)(strrchr(argv[0], '/') + 1 - argv[0]), argv[0]);
  program = path;
  (void)alarm(60); /* a limit for failure */
  (void)signal(SIGPIPE, SIG_IGN);
  (void)snprintf(target, sizeof(target), "127.0.0.1:%d", port);
  OK(listener >= 0 && spawn(&p, NULL, NULL, target), "starts");
  test_pass(&p, listener);
  test_bulk(&p, listener);
  test_delay(&p, listener);
  test_rate(&p, listener);
  test_blackhole(&p, listener);
  test_cut(&p, listener);
  test_reset_is_passed_on(&p, listener);
  test_refuse(&p, listener);
  test_dead_server(&p, listener);
  OK(finish(&p) == 0, "ends with its standard input");

  OK(mkdtemp(folder) != NULL, "a folder for sockets");
  test_sockets(folder);
  OK(rmdir(folder) == 0, "the folder is empty at the end");
  return TAP_EXIT();
}
