/*
 * without_uring.c - runs a program in a system that forbids io_uring, as many
 * containers do.
 *
 * usage: without_uring PROGRAM NAME [ARGUMENT...]     NAME is its argv[0]
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int forbid(void)
{
  struct sock_filter code[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog filter = { .len = sizeof(code) / sizeof(code[0]),
                                     .filter = code };

  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
    return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

int main(int argc, char **argv)
{
  if (argc < 3) {
    (void)fprintf(stderr, "usage: without_uring PROGRAM NAME [ARGUMENT...]\n");
    return 2;
  }
  if (forbid() < 0) {
    perror("without_uring: the system has no filters");
    return 2;
  }
  (void)execv(argv[1], argv + 2);
  perror(argv[1]);
  return 2;
}
