/*
 * What the program needs of the calls in src/base/os, on every system: here,
 * those of Linux keep the promises that the files of other systems have to
 * keep.
 */
#include "base/os/os.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "tests/unit/tap.h"

static bool can_read(int fd)
{
  struct pollfd p = { .fd = fd, .events = POLLIN };

  return poll(&p, 1, 0) == 1 && (p.revents & POLLIN);
}

static bool is_closed_on_exec(int fd)
{
  return (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
}

static void test_words(void)
{
  unsigned char bytes[8];
  size_t many = SIZE_MAX / 2;
  const uint64_t number = htobe64(UINT64_C(0x0102030405060708));
  void *p;

  memcpy(bytes, &number, sizeof(bytes));
  OK(bytes[0] == 1 && bytes[7] == 8, "big-endian: the highest byte is first");
  OK(le32toh(htole32(0x01020304)) == 0x01020304, "there and back");
  OPAQUE(many); /* compilers refuse it, too */
  errno = 0;
  p = reallocarray(NULL, many, 4);
  OPAQUE(p); /* clang leaves out memory that nobody uses */
  OK(!p && errno == ENOMEM,
     "reallocarray: a product that overflows is refused");
  OK(getrandom(bytes, sizeof(bytes), 0) == (ssize_t)sizeof(bytes),
     "random bytes");
  explicit_bzero(bytes, sizeof(bytes));
  OK(bytes[0] == 0 && bytes[7] == 0, "bytes are gone");
}

static void test_descriptors(void)
{
  const uint64_t one = 1;
  uint64_t n = 0;
  int fds[2], fd;

  OK(pipe2(fds, O_CLOEXEC | O_NONBLOCK) == 0 && is_closed_on_exec(fds[0]) &&
       is_closed_on_exec(fds[1]),
     "pipe2: not for children");
  OK(read(fds[0], &n, 1) == -1 && errno == EAGAIN, "pipe2: does not block");
  (void)close(fds[0]);
  (void)close(fds[1]);

  fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  OK(fd >= 0 && !can_read(fd), "eventfd: nothing has happened");
  OK(write(fd, &one, sizeof(one)) == sizeof(one) && can_read(fd),
     "eventfd: it has");
  OK(read(fd, &n, sizeof(n)) == sizeof(n) && n == 1 && !can_read(fd),
     "eventfd: it is told once");
  (void)close(fd);

  fd = memfd_create("test", 0);
  OK(fd >= 0 && write(fd, "secret", 6) == 6 && !is_closed_on_exec(fd),
     "a file without a name, for children");
  (void)close(fd);
}

static void test_epoll(void)
{
  struct epoll_event event = { .events = EPOLLIN | EPOLLET }, got[4];
  const int queue = epoll_create1(EPOLL_CLOEXEC);
  char byte;
  int fds[2];

  OK(queue >= 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0, "a queue");
  event.data.fd = fds[0];
  OK(epoll_ctl(queue, EPOLL_CTL_ADD, fds[0], &event) == 0 &&
       epoll_wait(queue, got, 4, 0) == 0,
     "nothing to read");
  OK(write(fds[1], "x", 1) == 1 && epoll_wait(queue, got, 4, -1) == 1 &&
       got[0].data.fd == fds[0] && (got[0].events & EPOLLIN),
     "something to read");
  OK(epoll_wait(queue, got, 4, 0) == 0, "an edge is told once");
  event.events = EPOLLOUT | EPOLLET;
  OK(read(fds[0], &byte, 1) == 1 &&
       epoll_ctl(queue, EPOLL_CTL_MOD, fds[0], &event) == 0 &&
       epoll_wait(queue, got, 4, -1) == 1 && (got[0].events & EPOLLOUT),
     "room to write");
  OK(epoll_ctl(queue, EPOLL_CTL_DEL, fds[0], NULL) == 0 &&
       write(fds[1], "x", 1) == 1 && epoll_wait(queue, got, 4, 0) == 0,
     "forgotten");
  OK(os_peer(fds[0]) == getpid(), "the other end is this process");
  OK(os_peer(queue) == 0, "no socket has no other end");
  (void)close(fds[0]);
  (void)close(fds[1]);
  (void)close(queue);
}

static void test_signals(void)
{
  const struct timespec no_time = { .tv_sec = 0 };
  sigset_t set;
  int fd;

  (void)sigemptyset(&set);
  (void)sigaddset(&set, SIGUSR1);
  (void)sigprocmask(SIG_BLOCK, &set, NULL);
  fd = signalfd(-1, &set, SFD_CLOEXEC);
  OK(fd >= 0 && !can_read(fd), "no signal yet");
  OK(sigtimedwait(&set, NULL, &no_time) == -1 && errno == EAGAIN,
     "none is waited for in vain");
  (void)kill(getpid(), SIGUSR1);
  OK(can_read(fd), "a signal can be polled");
  OK(sigwaitinfo(&set, NULL) == SIGUSR1, "and taken");
  (void)kill(getpid(), SIGUSR1);
  OK(sigtimedwait(&set, NULL, &no_time) == SIGUSR1, "one that is pending");
  (void)close(fd);
}

static _Atomic uint32_t word;

static void *change_word(void *unused)
{
  atomic_store(&word, 1);
  os_wake(&word);
  return unused;
}

static void test_waits(void)
{
  const struct timespec long_ago = { .tv_sec = 0, .tv_nsec = 1 };
  unsigned turns = 0;
  pthread_t thread;
  struct timespec soon, now;

  os_wait(&word, 0, &long_ago);
  OK(atomic_load(&word) == 0, "a moment that has passed is not waited for");
  os_wait(&word, 5, NULL);
  OK(atomic_load(&word) == 0, "nor is a word that has another value");

  (void)clock_gettime(CLOCK_MONOTONIC, &soon);
  soon.tv_nsec += 20 * NS_PER_MS;
  soon.tv_sec += soon.tv_nsec / (long)NS_PER_S;
  soon.tv_nsec %= (long)NS_PER_S;
  do {
    os_wait(&word, 0, &soon);
    turns++;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec < soon.tv_sec ||
           (now.tv_sec == soon.tv_sec && now.tv_nsec < soon.tv_nsec));
  OK(turns < 100, "a moment is waited for, asleep");

  OK(pthread_create(&thread, NULL, change_word, NULL) == 0, "a thread");
  while (atomic_load(&word) == 0)
    os_wait(&word, 0, NULL);
  (void)pthread_join(thread, NULL);
  OK(atomic_load(&word) == 1, "who waits is woken");
}

static void test_threads(void)
{
  void *low = NULL;
  size_t bytes = 0;
  char here;

  OK(os_stack(&low, &bytes) && &here > (char *)low &&
       &here < (char *)low + bytes,
     "where the stack is");
  OK(os_thread() > 0, "the number of a thread");
}

enum {
  GUARD_INSTALL = 102, /* of madvise() */
};

static void test_memory(void)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  int fds[2];
  char *p;

  p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
           -1, 0);
  MUST(p != MAP_FAILED && pipe(fds) == 0);
  memset(p, 1, 2 * page);
  OK(os_release(p, page) == 0 && p[page] == 1, "pages are given back");
#ifdef __linux__
  OK(p[0] == 0, "what was in them is lost");
  /* An emulator says of each advice that it is done. */
  OK(os_can_guard() ==
       (madvise(NULL, 0, -1) < 0 && madvise(p, page, GUARD_INSTALL) == 0),
     "a system with guards is seen");
#endif
  if (!os_can_guard()) {
    printf("# guards take a map of their own here\n");
    return;
  }
  OK(os_guard(p, page) == 0, "a guard");
  OK(write(fds[1], p, 1) == -1 && errno == EFAULT, "it cannot be read");
  OK(write(fds[1], p + page, 1) == 1, "what is beside it can");
  (void)munmap(p, 2 * page);
  (void)close(fds[0]);
  (void)close(fds[1]);
}

static void test_sockets(void)
{
  struct pollfd p = { .events = POLLIN };
  char byte = 0;
  int fds[2];

  OK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0 &&
       os_send(fds[0], "x", 1, 0) == 1,
     "a byte is sent");
  p.fd = fds[1];
  OK(os_poll(&p) == 1 && (p.revents & POLLIN), "it is waited for");
  OK(os_recv(fds[1], &byte, 1) == 1 && byte == 'x', "and received");
  OK(os_recv(-1, &byte, 1) == -1 && errno == EBADF, "an error is in errno");
  (void)close(fds[1]);
  OK(os_send(fds[0], "x", 1, 0) == -1 && errno == EPIPE,
     "a connection that is broken gives no signal");
  (void)close(fds[0]);
}

static void test_files(void)
{
  char path[] = "/tmp/os.XXXXXX";
  int fd = mkstemp(path);

  OK(fd >= 0 && write(fd, "x", 1) == 1, "a file");
  (void)close(fd);
  fd = os_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  OK(fd >= 0 && is_closed_on_exec(fd), "it is opened");
  (void)close(fd);
  fd = os_open(AT_FDCWD, path, O_RDONLY | O_DIRECT, 0);
  OK(fd >= 0 || errno == EINVAL,
     "past the cache, or the file system is said not to do that");
  if (fd >= 0)
    (void)close(fd);
  (void)unlink(path);
  OK(os_open(AT_FDCWD, path, O_RDONLY | O_DIRECT, 0) == -1 && errno == ENOENT,
     "a missing file");
  OK(!os_in_memory(-1), "no file is not in memory");
#ifdef __linux__
  fd = memfd_create("memory", 0);
  OK(fd >= 0 && os_in_memory(fd), "a file in memory");
  (void)close(fd);
  fd = open("/proc/self", O_PATH | O_CLOEXEC);
  OK(fd < 0 || !os_in_memory(fd), "a file that is not");
  if (fd >= 0)
    (void)close(fd);
#endif
}

static void test_program(void)
{
  char path[PATH_MAX] = "", whole[PATH_MAX] = "";

  OK(os_program(path) && access(path, X_OK) == 0, "where this program is");
  OK(realpath(path, whole) && strcmp(path, whole) == 0,
     "the whole path, without links");
}

static void test_processors(void)
{
  cpu_set_t set;

  CPU_ZERO(&set);
  CPU_SET(3, &set);
  OK(CPU_COUNT(&set) == 1 && CPU_ISSET(3, &set) && !CPU_ISSET(2, &set),
     "a set of processors");
  OK(sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0,
     "those of this process");
}

int main(void)
{
  OK(os_lacks != NULL, "what is missing can be said");
  test_words();
  test_descriptors();
  test_epoll();
  test_signals();
  test_processors();
  test_waits();
  test_threads();
  test_memory();
  test_sockets();
  test_files();
  test_program();
  return TAP_EXIT();
}
