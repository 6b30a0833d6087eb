"""progress.py - a command on a terminal, which is resized on the way.

usage: progress.py WORD COLUMNS[,COLUMNS...] COMMAND...

Each time that two lines with WORD have been shown the terminal gets the next
width; after the last one the command is interrupted.  With one width it runs to
its end.  Prints the widest line of progress for each width, then what is on the
screen for good.  The exit status is that of the command.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios

LINE = re.compile(rb"\r([^\r\n\033]+)\033\[K")


def resize(pid, terminal, columns):
    """The next width; returns what was shown before.  The command stands still
    meanwhile, so that one line at most is in its hands."""
    before = b""
    os.kill(pid, signal.SIGSTOP)
    os.waitpid(pid, os.WUNTRACED)
    while select.select([terminal], [], [], 0)[0]:
        before += os.read(terminal, 65536)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.kill(pid, signal.SIGCONT)
    return before


def main():
    word, widths = sys.argv[1].encode(), [int(n) for n in sys.argv[2].split(",")]
    pid, terminal = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # also in the background
        size = struct.pack("HHHH", 24, widths[0], 0, 0)
        fcntl.ioctl(2, termios.TIOCSWINSZ, size)
        os.execv(sys.argv[3], sys.argv[3:])
    widest, shown, at, seen, sent = [0] * len(widths), b"", 0, 0, False
    everything = b""
    while True:
        try:
            some = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not some:
            break
        shown += some
        everything += some
        for found in LINE.finditer(shown):
            if word in found[1]:
                seen += 1
                # the first one may have been made before the change
                if seen > 1 or at == 0:
                    widest[at] = max(widest[at], len(found[1]))
        shown = shown[max(shown.rfind(b"\033[K"), 0):]
        if seen >= 3 and len(widths) > 1 and not sent:
            seen, at = 0, at + 1
            if at == len(widths):
                os.kill(pid, signal.SIGINT)
                sent, at = True, at - 1
            else:
                before = resize(pid, terminal, widths[at])
                everything += before
                shown += before
                shown = shown[max(shown.rfind(b"\033[K"), 0):]
    status = os.waitpid(pid, 0)[1]
    for width, n in zip(widths, widest):
        print(f"width {width}: {n}")
    text = LINE.sub(b"", everything).replace(b"\r\033[K", b"")
    print(text.decode().replace("\r\n", "\n"), end="")
    return os.waitstatus_to_exitcode(status)


sys.exit(main())
