/*
 * elf.h - what Linux and FreeBSD share.
 */
#ifndef BENCH_OS_ELF_H
#define BENCH_OS_ELF_H

/* How the names of modules end that the Lua interpreter loads. */
#define OS_MODULE_SUFFIX ".so"

/* Before and after a function in assembler, for this program only. */
#define OS_ASM_BEGIN(name)     \
  ".text\n"                    \
  ".globl " name "\n"          \
  ".hidden " name "\n"         \
  ".type " name ", STT_FUNC\n" \
  ".p2align 4\n" name ":\n"
#define OS_ASM_END(name) ".size " name ", . - " name "\n"

/* What the kernel says of the processor: AT_HWCAP (for src/os only). */
unsigned long elf_hwcap(void);

#endif
