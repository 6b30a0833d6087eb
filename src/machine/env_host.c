/*
 * env_host.c - the machine, its kernel, its clock, and its container or
 * hypervisor.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/facts.h"
#include "machine/env.h"

static void add_os(struct facts *f, const char *root)
{
  char text[256];
  char *name = text;
  size_t len;

  if (!env_field(root, "/etc/os-release", "PRETTY_NAME", text, sizeof(text)))
    return;
  name += *name == '"';
  len = strlen(name);
  if (len > 0 && name[len - 1] == '"')
    name[len - 1] = '\0';
  facts_text(f, "os", name);
}

/* The manufacturer of the board identifies most hypervisors. */
static void add_virtualisation(struct facts *f, const char *root)
{
  char path[PATH_MAX], flags[4096], text[256];

  if (env_field(root, "/proc/cpuinfo", "flags", flags, sizeof(flags)))
    facts_bool(f, "virtualisation.hypervisor",
               strstr(flags, " hypervisor") != NULL);
  if (env_line(root, "/sys/class/dmi/id/sys_vendor", text, sizeof(text)))
    facts_text(f, "virtualisation.vendor", text);
  if (env_line(root, "/sys/hypervisor/type", text, sizeof(text)))
    facts_text(f, "virtualisation.type", text);
  (void)snprintf(path, sizeof(path), "%s/.dockerenv", root);
  if (access(path, F_OK) == 0)
    facts_text(f, "virtualisation.container", "docker");
  (void)snprintf(path, sizeof(path), "%s/run/.containerenv", root);
  if (access(path, F_OK) == 0)
    facts_text(f, "virtualisation.container", "podman");
}

static void add_memory(struct facts *f, const char *root)
{
  static const struct {
    const char *field, *key;
  } of[] = {
    { "MemTotal", "memory.total_bytes" },
    { "MemAvailable", "memory.available_bytes" },
    { "SwapTotal", "memory.swap_bytes" },
  };
  char text[64];
  unsigned long long kib;

  for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
    if (env_field(root, "/proc/meminfo", of[i].field, text, sizeof(text)) &&
        sscanf(text, "%llu", &kib) == 1)
      facts_int(f, of[i].key, (int64_t)(kib * 1024));
  }
}

void env_host(struct facts *f, const char *root)
{
  struct utsname name;

  if (uname(&name) == 0) {
    facts_text(f, "host", name.nodename);
    facts_text(f, "kernel.name", name.sysname);
    facts_text(f, "kernel.release", name.release);
    facts_text(f, "kernel.machine", name.machine);
  }
  add_os(f, root);
  add_memory(f, root);
  add_virtualisation(f, root);
}

void env_clock(struct facts *f, const char *root)
{
  char text[128];

  facts_text(f, "clock.source", clock_source());
  if (env_line(root,
               "/sys/devices/system/clocksource/clocksource0/"
               "current_clocksource",
               text, sizeof(text)))
    facts_text(f, "clock.kernel_source", text);
  facts_real(f, "clock.reading_ns", clock_cost_ns());
}
