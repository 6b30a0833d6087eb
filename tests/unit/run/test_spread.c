/*
 * test_spread.c - threads that carry clients keep off each other's processor.
 */
#include <errno.h>
#include <sched.h>
#include <stdbool.h>

#include "os/os.h"
#include "run/spread.h"
#include "tests/unit/tap.h"

/* Instead of the system's: where the calling thread is, and may be. */
static struct {
  int cpu, cpus;
  bool refuses;
  int moves;
} machine;

#ifdef __linux__
int sched_getcpu(void)
{
  return machine.cpu;
}

int sched_getaffinity(pid_t thread, size_t bytes, cpu_set_t *ret)
{
  MUST(thread == 0 && bytes == sizeof(*ret));
  for (int i = 0; i < machine.cpus; i++)
    CPU_SET(i, ret);
  return 0;
}

int sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t *set)
{
  MUST(thread == 0 && bytes == sizeof(*set));
  if (machine.refuses) {
    errno = EPERM;
    return -1;
  }
  machine.moves++;
  if (CPU_ISSET(machine.cpu, set))
    return 0;
  for (machine.cpu = 0; !CPU_ISSET(machine.cpu, set);)
    machine.cpu++;
  return 0;
}
#endif

/* Thread `number` of `s` looks, on this processor.  Returns where it is then.
 */
static int looks(struct spread *s, unsigned number, int cpu)
{
  machine.cpu = cpu;
  spread_look(s, number);
  return machine.cpu;
}

int main(void)
{
  struct spread *s = spread_new(3);

  MUST(s != NULL);
  if (os_cpu() < 0) {
    printf("1..0 # SKIP the system does not say where a thread is\n");
    return 0;
  }
  machine.cpus = 4;
  OK(looks(s, 0, 2) == 2 && looks(s, 1, 3) == 3 && machine.moves == 0,
     "threads on different processors stay there");
  OK(looks(s, 1, 2) == 0, "one that meets another leaves");
  OK(machine.moves == 2, "and may be anywhere after that");
  OK(looks(s, 0, 0) == 0 && machine.moves == 2,
     "the one with the lower number stays");
  machine.cpus = 2;
  OK(looks(s, 1, 1) == 1 && looks(s, 1, 0) == 1,
     "one leaves for the processor that it has come from");
  OK(looks(s, 2, 1) == 1 && machine.moves == 4,
     "with more threads than processors, one stays where another is");
  machine.cpus = 4;
  machine.refuses = true;
  OK(looks(s, 2, 1) == 1, "and so does one that may not move");
  machine.refuses = false;
  OK(looks(s, 2, 1) == 2, "until it may");
  OK(looks(s, 2, -1) == -1, "nothing is done where the system does not say");
  spread_free(s);
  return TAP_EXIT();
}
