"""The machine: what it is, one processor of it for one program, and the time that a hypervisor takes away."""
import os
import platform
import subprocess


def read(path):
    """A file's text without space around it; nothing where it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


def output_of(*command, cwd=None):
    """What a command prints; nothing where there is none."""
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def last_level_cache():
    """Its size in octets; 0 where nobody says."""
    largest = 0
    for index in range(8):
        size = read(f"/sys/devices/system/cpu/cpu0/cache/index{index}/size")
        if size.endswith("K"):
            largest = max(largest, int(size[:-1]) << 10)
    return largest


def facts():
    """What a figure depends on."""
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
        "governor": governor or "not to be read",
        "last_level_cache_bytes": last_level_cache(),
        "memory": next(
            (line.split(":")[1].strip() for line in read("/proc/meminfo").splitlines() if "MemTotal" in line), ""
        ),
        "kernel": f"{platform.system()} {platform.release()}",
        "libc": " ".join(platform.libc_ver()),
        "load_at_start": list(os.getloadavg()),
    }


def not_counted():
    """What was not counted, and why."""
    try:
        done = subprocess.run(
            ["perf", "stat", "-e", "instructions:u", "true"], capture_output=True, text=True, check=False
        )
        works = done.returncode == 0 and "not supported" not in done.stderr
        reason = "perf has them here, but this runner does not read them" if works else (
            "perf says that this machine does not support them"
        )
    except OSError:
        reason = "perf is not installed"
    missing = [f"Instructions, cycles, branch and cache misses: {reason}."]
    if "avx512f" in facts()["instructions"]:
        missing.append(
            "Instructions under valgrind: it knows no AVX-512, which the peers choose here; it would count "
            "programs that nobody runs."
        )
    missing.append("Allocations of the peers: only our program counts its own.")
    return missing


class Steal:
    """The share of the processors' time that went to other machines, from one moment on."""

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
        """From 0 to 1; None where the system does not say."""
        end = self.ticks()
        if self.start is None or end is None:
            return None
        total = end[0] - self.start[0]
        return (end[1] - self.start[1]) / total if total > 0 else 0.0


def chosen_cpu(wanted):
    """The processor to pin to: the last one, which gets the fewest interrupts. None where there is no pinning."""
    if not hasattr(os, "sched_getaffinity"):
        return None
    allowed = sorted(os.sched_getaffinity(0))
    return wanted if wanted in allowed else allowed[-1]


def pinning(cpu):
    """What a child has to do before it becomes the program."""
    return None if cpu is None else lambda: os.sched_setaffinity(0, {cpu})
