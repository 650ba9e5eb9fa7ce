"""Calls app-receipt.wasm in wasmtime, without JavaScript. The tests and `measure` use it."""

import ctypes
import json

import wasmtime


class Module:
    """A compiled module. `quickly` compiles in half the time, and the code is slower."""

    def __init__(self, path, quickly=False):
        config = wasmtime.Config()
        if quickly:
            config.cranelift_opt_level = "none"
            config.cranelift_flag_set("regalloc_algorithm", "single_pass")
        self.engine = wasmtime.Engine(config)
        self.module = wasmtime.Module.from_file(self.engine, path)


class Instance:
    """An instance of a module."""

    def __init__(self, module):
        self.store = wasmtime.Store(module.engine)
        self.exports = wasmtime.Instance(self.store, module.module, []).exports(self.store)
        self.memory = self.exports["memory"]

    def call(self, name, *arguments):
        return self.exports["app_receipt_" + name](self.store, *arguments)

    def put(self, data):
        address = self.call("allocate", len(data))
        ctypes.memmove(ctypes.addressof(self.memory.data_ptr(self.store).contents) + address, data, len(data))
        return address


class Signatures(Instance):
    """Verifies single signatures with the module that `build --vectors` makes."""

    HASHES = ["sha1", "sha256", "sha384", "sha512"]

    def verify(self, curve, hash, is_concatenated, *parts):
        return self.run("signature", [curve, self.HASHES.index(hash), int(is_concatenated)], *parts)

    def verify_token(self, *parts):
        return self.run("token", [], *parts)

    def run(self, name, numbers, *parts):
        addresses = [self.put(part) for part in parts]
        pairs = [value for pair in zip(addresses, map(len, parts)) for value in pair]
        found = self.exports[f"vectors_verify_{name}"](self.store, *numbers, *pairs)
        for address in addresses:
            self.call("deallocate", address)
        return found


class Host(Instance):
    """An instance, with a policy for an app."""

    prefix = ""

    def __init__(self, module, environments, bundle_identifier, root):
        super().__init__(module)
        self.out = self.call("allocate", 64)
        self.policy = self.make("policy_create", 0)
        for environment in environments:
            self.text(f"policy_accept_{self.prefix}environment", self.policy, environment.encode())
        self.text("policy_accept_bundle_identifier", self.policy, bundle_identifier.encode())
        if root:
            self.text("policy_trust_root", self.policy, root)

    def word(self):
        return int.from_bytes(self.memory.read(self.store, self.out, self.out + 4), "little")

    def make(self, name, argument):
        if self.call(name, argument, self.out) != 0:
            raise RuntimeError(name)
        return self.word()

    def text(self, name, policy, data):
        address = self.put(data)
        if self.call(name, policy, address, len(data)) != 0:
            raise ValueError(name)
        self.call("deallocate", address)

    def json(self, input, *kind):
        """Returns the verdict's JSON as an object."""
        address = self.put(input)
        self.call(self.prefix + "validate", self.validator, self.cache, *kind, address, len(input), self.out)
        result = self.word()
        self.call(self.prefix + "result_json", result, 0, 0, self.out)
        room = self.word()
        buffer = self.call("allocate", room)
        self.call(self.prefix + "result_json", result, buffer, room, self.out)
        text = bytes(self.memory.read(self.store, buffer, buffer + self.word()))
        self.call(self.prefix + "result_release", result)
        self.call("deallocate", address)
        self.call("deallocate", buffer)
        return json.loads(text)


class Validator(Host):
    """An instance with a validator, and with a cache if one is wanted."""

    def __init__(self, module, environment, bundle_identifier, root=None, cached=True, app_version="", device=b"",
                 now=None, xcode_testing=False, issuer=None):
        super().__init__(module, [environment], bundle_identifier, root)
        policy = self.policy
        if issuer:
            self.text("policy_add_issuer", policy, issuer)
        if app_version:
            self.text("policy_require_app_version", policy, app_version.encode())
        if device:
            self.text("policy_accept_device", policy, device)
        if now is not None:
            self.call("policy_set_now", policy, now)
        if xcode_testing:
            self.call("policy_trust_xcode_testing", policy)
        self.validator = self.make("validator_create", policy)
        self.cache = self.make("cache_create", 0) if cached else 0

    def status(self, receipt):
        """Validates, and drops the result."""
        address = self.put(receipt)
        status = self.call("validate", self.validator, self.cache, address, len(receipt), self.out)
        self.call("deallocate", address)
        self.call("result_release", self.word())
        return status

    def judge(self, receipt):
        return self.json(receipt)


# The kinds of tokens, whose numbers begin with 1.
KINDS = ["transaction", "renewal-info", "notification", "app-transaction", "realtime-request"]


class TokenValidator(Host):
    """An instance with a validator of tokens, and a cache."""

    prefix = "token_"

    def __init__(self, module, environments, bundle_identifier, root=None, app_apple_identifier=None):
        super().__init__(module, environments, bundle_identifier, root)
        if app_apple_identifier is not None:
            self.call("policy_require_app_apple_id", self.policy, app_apple_identifier)
        self.validator = self.make("token_validator_create", self.policy)
        self.cache = self.make("cache_create", 0)

    def judge(self, kind, token):
        return self.json(token, kind)
