#include "base/machine/env.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/facts.h"
#include "base/machine/cgroup.h"
#include "base/machine/disk.h"
#include "base/machine/proc.h"

#define CPU "/sys/devices/system/cpu"

static void env_add_os(struct facts *f, const char *root)
{
  char text[256];
  char *name = text;
  size_t len;

  if (!proc_field(root, "/etc/os-release", "PRETTY_NAME", text, sizeof(text)))
    return;
  name += *name == '"';
  len = strlen(name);
  if (len > 0 && name[len - 1] == '"')
    name[len - 1] = '\0';
  facts_text(f, "os", name);
}

/* The manufacturer of the board identifies most hypervisors. */
static void env_add_virtualisation(struct facts *f, const char *root)
{
  char path[PATH_MAX], flags[4096], text[256];

  if (proc_field(root, "/proc/cpuinfo", "flags", flags, sizeof(flags)))
    facts_bool(f, "virtualisation.hypervisor",
               strstr(flags, " hypervisor") != NULL);
  if (proc_line(text, sizeof(text), root, "/sys/class/dmi/id/sys_vendor"))
    facts_text(f, "virtualisation.vendor", text);
  if (proc_line(text, sizeof(text), root, "/sys/hypervisor/type"))
    facts_text(f, "virtualisation.type", text);
  (void)snprintf(path, sizeof(path), "%s/.dockerenv", root);
  if (access(path, F_OK) == 0)
    facts_text(f, "virtualisation.container", "docker");
  (void)snprintf(path, sizeof(path), "%s/run/.containerenv", root);
  if (access(path, F_OK) == 0)
    facts_text(f, "virtualisation.container", "podman");
}

static void env_add_memory(struct facts *f, const char *root)
{
  static const struct {
    const char *field, *key;
  } of[] = {
    { "MemTotal", "memory.total_bytes" },
    { "MemAvailable", "memory.available_bytes" },
    { "SwapTotal", "memory.swap_bytes" },
  };
  uint64_t bytes;

  for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
    if (proc_meminfo(root, of[i].field, &bytes))
      facts_int(f, of[i].key, (int64_t)bytes);
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
  env_add_os(f, root);
  env_add_memory(f, root);
  env_add_virtualisation(f, root);
}

void env_clock(struct facts *f, const char *root)
{
  char text[128];

  facts_text(f, "clock.source", clock_source());
  if (proc_line(text, sizeof(text), root,
                "/sys/devices/system/clocksource/clocksource0/"
                "current_clocksource"))
    facts_text(f, "clock.kernel_source", text);
  facts_real(f, "clock.reading_ns", clock_cost_ns());
}

/* A core: the first of siblings. */
static void env_add_cores(struct facts *f, const char *root, long cpus)
{
  long cores = 0;

  for (long i = 0; i < cpus; i++) {
    uint64_t first;

    if (!proc_number(&first, root, CPU "/cpu%ld/topology/thread_siblings_list",
                     i))
      return;
    cores += (long)first == i;
  }
  facts_int(f, "cpu.cores", cores);
}

void env_cpu(struct facts *f, const char *root)
{
  const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  char text[256];

  if (proc_field(root, "/proc/cpuinfo", "model name", text, sizeof(text)))
    facts_text(f, "cpu.model", text);
  facts_int(f, "cpu.online", cpus);
  facts_int(f, "cpu.allowed", cgroup_cpus_allowed());
  env_add_cores(f, root, cpus);
  if (proc_line(text, sizeof(text), root, CPU "/smt/active"))
    facts_bool(f, "cpu.smt", strcmp(text, "1") == 0);
  if (proc_line(text, sizeof(text), root, CPU "/cpu0/cpufreq/scaling_governor"))
    facts_text(f, "cpu.governor", text);
  if (proc_line(text, sizeof(text), root, CPU "/intel_pstate/no_turbo"))
    facts_bool(f, "cpu.turbo", strcmp(text, "0") == 0);
}

void env_limits(struct facts *f, const char *root)
{
  const struct cgroup_limits limits = cgroup_read(root);

  if (limits.cpus > 0.0)
    facts_real(f, "limits.cpu_quota_cpus", limits.cpus);
  if (limits.memory_bytes > 0)
    facts_int(f, "limits.memory_bytes", (int64_t)limits.memory_bytes);
}

static void env_add_text(struct facts *f, const char *key, const char *text)
{
  if (text[0] != '\0')
    facts_text(f, key, text);
}

void env_disk(struct facts *f, const struct disk *d)
{
  env_add_text(f, "disk.folder", d->folder);
  env_add_text(f, "disk.device", d->device);
  env_add_text(f, "disk.file_system", d->fs_type);
  env_add_text(f, "disk.source", d->source);
  env_add_text(f, "disk.mount_options", d->options);
  if (d->rotational_known)
    facts_bool(f, "disk.rotational", d->rotational);
  facts_int(f, "disk.size_bytes", (int64_t)d->size_bytes);
  facts_int(f, "disk.free_bytes", (int64_t)d->free_bytes);
}
