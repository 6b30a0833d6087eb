/*
 * main.c - options -> plan -> command -> exit status; no logic.
 */
#include "base/log.h"

int main(void)
{
  log_init();
  log_flush();
  return 0;
}
