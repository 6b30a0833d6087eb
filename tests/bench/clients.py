#!/usr/bin/env python3
"""clients.py - runs one client program for clients.sh and prints its figures.

cost COMMAND...            microseconds of processor time per query, start and
                           end included, and queries per second, of a report of
                           bench, sysbench or pgbench
start COMMAND...           of bench: seconds until all clients have started, and
                           the milliseconds of processor time until then; after
                           that it is interrupted: seconds until it has ended
resident KIB COMMAND...    of bench: resident KiB when they no longer grow, at
                           work, less KIB
p99 COMMAND...             of bench: milliseconds of the 99th percentile
even COMMAND...            standard deviation of the events of a connection, in
                           percent of their mean, and milliseconds of the 99th
                           percentile, of a report with --percentile=99, or of
                           pgbench with -l --log-prefix=PREFIX; then the two
                           figures of cost, in which pgbench's log has a share
"""
import collections
import glob
import os
import re
import signal
import statistics
import subprocess
import sys
import time


def fail(command, output):
    sys.exit("failed: %s\n%s" % (" ".join(command), output))


def number(pattern, command, output):
    found = re.search(pattern, output)
    if not found:
        fail(command, output)
    return float(found[1])


def finished_with_use(command):
    """What it has printed, and what this one process has used.

    Those of all children would include what ran before this program in its
    process: a script that looks for the right Python, for example.
    """
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as job:
        output = job.stdout.read()
        _, status, used = os.wait4(job.pid, 0)
        job.returncode = os.waitstatus_to_exitcode(status)
    if job.returncode != 0:
        fail(command, output)
    return output, used


def finished(command):
    return finished_with_use(command)[0]


def rate_of(command, output, events):
    rate = re.search(
        r"(?:tps = |(?<!failed )transactions: +\d+ +\()([0-9.]+)", output
    )
    # Only statements have a rate in the report.
    return float(rate[1]) if rate else events / number(
        r"total time: +([0-9.]+)s", command, output
    )


def events_of(command, output):
    return number(
        r"(?:transactions actually processed|total number of events): +(\d+)",
        command, output,
    )


def costs(command, output, used):
    events = events_of(command, output)
    return ((used.ru_utime + used.ru_stime) / events * 1e6,
            rate_of(command, output, events))


def cost(command):
    print(*costs(command, *finished_with_use(command)))


def logged(prefix):
    """Deviation in percent and 99th percentile of what pgbench has logged."""
    lines, times = collections.Counter(), []
    for name in glob.glob(glob.escape(prefix) + ".*"):
        with open(name) as log:
            for line in log:
                client, _, microseconds = line.split(" ", 3)[:3]
                lines[client] += 1
                times.append(int(microseconds))
        os.remove(name)
    counts = lines.values()
    times.sort()
    return (100 * statistics.pstdev(counts) / statistics.mean(counts),
            times[len(times) * 99 // 100] / 1000)


def even(command):
    output, used = finished_with_use(command)
    prefixes = [a.split("=", 1)[1] for a in command if a.startswith("--log-prefix=")]
    if prefixes:
        deviation, late = logged(prefixes[0])
    else:
        events = r"events \(avg/stddev\): +"
        mean = number(events + "([0-9.]+)/", command, output)
        deviation = 100 * number(events + "[0-9.]+/([0-9.]+)", command, output) / mean
        late = number(r"99th percentile: +([0-9.]+)", command, output)
    print(deviation, late, *costs(command, output, used))


def p99(command):
    print(number(r"99th percentile: +([0-9.]+)", command, finished(command)))


def begun(command):
    """The process, and its output up to the line that says it has started."""
    job = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    output = ""
    for line in job.stdout:
        output += line
        if line.startswith("Threads started!"):
            return job, output
    job.wait()
    fail(command, output)


def stop(job, command, output):
    job.send_signal(signal.SIGINT)
    output += job.stdout.read()
    if job.wait() not in (-signal.SIGINT, 128 + signal.SIGINT):
        fail(command, output)


def start(command):
    began = time.monotonic()
    job, output = begun(command)
    seconds = time.monotonic() - began
    with open("/proc/%d/stat" % job.pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    ticks = int(fields[11]) + int(fields[12])
    ending = time.monotonic()
    stop(job, command, output)
    print(seconds, ticks * 1000 / os.sysconf("SC_CLK_TCK"),
          time.monotonic() - ending)


def resident_kib(pid):
    with open("/proc/%d/status" % pid) as f:
        return int(re.search(r"VmRSS:\s+(\d+)", f.read())[1])


def resident(command):
    """The clients' first events add statements, so memory grows for a while: with a
    slow server for a minute."""
    less, command = float(command[0]), command[1:]
    job, output = begun(command)
    last, quiet = 0, 0
    until = time.monotonic() + 100
    while quiet < 12 and time.monotonic() < until:
        time.sleep(0.5)
        now = resident_kib(job.pid)
        quiet = quiet + 1 if now < last * 1.001 else 0
        last = max(now, last)
    stop(job, command, output)
    print(last - less)


if __name__ == "__main__":
    {"cost": cost, "even": even, "start": start, "resident": resident, "p99": p99}[
        sys.argv[1]
    ](sys.argv[2:])
