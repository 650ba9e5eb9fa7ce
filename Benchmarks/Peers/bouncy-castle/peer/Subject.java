package peer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.List;
import org.bouncycastle.asn1.nist.NISTObjectIdentifiers;
import org.bouncycastle.crypto.digests.NullDigest;
import org.bouncycastle.crypto.params.RSAKeyParameters;
import org.bouncycastle.crypto.signers.RSADigestSigner;

/** A prepared input. Its operation performs the measured work once, and throws if it fails. */
record Subject(String name, double bytes, Operation operation) {
    @FunctionalInterface
    interface Operation {
        Object run() throws Exception;
    }

    static Subject prepare(String measure, String root, String input) throws Exception {
        if (measure.startsWith("sha")) {
            return digest("SHA-" + measure.substring(3), input);
        }
        if (measure.startsWith("rsa")) {
            return rsa(Integer.parseInt(measure.substring(3)), Path.of(input));
        }
        byte[] anchor = Files.readAllBytes(Path.of(root));
        if (measure.equals("uncached")) {
            Validator validator = new Validator(anchor);
            return receipts(Path.of(input), validator::validate);
        }
        RememberingValidator validator = new RememberingValidator(anchor);
        return receipts(Path.of(input), validator::validate);
    }

    private static Subject digest(String algorithm, String input) throws GeneralSecurityException {
        MessageDigest digest = MessageDigest.getInstance(algorithm, Validator.PROVIDER);
        byte[] buffer = new byte[Integer.parseInt(input)];
        return new Subject(input, buffer.length, () -> digest.digest(buffer));
    }

    /** Uses Bouncy Castle's lightweight interface, because it accepts a digest that is already computed. */
    private static Subject rsa(int size, Path directory) throws GeneralSecurityException, IOException {
        byte[] encoded = Files.readAllBytes(directory.resolve("key.der"));
        byte[] signature = Files.readAllBytes(directory.resolve("signature.bin"));
        byte[] message = Files.readAllBytes(directory.resolve("message.bin"));
        KeyFactory factory = KeyFactory.getInstance("RSA", Validator.PROVIDER);
        RSAPublicKey key = (RSAPublicKey) factory.generatePublic(new X509EncodedKeySpec(encoded));
        if (key.getModulus().bitLength() != size) {
            throw new Refused("the key has " + key.getModulus().bitLength() + " bits, not " + size);
        }
        byte[] digest = MessageDigest.getInstance("SHA-256", Validator.PROVIDER).digest(message);
        RSADigestSigner verifier = new RSADigestSigner(new NullDigest(), NISTObjectIdentifiers.id_sha256);
        verifier.init(false, new RSAKeyParameters(false, key.getModulus(), key.getPublicExponent()));
        return new Subject(directory.getFileName().toString(), signature.length, () -> {
            verifier.update(digest, 0, digest.length);
            if (!verifier.verifySignature(signature)) {
                throw new Refused("the signature is not over this digest");
            }
            return verifier;
        });
    }

    @FunctionalInterface
    private interface Validation {
        Object validate(byte[] receipt) throws Exception;
    }

    private static Subject receipts(Path file, Validation validation) throws IOException {
        String name = file.getFileName().toString();
        byte[] data = Files.readAllBytes(file);
        if (!name.endsWith(".lp")) {
            return new Subject(name, data.length, () -> validation.validate(data));
        }
        List<byte[]> records = records(data);
        double mean = records.stream().mapToInt(record -> record.length).average().orElseThrow();
        return new Subject(name, mean, new Operation() {
            private int next = 0;

            @Override
            public Object run() throws Exception {
                byte[] receipt = records.get(next);
                next = next + 1 == records.size() ? 0 : next + 1;
                return validation.validate(receipt);
            }
        });
    }

    /** Returns the records of a corpus. The length of each record precedes it in four octets. */
    private static List<byte[]> records(byte[] corpus) {
        List<byte[]> records = new ArrayList<>();
        ByteBuffer rest = ByteBuffer.wrap(corpus);
        while (rest.hasRemaining()) {
            byte[] record = new byte[rest.getInt()];
            rest.get(record);
            records.add(record);
        }
        return records;
    }
}
