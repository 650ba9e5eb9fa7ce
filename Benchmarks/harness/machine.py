"""The machine: its description, pinning a program to one processor, and the time stolen by the hypervisor."""
import os
import platform
import subprocess


def read(path):
    """Returns a file's text without surrounding white space, or an empty string if it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


def output_of(*command, cwd=None):
    """Returns a command's output, or an empty string if the command is missing or fails."""
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def last_level_cache():
    """Returns the size of the last level of cache in bytes, or 0 if the system does not report it."""
    largest = 0
    for index in range(8):
        size = read(f"/sys/devices/system/cpu/cpu0/cache/index{index}/size")
        if size.endswith("K"):
            largest = max(largest, int(size[:-1]) << 10)
    return largest


def facts():
    """Returns the facts about the machine that figures depend on."""
    information = {}
    for line in read("/proc/cpuinfo").splitlines():
        name, _, value = line.partition(":")
        information.setdefault(name.strip(), value.strip())
    flags = information.get("flags", "").split()
    wanted = ["sha_ni", "bmi2", "adx", "avx2", "avx512f", "avx512ifma"]
    governor = read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    return {
        "processor": information.get("model name") or platform.processor() or platform.machine(),
        "family_model_stepping": "/".join(
            information.get(name, "?") for name in ("cpu family", "model", "stepping")
        ),
        "architecture": platform.machine(),
        "processors": os.cpu_count(),
        "instructions": [flag for flag in wanted if flag in flags],
        "virtual": "hypervisor" in flags,
        "governor": governor or "unknown",
        "last_level_cache_bytes": last_level_cache(),
        "memory": next(
            (line.split(":")[1].strip() for line in read("/proc/meminfo").splitlines() if "MemTotal" in line), ""
        ),
        "kernel": f"{platform.system()} {platform.release()}",
        "libc": " ".join(platform.libc_ver()),
        "load_at_start": list(os.getloadavg()),
    }


def not_counted():
    """Returns the list of quantities that are not counted, each with the reason."""
    try:
        done = subprocess.run(
            ["perf", "stat", "-e", "instructions:u", "true"], capture_output=True, text=True, check=False
        )
        works = done.returncode == 0 and "not supported" not in done.stderr
        reason = "perf supports them here, but this harness does not read them" if works else (
            "perf reports that this machine does not support them"
        )
    except OSError:
        reason = "perf is not installed"
    missing = [f"Instructions, cycles, branch and cache misses: {reason}."]
    if "avx512f" in facts()["instructions"]:
        missing.append(
            "Instructions under valgrind: valgrind does not support AVX-512, which the peers use here, so it would "
            "count other code than the code that is timed."
        )
    missing.append("Allocations of the peers: only our program counts its allocations.")
    return missing


class Steal:
    """Measures the share of processor time that the hypervisor gave to other machines since this object was made."""

    def __init__(self, cpu=None):
        self.name = "cpu" if cpu is None else f"cpu{cpu}"
        self.start = self.ticks()

    def ticks(self):
        for line in read("/proc/stat").splitlines():
            words = line.split()
            if words[0] == self.name and len(words) > 8:
                numbers = [int(word) for word in words[1:9]]
                return sum(numbers), numbers[7]
        return None

    def share(self):
        """Returns a share from 0 to 1, or None if the system does not report it."""
        end = self.ticks()
        if self.start is None or end is None:
            return None
        total = end[0] - self.start[0]
        return (end[1] - self.start[1]) / total if total > 0 else 0.0


def chosen_cpu(wanted):
    """Returns the processor to pin programs to: `wanted` if it is allowed, otherwise the last one, which gets the
    fewest interrupts. None if the system cannot pin programs."""
    if not hasattr(os, "sched_getaffinity"):
        return None
    allowed = sorted(os.sched_getaffinity(0))
    return wanted if wanted in allowed else allowed[-1]


def pinning(cpu):
    """Returns the function that a child process calls to pin itself before it starts the program."""
    return None if cpu is None else lambda: os.sched_setaffinity(0, {cpu})
