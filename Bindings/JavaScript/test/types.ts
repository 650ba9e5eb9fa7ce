// Compiled by `tsc --strict`, never run: the declarations allow what the package offers, and nothing else.
import { ReceiptError, ReceiptTrap, ReceiptValidator, TokenError, TokenValidator } from "../app-receipt.js";
import type { NestedToken, ReceiptStep, ReceiptVerdict, TokenStep, TokenVerdict, ValidPayload, ValidReceipt } from "../app-receipt.js";
import text from "../app-receipt.base64.js";

export const length: number = text.length;

export async function example(octets: Uint8Array, module: WebAssembly.Module): Promise<string> {
  const validator = await ReceiptValidator.create({
    environments: ["Production", "ProductionSandbox"],
    bundleIdentifiers: ["com.example.app"],
    appVersion: "42",
    devices: [octets],
    roots: [octets],
    distrusted: [octets],
    ocspResponses: [octets],
    revocationLists: [octets.buffer],
    revocation: "if-present",
    requireMarkers: true,
    xcodeTesting: false,
    issuers: [octets.buffer],
    now: new Date(),
    pathTime: 0,
    minimumDigest: 256,
    limits: { inputBytes: 100000 },
    module,
  });
  const verdict: ReceiptVerdict = validator.judge(octets);
  if (verdict.status !== "valid") return `${verdict.step}: ${verdict.error?.message}`;
  try {
    const receipt: ValidReceipt = validator.validate("MIIT…");
    const left: ReceiptStep[] = receipt.not_checked;
    if (receipt.signature_version === 4) return receipt.in_app_ownership_type ?? "unknown";
    return `${left.join()} ${receipt.in_app?.map((purchase) => purchase.product_id).join()}`;
  } catch (error) {
    if (error instanceof ReceiptTrap) return error.message;
    if (!(error instanceof ReceiptError)) throw error;
    const certificate: number | null = error.certificate;
    const kind: "invalid" | "unsupported" | "unreadable" = error.kind;
    return `${error.step} ${error.code} ${error.number} ${kind} ${error.offset} ${certificate} ${error.reading}`;
  } finally {
    validator.inspectUnverified(octets).certificates.length;
    validator.free();
  }
}

export async function tokens(octets: Uint8Array, module: WebAssembly.Module): Promise<string> {
  const validator = await TokenValidator.create({
    environments: ["Production", "Sandbox"],
    bundleIdentifiers: "any",
    appAppleId: 1234567890,
    deviceVerificationId: "00000000-0000-0000-0000-000000000000",
    roots: [octets],
    requireMarkers: true,
    xcodeTesting: false,
    distrusted: [octets],
    ocspResponses: [octets],
    revocation: "required",
    now: new Date(),
    maximumAge: 3600000,
    pathTime: 0,
    limits: { tokenBytes: 20000, members: 100 },
    module,
  });
  const verdict: TokenVerdict<"transaction"> = validator.judge("transaction", octets);
  const price: number | string | null | undefined = verdict.payload?.price;
  if (verdict.status !== "valid") return `${price}` + `${verdict.kind} ${verdict.step}: ${verdict.error?.nested_token}`;
  try {
    const notification: ValidPayload<"notification"> = validator.validate("notification", "{}");
    const periods: number | string | null | undefined =
      notification.data?.signedTransactionInfo?.commitmentInfo?.totalBillingPeriods;
    const payload: ValidPayload = notification;
    const left: TokenStep[] = payload.not_checked;
    return `${periods} ${left.join()} ${Object.keys(payload.unknown_members).join()}`;
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    const nested: NestedToken | null = error.nestedToken;
    return `${nested} ${error.step} ${error.code} ${error.number} ${error.kind} ${error.offset}`;
  } finally {
    validator.inspectUnverified("app-transaction", octets).unverified_payload?.unknown_members;
    validator.free();
  }
}

// @ts-expect-error: the kind is required.
void ((validator: TokenValidator) => validator.judge("eyJ…"));
// @ts-expect-error: renewal information has no transaction's price.
void ((validator: TokenValidator) => validator.validate("renewal-info", "eyJ…").price);
// @ts-expect-error: an integer may be a string.
void ((validator: TokenValidator): number | null => validator.validate("transaction", "eyJ…").price);
// @ts-expect-error: tokens have environments of their own.
void TokenValidator.create({ environments: ["ProductionSandbox"], bundleIdentifiers: "any" });
// @ts-expect-error: evidence is required or used if present.
void TokenValidator.create({ environments: "any", bundleIdentifiers: "any", ocspResponses: [], now: 0, revocation: "no" });
// @ts-expect-error: the environments are required.
void ReceiptValidator.create({ bundleIdentifiers: "any" });
// @ts-expect-error: there is no such environment.
void ReceiptValidator.create({ environments: ["Sandbox"], bundleIdentifiers: "any" });
// @ts-expect-error: there is no such option.
void ReceiptValidator.create({ environments: "any", bundleIdentifiers: "any", bundleIdentifier: "x" });
// @ts-expect-error: validators come from create.
new ReceiptValidator();
