/*
 * tcp_proxy.c - stands between a client and a server and makes the network as
 * bad as a test wants it, by commands.  tests/db/README.md tells how to use it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "address.h"
#include "relay.h"

#define NS_PER_MS UINT64_C(1000000)
#define OWNER_CHECK_NS (500 * NS_PER_MS)
#define CONTROL_MAX 8

/* Somebody who sends commands: a peer on the control socket, or stdin. */
struct control {
  int in, out; /* -1: not in use */
  size_t len;
  char line[128];
};

struct proxy {
  struct address target;
  int port;
  int listen_fd;  /* -1 while connections are refused */
  int control_fd; /* -1 without a control socket */
  const char *control_path;
  pid_t owner; /* we end when it does; 0: nobody */
  struct control control[CONTROL_MAX];
  struct relay *relays;
  struct weather weather;
  uint64_t open, total;
  uint64_t passed[2]; /* bytes, by the side that sent them */
  struct pollfd *pfd;
  size_t pfd_room;
  bool quit;
};

static uint64_t now_ns(void)
{
  struct timespec ts;

  (void)clock_gettime(CLOCK_MONOTONIC, &ts);
  return (uint64_t)ts.tv_sec * 1000 * NS_PER_MS + (uint64_t)ts.tv_nsec;
}

static void unlink_relay(struct proxy *p, struct relay **at, bool reset)
{
  struct relay *r = *at;

  *at = r->next;
  relay_free(r, reset);
  p->open--;
}

static void cut_all(struct proxy *p)
{
  while (p->relays)
    unlink_relay(p, &p->relays, true);
}

/* Data that was held or delayed is due at once. */
static void pass(struct proxy *p)
{
  p->weather.blackhole = false;
  p->weather.delay_ns = 0;
  p->weather.rate = 0;
  for (struct relay *r = p->relays; r; r = r->next)
    relay_hurry(r);
}

static void refuse(struct proxy *p)
{
  if (p->listen_fd >= 0)
    (void)close(p->listen_fd);
  p->listen_fd = -1;
}

static bool accept_again(struct proxy *p)
{
  if (p->listen_fd < 0)
    p->listen_fd = address_listen_tcp(&p->port);
  return p->listen_fd >= 0;
}

static void run_command(struct proxy *p, const char *cmd, int out)
{
  unsigned long ms, rate;
  char extra;

  if (strcmp(cmd, "cut") == 0)
    cut_all(p);
  else if (strcmp(cmd, "blackhole") == 0)
    p->weather.blackhole = true;
  else if (strcmp(cmd, "pass") == 0)
    pass(p);
  else if (strcmp(cmd, "refuse") == 0)
    refuse(p);
  else if (strcmp(cmd, "quit") == 0)
    p->quit = true;
  else if (strcmp(cmd, "count") == 0) {
    (void)dprintf(out, "open=%llu total=%llu up=%llu down=%llu\n",
                  (unsigned long long)p->open, (unsigned long long)p->total,
                  (unsigned long long)p->passed[CLIENT],
                  (unsigned long long)p->passed[SERVER]);
    return;
  } else if (strcmp(cmd, "accept") == 0) {
    if (!accept_again(p)) {
      (void)dprintf(out, "error: port %d: %s\n", p->port, strerror(errno));
      return;
    }
  } else if (sscanf(cmd, "delay %lu%c", &ms, &extra) == 1 && ms <= 3600000) {
    p->weather.delay_ns = ms * NS_PER_MS;
  } else if (sscanf(cmd, "rate %lu%c", &rate, &extra) == 1) {
    p->weather.rate = rate;
  } else {
    (void)dprintf(out, "error: unknown command '%s'\n", cmd);
    return;
  }
  (void)dprintf(out, "ok\n");
}

static void close_control(struct proxy *p, struct control *c)
{
  if (c->in == STDIN_FILENO)
    p->quit = true; /* who holds the other end of it has ended */
  else
    (void)close(c->in);
  c->in = -1;
}

static void read_control(struct proxy *p, struct control *c)
{
  ssize_t n = read(c->in, c->line + c->len, sizeof(c->line) - 1 - c->len);
  char *end;

  if (n <= 0) {
    close_control(p, c);
    return;
  }
  c->len += (size_t)n;
  c->line[c->len] = '\0';
  while ((end = strchr(c->line, '\n'))) {
    *end++ = '\0';
    run_command(p, c->line, c->out);
    c->len -= (size_t)(end - c->line);
    memmove(c->line, end, c->len + 1);
  }
  if (c->len == sizeof(c->line) - 1)
    close_control(p, c); /* no command is as long as that */
}

static void accept_control(struct proxy *p)
{
  int fd = accept(p->control_fd, NULL, NULL);

  for (size_t i = 0; fd >= 0 && i < CONTROL_MAX; i++)
    if (p->control[i].in < 0) {
      p->control[i] = (struct control){ .in = fd, .out = fd };
      return;
    }
  if (fd >= 0)
    (void)close(fd);
}

static void accept_client(struct proxy *p)
{
  int fd = accept(p->listen_fd, NULL, NULL);
  struct relay *r = fd < 0 ? NULL : relay_new(fd);

  if (!r)
    return;
  r->next = p->relays;
  p->relays = r;
  p->open++;
  p->total++;
}

/* Those accepted in a black hole meet their server when it ends. */
static void connect_servers(struct proxy *p)
{
  struct relay **at = &p->relays;

  while (*at && !p->weather.blackhole) {
    bool connecting = false;
    int fd = (*at)->fd[SERVER];

    if (fd < 0) {
      fd = address_connect(&p->target, &connecting);
      relay_set_server(*at, fd, connecting);
    }
    if (fd < 0)
      unlink_relay(p, at, true);
    else
      at = &(*at)->next;
  }
}

static bool make_room(struct proxy *p, size_t count)
{
  struct pollfd *more;

  if (count <= p->pfd_room)
    return true;
  more = realloc(p->pfd, 2 * count * sizeof(*more));
  if (!more)
    return false;
  p->pfd = more;
  p->pfd_room = 2 * count;
  return true;
}

/* The fixed part of the array: listener, control socket, its peers. */
enum {
  AT_LISTEN,
  AT_CONTROL,
  AT_PEERS,
  AT_RELAYS = AT_PEERS + CONTROL_MAX
};

static size_t collect(struct proxy *p, uint64_t now, uint64_t *wake_ns)
{
  size_t n = AT_RELAYS;

  p->pfd[AT_LISTEN] = (struct pollfd){ p->listen_fd, POLLIN, 0 };
  p->pfd[AT_CONTROL] = (struct pollfd){ p->control_fd, POLLIN, 0 };
  for (size_t i = 0; i < CONTROL_MAX; i++)
    p->pfd[AT_PEERS + i] = (struct pollfd){ p->control[i].in, POLLIN, 0 };
  for (struct relay *r = p->relays; r; r = r->next, n += 2)
    relay_events(r, &p->weather, now, &p->pfd[n], wake_ns);
  return n;
}

static void step_relays(struct proxy *p, uint64_t now)
{
  struct relay **at = &p->relays;

  for (size_t n = AT_RELAYS; *at; n += 2) {
    bool reset;

    if (relay_step(*at, &p->weather, now, &p->pfd[n], p->passed, &reset))
      at = &(*at)->next;
    else
      unlink_relay(p, at, reset);
  }
}

static int timeout_ms(const struct proxy *p, uint64_t now, uint64_t wake_ns)
{
  if (p->owner && wake_ns > now + OWNER_CHECK_NS)
    wake_ns = now + OWNER_CHECK_NS;
  if (wake_ns == UINT64_MAX)
    return -1;
  return (int)((wake_ns - now + NS_PER_MS - 1) / NS_PER_MS);
}

/* Relays first, in the order of the array: the rest changes their list. */
static bool turn(struct proxy *p)
{
  uint64_t now = now_ns();
  uint64_t wake_ns = UINT64_MAX;
  size_t n;

  connect_servers(p);
  if (!make_room(p, AT_RELAYS + 2 * p->open))
    return false;
  n = collect(p, now, &wake_ns);
  if (poll(p->pfd, n, timeout_ms(p, now, wake_ns)) < 0)
    return errno == EINTR;

  step_relays(p, now_ns());
  if (p->pfd[AT_LISTEN].revents)
    accept_client(p);
  for (size_t i = 0; i < CONTROL_MAX; i++)
    if (p->pfd[AT_PEERS + i].revents)
      read_control(p, &p->control[i]);
  if (p->pfd[AT_CONTROL].revents)
    accept_control(p);
  if (p->owner && kill(p->owner, 0) < 0 && errno == ESRCH)
    p->quit = true;
  return true;
}

/* The other use of the program: hand a command over, print the answer. */
static int send_command(const char *path, const char *cmd)
{
  struct address a;
  char answer[256];
  size_t len = 0;
  ssize_t n;
  int fd = address_parse_unix(&a, path) ? address_connect(&a, NULL) : -1;

  if (fd < 0 || dprintf(fd, "%s\n", cmd) < 0) {
    fprintf(stderr, "tcp_proxy: '%s': %s\n", path, strerror(errno));
    return 1;
  }
  (void)shutdown(fd, SHUT_WR);
  while (len < sizeof(answer) &&
         (n = read(fd, answer + len, sizeof(answer) - len)) > 0)
    len += (size_t)n;
  (void)fwrite(answer, 1, len, stdout);
  return len == 0 || strncmp(answer, "error", 5) == 0;
}

static int usage(void)
{
  fputs("usage: tcp_proxy [--control=PATH] [--owner=PID] HOST:PORT | PATH\n"
        "       tcp_proxy --send=PATH COMMAND\n"
        "commands: delay MS, rate BYTES, cut, blackhole, pass, refuse, accept, "
        "count,"
        " quit\n",
        stderr);
  return 2;
}

static bool set_up(struct proxy *p, int argc, char **argv)
{
  int i;

  for (i = 1; i < argc - 1; i++) {
    if (strncmp(argv[i], "--control=", 10) == 0)
      p->control_path = argv[i] + 10;
    else if (strncmp(argv[i], "--owner=", 8) == 0)
      p->owner = (pid_t)strtol(argv[i] + 8, NULL, 10);
    else
      return false;
  }
  if (i >= argc || !address_parse(&p->target, argv[i]))
    return false;
  for (size_t c = 0; c < CONTROL_MAX; c++)
    p->control[c].in = -1;
  if (!p->control_path)
    p->control[0] = (struct control){ .in = STDIN_FILENO,
                                      .out = STDOUT_FILENO };
  return true;
}

int main(int argc, char **argv)
{
  struct proxy p = { .control_fd = -1, .listen_fd = -1 };
  bool good = true;

  if (argc == 3 && strncmp(argv[1], "--send=", 7) == 0)
    return send_command(argv[1] + 7, argv[2]);
  if (!set_up(&p, argc, argv))
    return usage();
  (void)signal(SIGPIPE, SIG_IGN);
  if (p.control_path)
    p.control_fd = address_listen_unix(p.control_path);
  if (!accept_again(&p) || (p.control_path && p.control_fd < 0)) {
    fprintf(stderr, "tcp_proxy: cannot listen: %s\n", strerror(errno));
    return 1;
  }
  printf("%d\n", p.port);
  (void)fflush(stdout);

  while (good && !p.quit)
    good = turn(&p);

  cut_all(&p);
  if (p.control_path)
    (void)unlink(p.control_path);
  free(p.pfd);
  return !good;
}
