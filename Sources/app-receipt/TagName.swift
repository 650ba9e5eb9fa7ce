import DER

extension Tag {
    /// The standard's name of a universal type. For other classes the class and number, such as `[0]`
    /// (X.680 §8.4).
    var name: String {
        switch tagClass {
        case .universal: universalName
        case .application: "[APPLICATION \(number)]"
        case .contextSpecific: "[\(number)]"
        case .private: "[PRIVATE \(number)]"
        }
    }

    private var universalName: String {
        switch number {
        case 1: "BOOLEAN"
        case 2: "INTEGER"
        case 3: "BIT STRING"
        case 4: "OCTET STRING"
        case 5: "NULL"
        case 6: "OBJECT IDENTIFIER"
        case 10: "ENUMERATED"
        case 12: "UTF8String"
        case 16: "SEQUENCE"
        case 17: "SET"
        case 18: "NumericString"
        case 19: "PrintableString"
        case 20: "TeletexString"
        case 22: "IA5String"
        case 23: "UTCTime"
        case 24: "GeneralizedTime"
        case 26: "VisibleString"
        case 28: "UniversalString"
        case 30: "BMPString"
        default: "[UNIVERSAL \(number)]"
        }
    }
}
