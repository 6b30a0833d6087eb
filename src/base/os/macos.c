#include <errno.h>
#include <mach-o/dyld.h>
#include <math.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysctl.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/os/os.h"

const char *const os_lacks =
  "O_DIRECT (F_NOCACHE is used), native asynchronous I/O, io_uring, threads "
  "bound to "
  "processors, huge pages and "
  "NUMA nodes on request, steps that end with a killed sweep, counters of the "
  "processor and the system from /proc";

bool os_program(char ret[PATH_MAX])
{
  char path[PATH_MAX];
  uint32_t size = sizeof(path);

  return _NSGetExecutablePath(path, &size) == 0 && realpath(path, ret) != NULL;
}

int os_unsent(int fd, int *ret)
{
  socklen_t len = sizeof(*ret);

  return getsockopt(fd, SOL_SOCKET, SO_NWRITE, ret, &len);
}

pid_t os_peer(int fd)
{
  pid_t pid = 0;
  socklen_t len = sizeof(pid);

  return getsockopt(fd, SOL_LOCAL, LOCAL_PEERPID, &pid, &len) == 0 ? pid : 0;
}

int prctl(int what, ...)
{
  (void)what;
  errno = ENOSYS;
  return -1;
}

/* ---- memory, random bytes, names ---- */

void *reallocarray(void *p, size_t n, size_t size)
{
  size_t bytes;

  if (__builtin_mul_overflow(n, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(p, bytes);
}

void explicit_bzero(void *p, size_t n)
{
  (void)memset_s(p, n, 0, n);
}

ssize_t getrandom(void *to, size_t n, unsigned flags)
{
  size_t done = 0;

  (void)flags;
  while (done < n) {
    const size_t part = n - done < 256 ? n - done : 256;

    if (getentropy((char *)to + done, part) < 0)
      return -1;
    done += part;
  }
  return (ssize_t)n;
}

pid_t os_thread(void)
{
  uint64_t id = 0;

  (void)pthread_threadid_np(NULL, &id);
  return (pid_t)id;
}

void os_name_thread(const char *name)
{
  (void)pthread_setname_np(name);
}

/* The system reports the upper end. */
bool os_stack(void **ret_low, size_t *ret_bytes)
{
  *ret_bytes = pthread_get_stacksize_np(pthread_self());
  *ret_low = (char *)pthread_get_stackaddr_np(pthread_self()) - *ret_bytes;
  return true;
}

int memfd_create(const char *name, unsigned flags)
{
  const char *folder = getenv("TMPDIR");
  char path[1024];
  int fd;

  (void)flags;
  if (snprintf(path, sizeof(path), "%s/%s.XXXXXX", folder ? folder : "/tmp",
               name) >= (int)sizeof(path)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  fd = mkstemp(path);
  if (fd >= 0)
    (void)unlink(path);
  return fd;
}

/* ---- descriptors ---- */

static int with_flags(int fd, int flags)
{
  if (fd < 0)
    return -1;
  if ((flags & (SOCK_CLOEXEC | O_CLOEXEC)) != 0)
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
  if ((flags & (SOCK_NONBLOCK | O_NONBLOCK)) != 0)
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  return fd;
}

/* A broken connection gives no signal. */
static int without_signal(int fd)
{
  const int on = 1;

  if (fd >= 0)
    (void)setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on));
  return fd;
}

int os_stream_socket(int domain)
{
  return without_signal(
    with_flags(socket(domain, SOCK_STREAM, 0), SOCK_CLOEXEC | SOCK_NONBLOCK));
}

int accept4(int fd, struct sockaddr *ret, socklen_t *len, int flags)
{
  return without_signal(with_flags(accept(fd, ret, len), flags));
}

int pipe2(int fds[2], int flags)
{
  if (pipe(fds) < 0)
    return -1;
  (void)with_flags(fds[0], flags);
  (void)with_flags(fds[1], flags);
  return 0;
}

/* In whole milliseconds, rounded up. */
int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *limit,
          const sigset_t *mask)
{
  int ms = -1;

  if (mask) {
    errno = ENOSYS;
    return -1;
  }
  if (limit)
    ms = limit->tv_sec > 1000000
           ? 1000000000
           : (int)(limit->tv_sec * 1000 + (limit->tv_nsec + 999999) / 1000000);
  return poll(fds, n, ms);
}

int eventfd(unsigned value, int flags)
{
  struct sockaddr_in at = { .sin_family = AF_INET,
                            .sin_addr = { htonl(INADDR_LOOPBACK) } };
  socklen_t len = sizeof(at);
  const int fd = with_flags(socket(AF_INET, SOCK_DGRAM, 0), flags);
  int code;

  (void)value;
  if (fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 &&
      getsockname(fd, (struct sockaddr *)&at, &len) == 0 &&
      connect(fd, (struct sockaddr *)&at, len) == 0)
    return fd;
  code = errno;
  if (fd >= 0)
    (void)close(fd);
  errno = code;
  return -1;
}

/* ---- files ---- */

_Static_assert((O_DIRECT &
                (O_ACCMODE | O_NONBLOCK | O_APPEND | O_SHLOCK | O_EXLOCK |
                 O_ASYNC | O_SYNC | O_DSYNC | O_NOFOLLOW | O_CREAT | O_TRUNC |
                 O_EXCL | O_DIRECTORY | O_CLOEXEC)) == 0,
               "O_DIRECT is no other flag");

/* Writes the cached parts of a file and drops them. */
static int drop_cache(int fd)
{
  const off_t piece = (off_t)1 << 30;
  struct stat st;

  if (fstat(fd, &st) < 0)
    return -1;
  if (!S_ISREG(st.st_mode))
    return 0;
  for (off_t at = 0; at < st.st_size; at += piece) {
    const off_t left = st.st_size - at;
    const size_t n = (size_t)(left < piece ? left : piece);
    void *p = mmap(NULL, n, PROT_READ, MAP_SHARED, fd, at);
    bool ok;

    if (p == MAP_FAILED)
      return -1;
    ok = msync(p, n, MS_SYNC | MS_INVALIDATE) == 0;
    (void)munmap(p, n);
    if (!ok)
      return -1;
  }
  return 0;
}

/* F_NOCACHE alone would read cached parts. */
int os_open(int folder, const char *path, int flags, mode_t mode)
{
  const int fd = openat(folder, path, flags & ~O_DIRECT, mode);
  int code;

  if (fd < 0 || !(flags & O_DIRECT) ||
      (fcntl(fd, F_NOCACHE, 1) == 0 && drop_cache(fd) == 0))
    return fd;
  code = errno;
  (void)close(fd);
  errno = code;
  return -1;
}

int fdatasync(int fd)
{
  return fcntl(fd, F_FULLFSYNC) < 0 ? fsync(fd) : 0;
}

int posix_fadvise(int fd, off_t from, off_t n, int advice)
{
  if (advice != POSIX_FADV_DONTNEED || from != 0 || n != 0)
    return ENOTSUP;
  return drop_cache(fd) == 0 ? 0 : errno;
}

int posix_fallocate(int fd, off_t from, off_t n)
{
  struct stat st;
  fstore_t room = { .fst_flags = F_ALLOCATEALL, .fst_posmode = F_PEOFPOSMODE };

  if (fstat(fd, &st) < 0)
    return errno;
  if (from + n <= st.st_size)
    return 0;
  room.fst_length = from + n - st.st_size;
  if (fcntl(fd, F_PREALLOCATE, &room) < 0 || ftruncate(fd, from + n) < 0)
    return errno;
  return 0;
}

/* ---- time ---- */

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until,
                    struct timespec *ret_left)
{
  const uint64_t end = (uint64_t)until->tv_sec * 1000000000 +
                       (uint64_t)until->tv_nsec;
  const uint64_t now = clock_gettime_nsec_np(CLOCK_UPTIME_RAW);
  struct timespec left;

  (void)clock, (void)flags, (void)ret_left;
  if (now >= end)
    return 0;
  left.tv_sec = (time_t)((end - now) / 1000000000);
  left.tv_nsec = (long)((end - now) % 1000000000);
  return nanosleep(&left, NULL) < 0 ? errno : 0;
}

/* ---- processors ---- */

#if defined(__aarch64__)
bool os_arm_has(enum os_arm what)
{
  static const char *const names[] = {
    [OS_ARM_AES] = "hw.optional.arm.FEAT_AES",
    [OS_ARM_SHA2] = "hw.optional.arm.FEAT_SHA256",
    [OS_ARM_CRC32] = "hw.optional.armv8_crc32",
  };
  int has = 0;
  size_t size = sizeof(has);

  return sysctlbyname(names[what], &has, &size, NULL, 0) == 0 && has != 0;
}
#endif

size_t os_cpus_bytes(size_t cpus)
{
  return (cpus + 63) / 64 * sizeof(uint64_t);
}

bool os_cpu_is_in(size_t cpu, size_t bytes, const cpu_set_t *set)
{
  const uint64_t *bits = set->bits;

  return cpu < 8 * bytes && (bits[cpu / 64] >> (cpu % 64) & 1) != 0;
}

void os_cpu_add(size_t cpu, size_t bytes, cpu_set_t *set)
{
  uint64_t *bits = set->bits;

  if (cpu < 8 * bytes)
    bits[cpu / 64] |= (uint64_t)1 << (cpu % 64);
}

void os_cpu_clear(size_t bytes, cpu_set_t *set)
{
  memset(set, 0, bytes);
}

int os_cpu_count(const cpu_set_t *set)
{
  int n = 0;

  for (size_t i = 0; i < sizeof(set->bits) / sizeof(set->bits[0]); i++)
    n += __builtin_popcountll(set->bits[i]);
  return n;
}

int sched_getaffinity(pid_t thread, size_t bytes, cpu_set_t *ret)
{
  const long n = sysconf(_SC_NPROCESSORS_ONLN);

  (void)thread;
  os_cpu_clear(bytes, ret);
  for (long i = 0; i < n; i++)
    os_cpu_add((size_t)i, bytes, ret);
  return 0;
}

int sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t *set)
{
  (void)thread, (void)bytes, (void)set;
  errno = ENOSYS;
  return -1;
}
