/*
 * abi_history.c - records a history: opened in the main state before the first
 * client starts, closed after the last one.
 */
#include <stdio.h>

#include "base/err.h"
#include "base/ffi_api.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"
#include "run/plan.h"
#include "verify/history/scribe.h"

static struct scribe *scribe_of(const struct state *s)
{
  return s ? s->script->workload : NULL;
}

static void abi_history_free_recorder(void *workload)
{
  scribe_free(workload);
}

static bool abi_history_refuse(const struct err *err, char *ret_text,
                               size_t size)
{
  (void)snprintf(ret_text, size, "%s", err->text);
  return false;
}

bool bench_history_open(const char *path, bool lists, char *ret_text,
                        size_t size)
{
  struct state *s = state_current();
  struct err err = { 0 };
  struct scribe *r = NULL;

  if (!s || s->script->workload) {
    (void)err_set(&err, -1, "a history cannot be opened here");
    return abi_history_refuse(&err, ret_text, size);
  }
  if (scribe_open(&r, path, lists ? HISTORY_LISTS : HISTORY_REGISTERS,
                  s->script->setup.plan->threads, &err) < 0)
    return abi_history_refuse(&err, ret_text, size);
  s->script->workload = r;
  s->script->workload_free = abi_history_free_recorder;
  return true;
}

bool bench_history_close(char *ret_text, size_t size)
{
  struct scribe *r = scribe_of(state_current());
  struct err err = { 0 };

  if (r && scribe_close(r, &err) < 0)
    return abi_history_refuse(&err, ret_text, size);
  return true;
}

double bench_history_count(int outcome)
{
  struct scribe *r = scribe_of(state_current());

  return r && outcome >= HISTORY_OK && outcome <= HISTORY_UNKNOWN
           ? (double)scribe_count(r, (enum history_outcome)outcome)
           : 0;
}

void *bench_history_join(double client)
{
  struct scribe *r = scribe_of(state_current());

  return r && client >= 0 && client < UINT32_MAX
           ? scribe_join(r, (uint32_t)client)
           : NULL;
}

void bench_history_begin(void *client)
{
  scribe_begin(client);
}

void bench_history_write(void *client, double key, double value)
{
  scribe_write(client, (uint64_t)key, (uint64_t)value);
}

void bench_history_read(void *client, double key)
{
  scribe_read(client, (uint64_t)key);
}

void bench_history_answer(void *client, const char *text, size_t len)
{
  scribe_answer(client, text, len);
}

void bench_history_end(void *client, int outcome)
{
  scribe_end(client, (enum history_outcome)outcome);
}
