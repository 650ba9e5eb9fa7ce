package peer;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.Provider;
import java.security.cert.CertPath;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Set;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cms.CMSException;
import org.bouncycastle.cms.CMSSignedData;
import org.bouncycastle.cms.SignerInformation;
import org.bouncycastle.cms.jcajce.JcaSimpleSignerInfoVerifierBuilder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.util.Store;

/** Verifies a whole receipt with Bouncy Castle's CMS and PKIX: first the path, then the signature. */
final class Validator {
    static final Provider PROVIDER = new BouncyCastleProvider();
    private static final int MAXIMUM_PATH = 5;

    final X509Certificate root;
    private final X500Name rootName;
    private final Set<TrustAnchor> anchors;
    private final CertificateFactory factory;
    private final CertPathValidator pathValidator;
    private final JcaX509CertificateConverter converter =
            new JcaX509CertificateConverter().setProvider(PROVIDER);
    private final JcaSimpleSignerInfoVerifierBuilder verifiers =
            new JcaSimpleSignerInfoVerifierBuilder().setProvider(PROVIDER);

    /** The payload of a valid receipt, and its path, leaf first. */
    record Validated(byte[] payload, List<X509Certificate> path) {}

    Validator(byte[] root) throws GeneralSecurityException, IOException {
        X509CertificateHolder holder = new X509CertificateHolder(root);
        this.root = converter.getCertificate(holder);
        rootName = holder.getSubject();
        anchors = Set.of(new TrustAnchor(this.root, null));
        factory = CertificateFactory.getInstance("X.509", PROVIDER);
        pathValidator = CertPathValidator.getInstance("PKIX", PROVIDER);
    }

    // A SignerId selects certificates, but the library declares it without a type argument.
    @SuppressWarnings("unchecked")
    Validated validate(byte[] receipt)
            throws CMSException, GeneralSecurityException, IOException, OperatorCreationException {
        CMSSignedData signedData = new CMSSignedData(receipt);
        if (signedData.getSignedContent() == null) {
            throw new Refused("the message has no content");
        }
        byte[] payload = (byte[]) signedData.getSignedContent().getContent();
        Collection<SignerInformation> signers = signedData.getSignerInfos().getSigners();
        if (signers.size() != 1) {
            throw new Refused("the message has " + signers.size() + " signers");
        }
        SignerInformation signer = signers.iterator().next();
        Store<X509CertificateHolder> certificates = signedData.getCertificates();
        Collection<X509CertificateHolder> ofSigner = certificates.getMatches(signer.getSID());
        if (ofSigner.isEmpty()) {
            throw new Refused("the signer's certificate is missing");
        }
        X509CertificateHolder leaf = ofSigner.iterator().next();
        List<X509Certificate> path = path(leaf, certificates.getMatches(null));
        checkPath(path, Payload.creationDate(payload));
        if (!signer.verify(verifiers.build(path.get(0).getPublicKey()))) {
            throw new Refused("the signature is not over this content");
        }
        return new Validated(payload, path);
    }

    /**
     * Returns the certificates from the leaf to the certificate below the root, found by the names of their
     * issuers. A CertPathBuilder would find them too, but takes longer.
     */
    private List<X509Certificate> path(
            X509CertificateHolder leaf, Collection<X509CertificateHolder> certificates)
            throws GeneralSecurityException {
        List<X509Certificate> path = new ArrayList<>();
        X509CertificateHolder last = leaf;
        path.add(converter.getCertificate(last));
        while (!last.getIssuer().equals(rootName)) {
            last = issuer(last.getIssuer(), certificates);
            path.add(converter.getCertificate(last));
            if (path.size() > MAXIMUM_PATH) {
                throw new Refused("the path does not lead to the root");
            }
        }
        return path;
    }

    private static X509CertificateHolder issuer(X500Name name, Collection<X509CertificateHolder> certificates)
            throws Refused {
        for (X509CertificateHolder certificate : certificates) {
            if (certificate.getSubject().equals(name)) {
                return certificate;
            }
        }
        throw new Refused("no certificate has the name " + name);
    }

    private void checkPath(List<X509Certificate> certificates, Instant time) throws GeneralSecurityException {
        CertPath path = factory.generateCertPath(certificates);
        PKIXParameters parameters = new PKIXParameters(anchors);
        parameters.setDate(Date.from(time));
        parameters.setRevocationEnabled(false);
        pathValidator.validate(path, parameters);
    }
}
