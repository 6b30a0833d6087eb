/*
 * freebsd.c - what FreeBSD has under another name.
 */
#include <pthread_np.h>
#include <stdarg.h>
#include <sys/auxv.h>
#include <sys/filio.h>
#include <sys/ioctl.h>
#include <sys/procctl.h>
#include <sys/socket.h>
#include <sys/sysctl.h>
#include <sys/ucred.h>
#include <sys/un.h>

#include "base/os/os.h"

const char *const os_lacks = "native asynchronous I/O, io_uring, huge pages "
                             "and NUMA nodes on request, counters of the "
                             "processor and the system from /proc";

bool os_program(char ret[PATH_MAX])
{
  static const int name[] = { CTL_KERN, KERN_PROC, KERN_PROC_PATHNAME, -1 };
  size_t size = PATH_MAX;

  return sysctl(name, sizeof(name) / sizeof(name[0]), ret, &size, NULL, 0) == 0;
}

int os_unsent(int fd, int *ret)
{
  return ioctl(fd, FIONWRITE, ret);
}

pid_t os_peer(int fd)
{
  struct xucred peer = { 0 };
  socklen_t len = sizeof(peer);

  return getsockopt(fd, SOL_LOCAL, LOCAL_PEERCRED, &peer, &len) == 0
           ? peer.cr_pid
           : 0;
}

pid_t os_thread(void)
{
  return pthread_getthreadid_np();
}

void os_name_thread(const char *name)
{
  pthread_set_name_np(pthread_self(), name);
}

bool os_stack(void **ret_low, size_t *ret_bytes)
{
  pthread_attr_t attr;
  bool ok;

  if (pthread_attr_init(&attr) != 0)
    return false;
  ok = pthread_attr_get_np(pthread_self(), &attr) == 0 &&
       pthread_attr_getstack(&attr, ret_low, ret_bytes) == 0;
  (void)pthread_attr_destroy(&attr);
  return ok;
}

unsigned long elf_hwcap(void)
{
  unsigned long has = 0;

  (void)elf_aux_info(AT_HWCAP, &has, sizeof(has));
  return has;
}

int prctl(int what, ...)
{
  va_list arguments;
  int number;

  (void)what;
  va_start(arguments, what);
  number = va_arg(arguments, int);
  va_end(arguments);
  return procctl(P_PID, 0, PROC_PDEATHSIG_CTL, &number);
}
