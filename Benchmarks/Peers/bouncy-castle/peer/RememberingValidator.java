package peer;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.bouncycastle.cms.CMSException;
import org.bouncycastle.operator.OperatorCreationException;

/**
 * A validator that keeps the paths of earlier receipts. It compares the certificates of a receipt as bytes and
 * does not decode them. The library verifies only the signature, with a kept key.
 */
final class RememberingValidator {
    private static final byte[] DATA = octets("2a864886f70d010701");
    private static final byte[] SIGNED_DATA = octets("2a864886f70d010702");
    private static final byte[] CONTENT_TYPE = octets("2a864886f70d010903");
    private static final byte[] MESSAGE_DIGEST = octets("2a864886f70d010904");
    private static final byte[] RSA_ENCRYPTION = octets("2a864886f70d010101");

    private final Validator validator;
    private final List<Path> paths = new ArrayList<>();
    private final List<Hash> hashes = List.of(
            new Hash("SHA-1", "SHA1withRSA", "2b0e03021a", "2a864886f70d010105"),
            new Hash("SHA-256", "SHA256withRSA", "608648016503040201", "2a864886f70d01010b"),
            new Hash("SHA-384", "SHA384withRSA", "608648016503040202", "2a864886f70d01010c"),
            new Hash("SHA-512", "SHA512withRSA", "608648016503040203", "2a864886f70d01010d"));

    /** A digest, and RSA with that digest: their object identifiers and reusable contexts. */
    private static final class Hash {
        final byte[] identifier;
        final byte[] signatureIdentifier;
        final MessageDigest digest;
        final Signature signature;

        Hash(String digest, String signature, String identifier, String signatureIdentifier)
                throws GeneralSecurityException {
            this.identifier = octets(identifier);
            this.signatureIdentifier = octets(signatureIdentifier);
            this.digest = MessageDigest.getInstance(digest, Validator.PROVIDER);
            this.signature = Signature.getInstance(signature, Validator.PROVIDER);
        }
    }

    /** A known path: the certificates' bytes, the signer's identifier, its key, and the path's validity. */
    private record Path(
            byte[] certificates, byte[] signer, PublicKey key, Instant notBefore, Instant notAfter) {}

    /**
     * The parts of a SignedData with one signer. signedAttributes include tag and length, and are null if the
     * message has none.
     */
    private record Container(
            Der content, Der certificates, Der signer, Hash hash, Der signedAttributes, Der signature) {}

    RememberingValidator(byte[] root) throws GeneralSecurityException, IOException {
        validator = new Validator(root);
    }

    /** Validates a receipt and returns its number of attributes, including the attributes of purchases. */
    int validate(byte[] receipt)
            throws CMSException, GeneralSecurityException, IOException, OperatorCreationException {
        Container container = read(receipt);
        Path path = remembered(receipt, container);
        checkSignature(container, path.key());
        Payload.Walk walk = Payload.walk(container.content());
        if (walk.creationDate().isBefore(path.notBefore()) || walk.creationDate().isAfter(path.notAfter())) {
            throw new Refused("the path is not valid at " + walk.creationDate());
        }
        return walk.attributes();
    }

    private Path remembered(byte[] receipt, Container container)
            throws CMSException, GeneralSecurityException, IOException, OperatorCreationException {
        for (Path path : paths) {
            if (container.certificates().holds(path.certificates())
                    && container.signer().holds(path.signer())) {
                return path;
            }
        }
        List<X509Certificate> certificates = new ArrayList<>(validator.validate(receipt).path());
        PublicKey key = certificates.get(0).getPublicKey();
        certificates.add(validator.root);
        Instant notBefore = Instant.MIN;
        Instant notAfter = Instant.MAX;
        for (X509Certificate certificate : certificates) {
            Instant first = certificate.getNotBefore().toInstant();
            Instant last = certificate.getNotAfter().toInstant();
            notBefore = first.isAfter(notBefore) ? first : notBefore;
            notAfter = last.isBefore(notAfter) ? last : notAfter;
        }
        Path path = new Path(
                container.certificates().octets(), container.signer().octets(), key, notBefore, notAfter);
        paths.add(path);
        return path;
    }

    private Container read(byte[] receipt) throws Refused {
        Der contentInfo = new Der(receipt).takeLast(Der.SEQUENCE);
        expect(SIGNED_DATA, contentInfo);
        Der signedData = contentInfo.takeLast(Der.CONTEXT_0).takeLast(Der.SEQUENCE);
        signedData.take(Der.INTEGER);
        signedData.take(Der.SET);
        Der encapsulated = signedData.take(Der.SEQUENCE);
        expect(DATA, encapsulated);
        Der content = encapsulated.takeLast(Der.CONTEXT_0).takeLast(Der.OCTET_STRING);
        Der certificates = signedData.take(Der.CONTEXT_0);
        Der signerInfo = signedData.takeLast(Der.SET).takeLast(Der.SEQUENCE);
        signerInfo.take(Der.INTEGER);
        Der signer = signerInfo.take(Der.SEQUENCE);
        Hash hash = hash(algorithm(signerInfo));
        Der signedAttributes = signerInfo.isNext(Der.CONTEXT_0) ? signerInfo.takeWhole(Der.CONTEXT_0) : null;
        Der algorithm = algorithm(signerInfo);
        if (!algorithm.holds(RSA_ENCRYPTION) && !algorithm.holds(hash.signatureIdentifier)) {
            throw new Refused("the signature algorithm is unknown");
        }
        return new Container(
                content, certificates, signer, hash, signedAttributes, signerInfo.take(Der.OCTET_STRING));
    }

    private Hash hash(Der identifier) throws Refused {
        for (Hash hash : hashes) {
            if (identifier.holds(hash.identifier)) {
                return hash;
            }
        }
        throw new Refused("the digest algorithm is unknown");
    }

    private static void expect(byte[] identifier, Der from) throws Refused {
        if (!from.take(Der.OBJECT_IDENTIFIER).holds(identifier)) {
            throw new Refused("unexpected object identifier before " + from.at);
        }
    }

    /**
     * Takes the next AlgorithmIdentifier and returns its object identifier. The parameters must be NULL or
     * absent.
     */
    private static Der algorithm(Der from) throws Refused {
        Der algorithm = from.take(Der.SEQUENCE);
        Der identifier = algorithm.take(Der.OBJECT_IDENTIFIER);
        if (!algorithm.isEmpty() && !algorithm.takeLast(Der.NULL).isEmpty()) {
            throw new Refused("unexpected parameters before " + from.at);
        }
        return identifier;
    }

    private static void checkSignature(Container container, PublicKey key) throws GeneralSecurityException {
        Der content = container.content();
        Signature signature = container.hash().signature;
        signature.initVerify(key);
        if (container.signedAttributes() == null) {
            signature.update(content.data, content.at, content.length());
        } else {
            MessageDigest digest = container.hash().digest;
            digest.update(content.data, content.at, content.length());
            // The signature covers the attributes with the tag of a SET, not with [0] (RFC 5652 section 5.4).
            byte[] signed = container.signedAttributes().octets();
            signed[0] = Der.SET;
            checkSignedAttributes(new Der(signed).takeLast(Der.SET), digest.digest());
            signature.update(signed);
        }
        Der value = container.signature();
        if (!signature.verify(value.data, value.at, value.length())) {
            throw new Refused("the signature is not over this content");
        }
    }

    private static void checkSignedAttributes(Der attributes, byte[] digest) throws Refused {
        Der contentType = null;
        Der messageDigest = null;
        while (!attributes.isEmpty()) {
            Der attribute = attributes.take(Der.SEQUENCE);
            Der type = attribute.take(Der.OBJECT_IDENTIFIER);
            Der values = attribute.takeLast(Der.SET);
            if (type.holds(CONTENT_TYPE) && contentType == null) {
                contentType = values.takeLast(Der.OBJECT_IDENTIFIER);
            } else if (type.holds(MESSAGE_DIGEST) && messageDigest == null) {
                messageDigest = values.takeLast(Der.OCTET_STRING);
            } else if (type.holds(CONTENT_TYPE) || type.holds(MESSAGE_DIGEST)) {
                throw new Refused("a signed attribute occurs twice");
            }
        }
        if (contentType == null || !contentType.holds(DATA)) {
            throw new Refused("the signed content type is not the content's");
        }
        if (messageDigest == null || !messageDigest.holds(digest)) {
            throw new Refused("the signed digest is not the content's");
        }
    }

    private static byte[] octets(String hexadecimal) {
        return HexFormat.of().parseHex(hexadecimal);
    }
}
