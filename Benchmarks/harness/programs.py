"""The measuring programs: ours, and one for each peer. They all speak one protocol."""
import json
import os
import re
import subprocess

from . import machine, places
from .trouble import Trouble

OURS = "app-receipt-bench"
# The same without the processor's own instructions: less is measured of it.
OURS_PORTABLE = "app-receipt-bench --portable"
OWN = (OURS, OURS_PORTABLE)
COMMAND = "app-receipt"
COMMAND_PORTABLE = "app-receipt --portable"
# In the order of the tables. Go measures the primitives alone, crypto_mb eight signatures at once.
PEERS = {
    "openssl-3.0": "OpenSSL 3.0",
    "openssl-current": "OpenSSL, current",
    "aws-lc": "AWS-LC",
    "gnutls": "GnuTLS",
    "crypto-mb": "crypto_mb",
    "python-cryptography": "Python cryptography",
    "bouncy-castle": "Bouncy Castle",
    "go": "Go",
}
END_TO_END_PEERS = {
    "end-to-end-aws-lc": "AWS-LC, end to end",
    "end-to-end-openssl-3.0": "OpenSSL 3.0, end to end",
}


class Failed(Exception):
    """A program did not do what it was asked; the run goes on without it."""


class Program:
    def __init__(self, name, path, options=()):
        self.name = name
        self.path = path
        self.options = options

    def portable(self):
        """The same program, told to do without the processor's own instructions."""
        return Program(f"{self.name} --portable", self.path, ["--portable"])

    def lines(self, arguments, cpu=None, timeout=900):
        """What it prints: a JSON object for each line."""
        try:
            done = subprocess.run(
                [self.path, *arguments, *self.options],
                capture_output=True,
                text=True,
                timeout=timeout,
                preexec_fn=machine.pinning(cpu),
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Failed(str(error)) from error
        if done.returncode != 0:
            said = " ".join(done.stderr.split())[-300:]
            raise Failed(f"exit status {done.returncode}: {said or 'nothing said'}")
        try:
            return [json.loads(line) for line in done.stdout.splitlines() if line.strip()]
        except ValueError as error:
            raise Failed(f"printed what is not JSON: {error}") from error

    def describe(self):
        lines = self.lines(["describe"], timeout=60)
        if len(lines) != 1 or not {"peer", "version", "built", "measures"} <= lines[0].keys():
            raise Failed("describe did not print one object with peer, version, built and measures")
        return lines[0]

    def check(self, root, files):
        """The verdicts on files under a root, in order."""
        lines = self.lines(["check", "--root", root, *files])
        if len(lines) != len(files):
            raise Failed(f"check printed {len(lines)} verdicts on {len(files)} receipts")
        return lines

    def time(self, measure, source, sampling, cpu):
        """Samples of one measure on one input."""
        arguments = ["time", "--measure", measure]
        if source.get("root"):
            arguments += ["--root", source["root"]]
        arguments += ["--samples", str(sampling["samples"]), "--milliseconds", str(sampling["milliseconds"])]
        lines = self.lines([*arguments, source["argument"]], cpu)
        if len(lines) != 1 or not lines[0].get("nanoseconds"):
            raise Failed("time did not print one object with samples")
        if not all(isinstance(sample, (int, float)) and sample > 0 for sample in lines[0]["nanoseconds"]):
            raise Failed("time printed a sample that is no time")
        return lines[0]


def build_ours(anew):
    """Our measuring program, and the command line that makes corpora and judges them."""
    commands = {
        OURS: ["swift", "build", "--package-path", places.BENCHMARKS, "-c", "release"],
        COMMAND: [
            "swift", "build", "--package-path", places.ROOT, "-c", "release", "--traits", "Accelerated",
            "--product", COMMAND,
        ],
    }
    programs = []
    for name, command in commands.items():
        package = command[3]
        if anew:
            try:
                done = subprocess.run(command, capture_output=True, text=True, check=False)
            except OSError as error:
                raise Trouble(f"cannot run swift ({error}): install a Swift toolchain, 6.2 or newer") from error
            if done.returncode != 0:
                raise Trouble(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        path = os.path.join(package, ".build", "release", name)
        if not os.path.exists(path):
            raise Trouble(f"{places.shown(path)} is not there: run without --no-build")
        programs.append(Program(name, path))
    return programs


def compiler():
    """The Swift compiler's name for itself."""
    found = re.search(r"Swift version.*", machine.output_of("swift", "--version"))
    return found.group(0) if found else "not known"


def find(names, directory):
    """The programs that are there, and the names of those that are not."""
    paths = {name: os.path.join(directory, name) for name in names}
    there = [Program(name, path) for name, path in paths.items() if os.access(path, os.X_OK)]
    return there, [name for name, path in paths.items() if not os.access(path, os.X_OK)]


def why_missing(name, directory):
    """What whoever tried to build a peer left behind about it, beside the directory of executables."""
    library = name.removeprefix("end-to-end-")
    said = machine.read(os.path.join(os.path.dirname(directory), library + ".missing"))
    return said or f"not in {places.shown(directory)}; Benchmarks/Peers says how to build it"
