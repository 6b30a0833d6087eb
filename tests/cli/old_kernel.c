/*
 * old_kernel.c - runs a program for which madvise() refuses all advice that
 * came after Linux 4.18, as that kernel does.
 *
 * usage: old_kernel PROGRAM [ARGUMENT]...
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
  /* What 4.18 has: 0 (MADV_NORMAL) to 19 (MADV_KEEPONFORK), and two for tests.
   */
  LAST = 19,
  FIRST_OF_TESTS = 100,
  LAST_OF_TESTS = 101
};

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ADVICE offsetof(struct seccomp_data, args[2])
#else
#define ADVICE (offsetof(struct seccomp_data, args[2]) + 4)
#endif

int main(int argc, char **argv)
{
  struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 4),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ADVICE),
    BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, LAST_OF_TESTS, 3, 0),
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_OF_TESTS, 1, 0),
    BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, LAST, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
  };
  const struct sock_fprog program = {
    .len = sizeof(filter) / sizeof(filter[0]),
    .filter = filter,
  };

  if (argc < 2)
    return 2;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
    perror("old_kernel: cannot filter calls");
    return 77;
  }
  (void)execvp(argv[1], argv + 1);
  perror(argv[1]);
  return 1;
}
