#include "loop/context.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/os/os.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#elif __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define FIBER_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define FIBER_TSAN 1
#endif

#if defined(FIBER_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif defined(FIBER_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

/* swapcontext() costs a system call, for the signal mask: only for other CPUs,
 * and builds that ask for it. */
#if !defined(FIBER_PORTABLE) && !defined(__aarch64__) && \
  !(defined(__x86_64__) && !defined(__ILP32__))
#define FIBER_PORTABLE 1
#endif

#if defined(FIBER_PORTABLE)
#include <ucontext.h>
#else

/* Saves callee-saved registers on the stack, and its top in *from. */
void context_jump(void **from, void *to);

#if defined(__x86_64__)
#define FIBER_FRAME 7 /* words: six registers and the return address */
/* clang-format off */
__asm__(
  OS_ASM_BEGIN("context_jump")
  "  pushq %rbp\n"
  "  pushq %rbx\n"
  "  pushq %r12\n"
  "  pushq %r13\n"
  "  pushq %r14\n"
  "  pushq %r15\n"
  "  movq %rsp, (%rdi)\n"
  "  movq %rsi, %rsp\n"
  "  popq %r15\n"
  "  popq %r14\n"
  "  popq %r13\n"
  "  popq %r12\n"
  "  popq %rbx\n"
  "  popq %rbp\n"
  "  ret\n"
  OS_ASM_END("context_jump"));
/* clang-format on */

#else /* aarch64 */
#define FIBER_FRAME 20
/* clang-format off */
__asm__(
  OS_ASM_BEGIN("context_jump")
  "  sub sp, sp, #160\n"
  "  stp x19, x20, [sp, #0]\n"
  "  stp x21, x22, [sp, #16]\n"
  "  stp x23, x24, [sp, #32]\n"
  "  stp x25, x26, [sp, #48]\n"
  "  stp x27, x28, [sp, #64]\n"
  "  stp x29, x30, [sp, #80]\n"
  "  stp d8, d9, [sp, #96]\n"
  "  stp d10, d11, [sp, #112]\n"
  "  stp d12, d13, [sp, #128]\n"
  "  stp d14, d15, [sp, #144]\n"
  "  mov x9, sp\n"
  "  str x9, [x0]\n"
  "  mov sp, x1\n"
  "  ldp x19, x20, [sp, #0]\n"
  "  ldp x21, x22, [sp, #16]\n"
  "  ldp x23, x24, [sp, #32]\n"
  "  ldp x25, x26, [sp, #48]\n"
  "  ldp x27, x28, [sp, #64]\n"
  "  ldp x29, x30, [sp, #80]\n"
  "  ldp d8, d9, [sp, #96]\n"
  "  ldp d10, d11, [sp, #112]\n"
  "  ldp d12, d13, [sp, #128]\n"
  "  ldp d14, d15, [sp, #144]\n"
  "  add sp, sp, #160\n"
  "  ret\n"
  OS_ASM_END("context_jump"));
/* clang-format on */

#endif
#endif

/* This thread's last switch: for a context that runs for the first time, and
 * for AddressSanitizer. */
static _Thread_local struct {
  struct context *to, *from;
  const void *stack; /* the stack of `from` */
  size_t bytes;
} latest;

static void context_arrived(void *fake)
{
#ifdef FIBER_ASAN
  __sanitizer_finish_switch_fiber(fake, &latest.stack, &latest.bytes);
  if (latest.from && !latest.from->stack) { /* a thread's */
    latest.from->arg = (void *)(uintptr_t)latest.stack;
    latest.from->bytes = latest.bytes;
  }
#else
  (void)fake;
#endif
}

static void context_begin(void)
{
  struct context *c = latest.to;

  context_arrived(NULL);
  c->fn(c->arg);
  __builtin_trap();
}

void context_switch(struct context *from, struct context *to, int last)
{
  void *fake = NULL;

  (void)last; /* for AddressSanitizer only */
#if defined(FIBER_ASAN)
  __sanitizer_start_switch_fiber(last ? NULL : &fake,
                                 to->stack ? to->stack : to->arg, to->bytes);
#elif defined(FIBER_TSAN)
  __tsan_switch_to_fiber(to->sanitizer, 0);
#endif
  latest.to = to;
  latest.from = from;
#ifdef FIBER_PORTABLE
  (void)swapcontext(from->portable, to->portable);
#else
  context_jump(&from->at, to->at);
#endif
  context_arrived(fake);
}

void context_init(struct context *c)
{
  *c = (struct context){ 0 };
#ifdef FIBER_TSAN
  c->sanitizer = __tsan_get_current_fiber();
#endif
#ifdef FIBER_PORTABLE
  c->portable = calloc(1, sizeof(ucontext_t));
#endif
}

#ifdef FIBER_PORTABLE
static int context_set_start(struct context *c)
{
  ucontext_t *u = calloc(1, sizeof(*u));

  if (!u || getcontext(u) < 0) {
    free(u);
    return -1;
  }
  u->uc_stack.ss_sp = c->stack;
  u->uc_stack.ss_size = c->bytes;
  makecontext(u, context_begin, 0);
  c->portable = u;
  return 0;
}
#else
/* The frame that context_jump() removes, as if context_begin() had been called.
 */
static int context_set_start(struct context *c)
{
  uintptr_t *top = (uintptr_t *)(void *)(c->stack + c->bytes);

#if defined(__x86_64__)
  *--top = 0; /* context_begin() never returns */
  top -= FIBER_FRAME;
  for (int i = 0; i < FIBER_FRAME - 1; i++)
    top[i] = 0;
  top[FIBER_FRAME - 1] = (uintptr_t)context_begin;
#else
  top -= FIBER_FRAME;
  for (int i = 0; i < FIBER_FRAME; i++)
    top[i] = 0;
  top[11] = (uintptr_t)context_begin; /* x30 */
#endif
  c->at = top;
  return 0;
}
#endif

int context_make(struct context *c, char *stack, size_t bytes,
                 void (*fn)(void *arg), void *arg)
{
  *c = (struct context){ .stack = stack, .bytes = bytes, .fn = fn, .arg = arg };
  if (context_set_start(c) < 0)
    return -ENOMEM;
#ifdef FIBER_TSAN
  c->sanitizer = __tsan_create_fiber(0);
#endif
  return 0;
}

void context_free(struct context *c)
{
#ifdef FIBER_TSAN
  if (c->stack && c->sanitizer)
    __tsan_destroy_fiber(c->sanitizer);
#endif
#ifdef FIBER_ASAN
  if (c->stack)
    __asan_unpoison_memory_region(c->stack, c->bytes);
#endif
  free(c->portable);
  *c = (struct context){ 0 };
}
