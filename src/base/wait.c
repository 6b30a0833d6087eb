#include "base/wait.h"

#include <time.h>

#include "base/clock.h"
#include "base/os/os.h"

void wait_while(_Atomic uint32_t *word, uint32_t value, uint64_t until_ns)
{
  const struct timespec until = clock_timespec(until_ns);

  os_wait(word, value, until_ns == WAIT_FOREVER ? NULL : &until);
}

void wait_wake_all(_Atomic uint32_t *word)
{
  os_wake(word);
}
