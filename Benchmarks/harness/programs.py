"""The measuring programs: ours, and one for each peer. All have the same commands and output."""
import json
import os
import re
import subprocess

from . import machine, places
from .trouble import Trouble

OURS = "app-receipt-bench"
# Our program without the processor's special instructions. Fewer measures are taken of it.
OURS_PORTABLE = "app-receipt-bench --portable"
OWN = (OURS, OURS_PORTABLE)
COMMAND = "app-receipt"
COMMAND_PORTABLE = "app-receipt --portable"
# The peers in the order of the tables. Go has only primitives, crypto_mb only eight signatures at once.
PEERS = {
    "openssl-3.0": "OpenSSL 3.0",
    "openssl-current": "OpenSSL, current",
    "aws-lc": "AWS-LC",
    "gnutls": "GnuTLS",
    "crypto-mb": "crypto_mb",
    "app-store-server-library": "Apple's library",
    "apple-purchase-receipt-verifier": "apple-purchase-receipt-verifier",
    "python-cryptography": "Python cryptography",
    "bouncy-castle": "Bouncy Castle",
    "go": "Go",
}
END_TO_END_PEERS = {
    "end-to-end-aws-lc": "AWS-LC, end to end",
    "end-to-end-openssl-3.0": "OpenSSL 3.0, end to end",
}


class Failed(Exception):
    """A program failed or printed something else than its protocol allows. The run continues without it."""


class Program:
    def __init__(self, name, path, options=()):
        self.name = name
        self.path = path
        self.options = options
        # Variables of the environment that only this program gets.
        self.environment = {}

    def portable(self):
        """Returns this program with the option that turns off the processor's special instructions."""
        return Program(f"{self.name} --portable", self.path, ["--portable"])

    def lines(self, arguments, cpu=None, timeout=900):
        """Runs the program and returns the JSON objects that it prints, one for each line."""
        try:
            done = subprocess.run(
                [self.path, *arguments, *self.options],
                capture_output=True,
                text=True,
                timeout=timeout,
                preexec_fn=machine.pinning(cpu),
                env={**os.environ, **self.environment},
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Failed(str(error)) from error
        if done.returncode != 0:
            message = " ".join(done.stderr.split())[-300:]
            raise Failed(f"exit status {done.returncode}: {message or 'no message'}")
        try:
            return [json.loads(line) for line in done.stdout.splitlines() if line.strip()]
        except ValueError as error:
            raise Failed(f"printed something that is not JSON: {error}") from error

    def describe(self):
        lines = self.lines(["describe"], timeout=60)
        if len(lines) != 1 or not {"peer", "version", "built", "measures"} <= lines[0].keys():
            raise Failed("describe did not print one object with peer, version, built and measures")
        return lines[0]

    def check(self, root, files):
        """Returns the program's verdicts on the files under a root, in order."""
        lines = self.lines(["check", "--root", root, *files])
        if len(lines) != len(files):
            raise Failed(f"check printed {len(lines)} verdicts on {len(files)} inputs")
        return lines

    def time(self, measure, source, sampling, cpu):
        """Takes samples of one measure on one input."""
        arguments = ["time", "--measure", measure]
        if source.get("root"):
            arguments += ["--root", source["root"]]
        arguments += ["--samples", str(sampling["samples"]), "--milliseconds", str(sampling["milliseconds"])]
        lines = self.lines([*arguments, source["argument"]], cpu)
        if len(lines) != 1 or not lines[0].get("nanoseconds"):
            raise Failed("time did not print one object with samples")
        if not all(isinstance(sample, (int, float)) and sample > 0 for sample in lines[0]["nanoseconds"]):
            raise Failed("time printed a sample that is not a positive number")
        return lines[0]


def build_ours(anew, names):
    """Builds those of our programs if `anew` is true, and returns them: our measuring program and the command line
    app-receipt."""
    programs = []
    environment = dict(os.environ, APP_RECEIPT_DEVELOPMENT="1")
    for name in names:
        command = ["swift", "build", "--package-path", places.ROOT, "-c", "release", "--product", name]
        if anew:
            try:
                done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
            except OSError as error:
                raise Trouble(f"cannot run swift ({error}): install a Swift toolchain, 6.2 or newer") from error
            if done.returncode != 0:
                raise Trouble(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        path = os.path.join(places.ROOT, ".build", "release", name)
        if not os.path.exists(path):
            raise Trouble(f"{places.shown(path)} does not exist: run without --no-build")
        programs.append(Program(name, path))
    return programs


def compiler():
    """Returns the Swift compiler's version."""
    found = re.search(r"Swift version.*", machine.output_of("swift", "--version"))
    return found.group(0) if found else "unknown"


def find(names, directory):
    """Returns the programs that exist, and the names of the missing ones."""
    paths = {name: os.path.join(directory, name) for name in names}
    existing = [Program(name, path) for name, path in paths.items() if os.access(path, os.X_OK)]
    return existing, [name for name, path in paths.items() if not os.access(path, os.X_OK)]


def reason_missing(name, directory):
    """Returns why a peer is missing: the reason that Peers/fetch wrote beside the executables, or a hint."""
    library = name.removeprefix("end-to-end-")
    reason = machine.read(os.path.join(os.path.dirname(directory), library + ".missing"))
    return reason or f"not in {places.shown(directory)}; see Benchmarks/Peers for how to build it"
