/*
 * elf.h - what Linux and FreeBSD share.
 */
#ifndef BENCH_OS_ELF_H
#define BENCH_OS_ELF_H

#define OS_MODULE_SUFFIX ".so"

/* Around a function in assembler, local to the program. */
#define OS_ASM_BEGIN(name)     \
  ".text\n"                    \
  ".globl " name "\n"          \
  ".hidden " name "\n"         \
  ".type " name ", STT_FUNC\n" \
  ".p2align 4\n" name ":\n"
#define OS_ASM_END(name) ".size " name ", . - " name "\n"

/* AT_HWCAP (for src/base/os only). */
unsigned long elf_hwcap(void);

#endif
