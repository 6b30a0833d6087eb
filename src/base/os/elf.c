#include "base/os/elf.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/socket.h>

#include "base/os/os.h"

int os_stream_socket(int domain)
{
  return socket(domain, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

int os_open(int folder, const char *path, int flags, mode_t mode)
{
  return openat(folder, path, flags, mode);
}

#if defined(__aarch64__)
bool os_arm_has(enum os_arm what)
{
  static const unsigned long bits[] = {
    [OS_ARM_AES] = HWCAP_AES,
    [OS_ARM_SHA2] = HWCAP_SHA2,
    [OS_ARM_CRC32] = HWCAP_CRC32,
  };

  return (elf_hwcap() & bits[what]) != 0;
}
#endif
