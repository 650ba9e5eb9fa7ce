import AppReceipt
import AppReceiptMint
import Basics
import DER
import PKIX
import TestSupport
import Testing

extension Forgery {
    static let certificates: [Forgery] = [authorities, usages, extensions, serialNumbers, times].flatMap {
        $0
    }
}

// MARK: The fields of each certificate

extension Forgery {
    fileprivate static let authorities: [Forgery] = [
        .certificate(.intermediate, "CA flag missing", .refused(.certificatePath, .notCertificateAuthority)) {
            $0.extensions[2] = .basicConstraints(isCertificateAuthority: false)
        },
        .certificate(
            .intermediate,
            "basic constraints missing",
            .refused(.certificatePath, .notCertificateAuthority)
        ) {
            $0.extensions.remove(at: 2)
        },
        .certificate(.root, "CA flag missing", .refused(.certificatePath, .notCertificateAuthority)) {
            $0.extensions[2] = .basicConstraints(isCertificateAuthority: false)
        },
        .certificate(.intermediate, "version 1", .refused(.certificatePath, .notCertificateAuthority)) {
            ($0.version, $0.extensions) = (1, [])
        },
        .certificate(.intermediate, "version 2", .refused(.certificatePath, .notCertificateAuthority)) {
            ($0.version, $0.extensions) = (2, [])
        },
        .certificate(
            .intermediate,
            "version 1 with extensions",
            .refused(.certificatePath, .fieldNotInVersion)
        ) {
            $0.version = 1
        },
        .certificate(.root, "path length 0", .refused(.certificatePath, .pathLengthConstraint)) {
            $0.extensions[2] = .basicConstraints(isCertificateAuthority: true, pathLengthConstraint: 0)
        },
        .certificate(.root, "path length 1", .accepted("RFC 5280 §4.2.1.9")) {
            $0.extensions[2] = .basicConstraints(isCertificateAuthority: true, pathLengthConstraint: 1)
        },
        .certificate(.intermediate, "path length -1", .refused(.certificatePath, .invalidExtension)) {
            $0.extensions[2] = .basicConstraints(isCertificateAuthority: true, pathLengthConstraint: -1)
        },
    ]

    private static func purpose(_ last: UInt32) -> ObjectIdentifier {
        ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 3, last)
    }

    fileprivate static let usages: [Forgery] = [
        .certificate(.leaf, "key usage keyEncipherment", .refused(.certificatePath, .missingDigitalSignature))
        {
            $0.extensions[3] = .keyUsage([.keyEncipherment])
        },
        .certificate(.leaf, "key usage keyCertSign", .refused(.certificatePath, .missingDigitalSignature)) {
            $0.extensions[3] = .keyUsage([.keyCertSign])
        },
        .certificate(.leaf, "key usage empty", .refused(.certificatePath, .invalidExtension)) {
            $0.extensions[3] = .keyUsage([])
        },
        .certificate(.leaf, "key usage missing", .accepted("RFC 5280 §4.2.1.3")) {
            $0.extensions.remove(at: 3)
        },
        .certificate(
            .intermediate,
            "key usage digitalSignature",
            .refused(.certificatePath, .missingKeyCertSign)
        ) {
            $0.extensions[3] = .keyUsage([.digitalSignature])
        },
        .certificate(.intermediate, "key usage cRLSign", .refused(.certificatePath, .missingKeyCertSign)) {
            $0.extensions[3] = .keyUsage([.cRLSign])
        },
        .certificate(.root, "key usage cRLSign", .refused(.certificatePath, .missingKeyCertSign)) {
            $0.extensions[3] = .keyUsage([.cRLSign])
        },
        .certificate(
            .leaf,
            "extended key usage emailProtection",
            .refused(.certificatePath, .extendedKeyUsageNotPermitted)
        ) { $0.extensions.append(.extendedKeyUsage([purpose(4)])) },
        .certificate(
            .leaf,
            "extended key usage codeSigning, critical",
            .refused(.certificatePath, .extendedKeyUsageNotPermitted)
        ) { $0.extensions.append(.extendedKeyUsage([purpose(3)], isCritical: true)) },
        .certificate(.leaf, "extended key usage empty", .refused(.certificatePath, .truncated)) {
            $0.extensions.append(.extendedKeyUsage([]))
        },
        .certificate(.leaf, "extended key usage any", .accepted("RFC 5280 §4.2.1.12")) {
            $0.extensions.append(.extendedKeyUsage([ObjectIdentifier(2, 5, 29, 37, 0)]))
        },
        .certificate(
            .intermediate,
            "extended key usage serverAuth",
            .refused(.certificatePath, .extendedKeyUsageNotPermitted)
        ) { $0.extensions.append(.extendedKeyUsage([purpose(1)])) },
    ]

    fileprivate static let extensions: [Forgery] =
        PrivatePKI.Role.allCases.flatMap { role -> [Forgery] in
            [
                .certificate(
                    role,
                    "an unknown critical extension",
                    .refused(.certificatePath, .unknownCriticalExtension)
                ) { $0.extensions.append(.marker(ObjectIdentifier(1, 2, 3), isCritical: true)) },
                .certificate(role, "an unknown extension", .accepted("RFC 5280 §4.2")) {
                    $0.extensions.append(.marker(ObjectIdentifier(1, 2, 3)))
                },
                .certificate(role, "an extension twice", .refused(.certificatePath, .duplicateExtension)) {
                    $0.extensions.append($0.extensions[2])
                },
            ]
        } + [
            .certificate(
                .intermediate,
                "critical policies without an identifier",
                .refused(.certificatePath, .unexpectedTag)
            ) { $0.extensions.append(.marker(ObjectIdentifier(2, 5, 29, 32), isCritical: true)) },
            // OpenSSL does not compare policies either, unless it is asked to.
            .certificate(.intermediate, "critical policies", .accepted("RFC 5280 §6.1.1 c, e")) {
                $0.extensions.append(.certificatePolicies([ObjectIdentifier(1, 2, 3)], isCritical: true))
            },
            .certificate(.leaf, "critical policies", .accepted("RFC 5280 §6.1.1 c, e")) {
                $0.extensions[4].isCritical = true
            },
        ]
        + [
            (30, "name constraints"), (33, "policy mappings"), (36, "policy constraints"),
            (54, "inhibitAnyPolicy"),
        ]
        .map { arc, name in
            .certificate(
                .intermediate,
                "critical \(name)",
                .refused(.certificatePath, .unknownCriticalExtension)
            ) { $0.extensions.append(.marker(ObjectIdentifier(2, 5, 29, arc), isCritical: true)) }
        }

    fileprivate static let serialNumbers: [Forgery] =
        [PrivatePKI.Role.leaf, .intermediate].flatMap {
            role -> [Forgery] in
            [
                .certificate(role, "serial number zero", .accepted("RFC 5280 §4.1.2.2")) {
                    $0.serialNumber = [0x00]
                },
                .certificate(role, "serial number -1", .accepted("RFC 5280 §4.1.2.2")) {
                    $0.serialNumber = [0xFF]
                },
                .certificate(role, "serial number of 20 octets", .accepted("RFC 5280 §4.1.2.2")) {
                    $0.serialNumber = [UInt8](repeating: 0x7F, count: 20)
                },
                .certificate(
                    role,
                    "serial number of 21 octets",
                    .refused(.certificatePath, .serialNumberTooLong)
                ) { $0.serialNumber = [UInt8](repeating: 0x7F, count: 21) },
            ]
        } + [
            .certificate(
                .intermediate,
                "serial number with an octet too many",
                .refused(.certificatePath, .nonMinimalInteger)
            ) {
                $0.serialNumber = [0x00, 0x01]
            },
            .certificate(.intermediate, "serial number empty", .refused(.certificatePath, .emptyContents)) {
                $0.serialNumber = []
            },
        ]
}

// MARK: Times, to the second

extension Forgery {
    /// The creation date of the good receipt, 2024-06-01T12:00:00Z, plus a number of milliseconds.
    private static func created(_ later: Int64 = 0) -> Timestamp {
        Timestamp(millisecondsSince1970: 1_717_243_200_000 + later)
    }

    /// For OpenSSL (X509_cmp_time), the validity ends before its last second, unlike in RFC 5280.
    fileprivate static let times: [Forgery] = PrivatePKI.Role.allCases.flatMap { role -> [Forgery] in
        [
            .certificate(role, "the last second is the creation date", .accepted("RFC 5280 §4.1.2.5")) {
                $0.notAfter = created()
            }.with { $0.isGoodToOpenSSL = false },
            .certificate(
                role,
                "the last second is the one before the creation date",
                .refused(.certificatePath, .expired)
            ) { $0.notAfter = created(-1000) },
            .certificate(role, "the first second is the creation date", .accepted("RFC 5280 §4.1.2.5")) {
                $0.notBefore = created()
            },
            .certificate(
                role,
                "the first second is the one after the creation date",
                .refused(.certificatePath, .notYetValid)
            ) { $0.notBefore = created(1000) },
            .certificate(role, "a validity that ends before it begins", .refused(.certificatePath, .expired))
            {
                ($0.notBefore, $0.notAfter) = (created(), created(-1000))
            },
            Forgery(
                "\(role): created in the last second's last millisecond",
                .accepted("RFC 5280 §4.1.2.5"),
                mint: {
                    var payload = richPayload
                    payload.creationDate = created(999)
                    return .by(pki.reissued(role) { $0.notAfter = created() }, payload)
                }
            ).with { $0.isGoodToOpenSSL = false },
            Forgery(
                "\(role): created a millisecond before the first second",
                .refused(.certificatePath, .notYetValid),
                mint: {
                    var payload = richPayload
                    payload.creationDate = created(-1)
                    return .by(pki.reissued(role) { $0.notBefore = created() }, payload)
                }
            ),
        ]
    }
}

@Suite("Forged certificates (RFC 5280 §4)")
struct CertificateForgeries {
    @Test(
        "refuses a forged certificate at its step and with its code, or accepts it if a section allows it",
        arguments: Forgery.certificates
    )
    func verdict(_ forgery: Forgery) throws { try forgery.judge() }
}
