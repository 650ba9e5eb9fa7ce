/** The environments of receipts. `Xcode` needs `xcodeTesting`. */
export type ReceiptEnvironment =
  | "Production"
  | "ProductionVPP"
  | "ProductionSandbox"
  | "ProductionVPPSandbox"
  | "Xcode";

/** The steps of validation, in order. */
export type ReceiptStep =
  | "input"
  | "container"
  | "creation-date"
  | "certificate-path"
  | "root"
  | "distrust"
  | "revocation"
  | "intermediate-marker"
  | "leaf-marker"
  | "signature"
  | "payload"
  | "environment"
  | "bundle-identifier"
  | "app-version"
  | "device-hash"
  | "expiration-date";

/** An app receipt (DER, or Xcode's BER) or an iOS 6 receipt: its octets, or a form of its text, such as base64,
 * hexadecimal, PEM, or JSON that holds the receipt. */
export type ReceiptInput = string | ArrayBuffer | ArrayBufferView;

/** Limits on the work that a receipt may cause, each from 1 to its default. */
export interface ReceiptLimits {
  inputBytes?: number;
  depth?: number;
  elements?: number;
  certificates?: number;
  extensions?: number;
  purposes?: number;
  modulusBits?: number;
  exponentBits?: number;
  attributes?: number;
  signatureChecks?: number;
}

/** A WebAssembly.Module. It is `object` if the program is compiled without declarations of WebAssembly, which are in
 * TypeScript's libraries "dom" and "webworker". */
export type CompiledModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } }
  ? Module
  : object;

/** Options about certificates that must no longer be trusted. */
export interface RevocationOptions {
  /** SHA-256 of certificates or of their SubjectPublicKeyInfo, 32 octets each. What was signed under one of them is
   * refused, whatever date it claims. */
  distrusted?: readonly (ArrayBuffer | ArrayBufferView)[];
  /** Evidence about revocation that the caller fetched: OCSP responses (RFC 6960) in DER, at most 16 of 64 KiB each.
   * They must be fresh at `now`, so make another validator when time has passed. */
  ocspResponses?: readonly (ArrayBuffer | ArrayBufferView)[];
  /** Evidence, too: revocation lists (CRL, RFC 5280 §5) in DER, at most 16 of 32 MiB each. */
  revocationLists?: readonly (ArrayBuffer | ArrayBufferView)[];
  /** What evidence must prove of the certificates below the root. "required", the default with evidence: that none is
   * revoked. "if-present": nothing, but a certificate that is revoked is refused, and without fresh evidence
   * `not_checked` has "revocation". */
  revocation?: "required" | "if-present";
}

/** What a receipt must be. */
export interface ReceiptValidatorOptions extends RevocationOptions {
  /** The accepted environments. Required, because a sandbox receipt is signed like a real one. */
  environments: readonly ReceiptEnvironment[] | "any";
  /** The accepted apps. Required, because a receipt of another app is signed like one of yours. */
  bundleIdentifiers: readonly string[] | "any";
  /** The required app version. Without it the version is not checked. */
  appVersion?: string;
  /** The candidate devices, one of which must match: 16 octets of identifierForVendor, or 6 of a MAC address. */
  devices?: readonly (ArrayBuffer | ArrayBufferView)[];
  /** Root certificates in DER, trusted in place of Apple's. */
  roots?: readonly (ArrayBuffer | ArrayBufferView)[];
  /** False accepts certificates without Apple's markers, under `roots` only. The default is true. */
  requireMarkers?: boolean;
  /** Trusts the certificate of StoreKit testing in Xcode, or those in `roots`, and accepts the environment Xcode
   * alone. Anybody can make such receipts. The default is false. */
  xcodeTesting?: boolean;
  /** Intermediates in DER for iOS 6 transaction receipts, besides Apple's. */
  issuers?: readonly (ArrayBuffer | ArrayBufferView)[];
  /** The present time, a Date or milliseconds since 1970, which evidence needs. Without it the expiration date of
   * Volume Purchase receipts is not checked. */
  now?: Date | number;
  /** The time at which the certificates must be valid, in place of the receipt's creation date. */
  pathTime?: Date | number;
  /** The fewest bits of a hash algorithm in signatures. The default is 160, SHA-1: receipts up to 2023 use it. */
  minimumDigest?: 160 | 256 | 384 | 512;
  limits?: ReceiptLimits;
  /** The module or its octets. By default app-receipt.wasm is loaded from beside app-receipt.js. */
  module?: CompiledModule | ArrayBuffer | ArrayBufferView;
}

/** A purchase, under the names of `app-receipt verify --json`. Numbers that identify something are strings. */
export interface InAppPurchase {
  product_id?: string | null;
  transaction_id?: string | null;
  original_transaction_id?: string | null;
  purchase_date?: string | null;
  original_purchase_date?: string | null;
  expires_date?: string | null;
  cancellation_date?: string | null;
  is_trial_period?: boolean | null;
  is_in_intro_offer_period?: boolean | null;
  in_app_ownership_type?: "PURCHASED" | "FAMILY_SHARED" | null;
  [name: string]: unknown;
}

/** A valid receipt, under the names of `app-receipt verify --json`. Vectors/schema describes every member. An iOS 6
 * transaction receipt has the members of its one purchase itself. */
export interface ValidReceipt extends InAppPurchase {
  /** The checks that the options left out. */
  not_checked: ReceiptStep[];
  bundle_id?: string | null;
  /** The SHA-256 of the signed content, which identifies the receipt. The SHA-256 of its bytes does not. */
  content_sha256?: string;
  in_app?: InAppPurchase[];
  /** Of a transaction receipt: the signature covers SHA-1 in versions 2 and 3, and SHA-256 in version 4. */
  signature_version?: 2 | 3 | 4;
  /** Of a transaction receipt: the group of the subscription. */
  subscription_group_identifier?: string | null;
  [name: string]: unknown;
}

/** The verdict about an input. */
export interface ReceiptVerdict {
  status: "valid" | "invalid" | "unsupported" | "unreadable";
  /** The SHA-256 of the container, if the input holds one. */
  sha256: string | null;
  step: ReceiptStep | null;
  code: string | null;
  not_checked: ReceiptStep[] | null;
  error?: {
    message: string;
    offset: number | null;
    certificate: number | null;
    reading: string | null;
    found: string | null;
    expected: string[] | null;
  };
  receipt?: { [name: string]: unknown };
  transaction_receipt?: { [name: string]: unknown };
}

/** What a container claims. Anyone can write such a container. */
export interface UnverifiedReceipt {
  unverified_receipt?: { [name: string]: unknown };
  unverified_transaction_receipt?: { [name: string]: unknown };
  certificates: { [name: string]: unknown }[];
}

/** Validates receipts by one set of expectations. It keeps a cache of certificates, which changes no verdict. */
export class ReceiptValidator {
  private constructor();
  /** Compiles the module if none is given, and makes a validator. Throws TypeError or RangeError for wrong options. */
  static create(options: ReceiptValidatorOptions): Promise<ReceiptValidator>;
  /** Returns the values of a valid receipt. Throws ReceiptError for any other input, and TypeError for an argument that
   * is no receipt, such as a view whose buffer was transferred. */
  validate(receipt: ReceiptInput): ValidReceipt;
  /** Returns the verdict. Does not throw for a bad receipt. */
  judge(receipt: ReceiptInput): ReceiptVerdict;
  /** Returns what a container claims. Nothing is verified. */
  inspectUnverified(receipt: ReceiptInput): UnverifiedReceipt;
  /** Returns the container that an input holds, or null if it holds none. Nothing is verified. */
  decode(receipt: ReceiptInput): Uint8Array | null;
  /** Releases the memory. The validator cannot be used afterwards. */
  free(): void;
}

/** Why a receipt was refused. `message` is one sentence. */
export class ReceiptError extends Error {
  private constructor();
  /** The step that failed. */
  readonly step: ReceiptStep;
  /** The stable name of the reason, such as `der.truncated`. */
  readonly code: string;
  /** The stable number of the reason. */
  readonly number: number;
  /** The state of the input. */
  readonly kind: "invalid" | "unsupported" | "unreadable";
  /** Where in the decoded input, in bytes. */
  readonly offset: number;
  /** The certificate concerned, counted from 0 in the order of the message; null for none. */
  readonly certificate: number | null;
  /** The field that was read, in the words of its standard. */
  readonly reading: string;
  /** The receipt's value if the error compares values; object identifiers are in dotted form. Null if the receipt has
   * no such value, or the error compares none. */
  readonly found: string | null;
  /** The accepted values; null if the error compares none. */
  readonly expected: readonly string[] | null;
}

/** What a token holds. Nothing in a token names its kind, so the caller says which one it must have. A notification is
 * one of version 2. */
export type TokenKind = "transaction" | "renewal-info" | "notification" | "app-transaction" | "realtime-request";

/** The environments of tokens. `Xcode` and `LocalTesting` need `xcodeTesting` or
 * `trustAnySelfSignedProvingIntegrityOnly`. */
export type TokenEnvironment = "Production" | "Sandbox" | "Xcode" | "LocalTesting";

/** The steps of a token's validation, in order. */
export type TokenStep =
  | "form"
  | "header"
  | "signed-date"
  | "certificate-path"
  | "root"
  | "distrust"
  | "revocation"
  | "intermediate-marker"
  | "leaf-marker"
  | "signature"
  | "payload"
  | "environment"
  | "bundle-identifier"
  | "app-apple-id"
  | "device-verification"
  | "age";

/** The tokens inside a notification. */
export type NestedToken = "signedTransactionInfo" | "signedRenewalInfo" | "signedAppTransactionInfo";

/** A token in JWS compact serialisation, or the JSON object in which Apple sends it, such as a notification's body
 * {"signedPayload":"…"}. */
export type TokenInput = string | ArrayBuffer | ArrayBufferView;

/** What a token must be. */
export interface TokenValidatorOptions extends RevocationOptions {
  /** The accepted environments. Required, because a sandbox token is signed like a real one. */
  environments: readonly TokenEnvironment[] | "any";
  /** The accepted apps. Required, because a token of another app is signed like one of yours. */
  bundleIdentifiers: readonly string[] | "any";
  /** The app's Apple ID, required of tokens that have one; those from production must. */
  appAppleId?: number;
  /** The required device: its AppStore.deviceVerificationID, a UUID. */
  deviceVerificationId?: string;
  /** Root certificates in DER, trusted in place of Apple's G3. */
  roots?: readonly (ArrayBuffer | ArrayBufferView)[];
  /** False accepts certificates without Apple's markers, under `roots` only. The default is true. */
  requireMarkers?: boolean;
  /** Trusts the certificate in `roots` that Xcode exported, and accepts the environments Xcode and LocalTesting alone. */
  xcodeTesting?: boolean;
  /** Accepts tokens of the environments Xcode and LocalTesting that any self-signed certificate signs. Anyone can sign
   * such a token. For tests. */
  trustAnySelfSignedProvingIntegrityOnly?: boolean;
  /** The present time, which evidence needs, and the greatest age of a token in milliseconds. Without both the age is
   * not checked. */
  now?: Date | number;
  maximumAge?: number;
  /** The time at which the certificates must be valid, in place of the token's date. Notifications of 2022 have no
   * date and need a time. */
  pathTime?: Date | number;
  /** Limits on the work that a token may cause, each from 1 to its default. */
  limits?: { tokenBytes?: number; members?: number };
  /** The module or its octets. By default app-receipt.wasm is loaded from beside app-receipt.js. */
  module?: CompiledModule | ArrayBuffer | ArrayBufferView;
}

/** A JSON object in a token, under the names of the App Store Server API. Absent members are null. Dates are RFC 3339
 * in UTC. Vectors/schema describes every member. */
export interface TokenObject {
  /** The members that this version does not know. A number whose digits JavaScript could change is a string: an integer
   * outside of -(2^53 - 1) to 2^53 - 1, and any other number with an exponent or with more than 15 digits. */
  unknown_members: { [name: string]: unknown };
}

/** An integer. Outside of -(2^53 - 1) to 2^53 - 1 it is a string with all its digits. */
export type TokenInteger = number | string;

/** A transaction (JWSTransactionDecodedPayload). */
export interface TransactionPayload extends TokenObject {
  transactionId: string | null;
  originalTransactionId: string | null;
  webOrderLineItemId: string | null;
  bundleId: string | null;
  productId: string | null;
  subscriptionGroupIdentifier: string | null;
  purchaseDate: string | null;
  originalPurchaseDate: string | null;
  expiresDate: string | null;
  quantity: TokenInteger | null;
  type: string | null;
  deviceVerification: string | null;
  deviceVerificationNonce: string | null;
  appAccountToken: string | null;
  inAppOwnershipType: string | null;
  signedDate: string | null;
  revocationDate: string | null;
  revocationReason: TokenInteger | null;
  isUpgraded: boolean | null;
  offerType: TokenInteger | null;
  environment: string | null;
  transactionReason: string | null;
  storefront: string | null;
  storefrontId: string | null;
  price: TokenInteger | null;
  currency: string | null;
  appTransactionId: string | null;
  offerDiscountType: string | null;
  offerIdentifier: string | null;
  offerPeriod: string | null;
  revocationPercentage: TokenInteger | null;
  revocationType: string | null;
  billingPlanType: string | null;
  commitmentInfo: TransactionCommitment | null;
  advancedCommerceInfo: AdvancedCommerceTransaction | null;
}

/** Renewal information (JWSRenewalInfoDecodedPayload). */
export interface RenewalInfoPayload extends TokenObject {
  expirationIntent: TokenInteger | null;
  originalTransactionId: string | null;
  autoRenewProductId: string | null;
  productId: string | null;
  autoRenewStatus: TokenInteger | null;
  isInBillingRetryPeriod: boolean | null;
  renewalPrice: TokenInteger | null;
  currency: string | null;
  signedDate: string | null;
  environment: string | null;
  recentSubscriptionStartDate: string | null;
  renewalDate: string | null;
  appTransactionId: string | null;
  deviceVerification: string | null;
  deviceVerificationNonce: string | null;
  gracePeriodExpiresDate: string | null;
  offerType: TokenInteger | null;
  priceIncreaseStatus: TokenInteger | null;
  appAccountToken: string | null;
  offerDiscountType: string | null;
  offerIdentifier: string | null;
  offerPeriod: string | null;
  renewalBillingPlanType: string | null;
  eligibleWinBackOfferIds: string[] | null;
  commitmentInfo: RenewalCommitment | null;
  advancedCommerceInfo: AdvancedCommerceRenewal | null;
}

/** A notification (responseBodyV2DecodedPayload). */
export interface NotificationPayload extends TokenObject {
  notificationType: string | null;
  subtype: string | null;
  notificationUUID: string | null;
  data: NotificationData | null;
  summary: NotificationSummary | null;
  externalPurchaseToken: ExternalPurchaseToken | null;
  appData: NotificationAppData | null;
  version: string | null;
  signedDate: string | null;
}

/** An app transaction. */
export interface AppTransactionPayload extends TokenObject {
  receiptType: string | null;
  appAppleId: TokenInteger | null;
  bundleId: string | null;
  applicationVersion: string | null;
  versionExternalIdentifier: TokenInteger | null;
  receiptCreationDate: string | null;
  requestDate: string | null;
  originalPurchaseDate: string | null;
  originalApplicationVersion: string | null;
  deviceVerification: string | null;
  deviceVerificationNonce: string | null;
  appTransactionId: string | null;
  originalPlatform: string | null;
  preorderDate: string | null;
}

/** A request for a retention message. */
export interface RealtimeRequestPayload extends TokenObject {
  originalTransactionId: string | null;
  appAppleId: TokenInteger | null;
  productId: string | null;
  userLocale: string | null;
  requestIdentifier: string | null;
  environment: string | null;
  signedDate: string | null;
}

/** `data` of a notification, with the payloads of the tokens inside it. */
export interface NotificationData extends TokenObject {
  appAppleId: TokenInteger | null;
  bundleId: string | null;
  bundleVersion: string | null;
  environment: string | null;
  signedTransactionInfo: TransactionPayload | null;
  signedRenewalInfo: RenewalInfoPayload | null;
  status: TokenInteger | null;
  consumptionRequestReason: string | null;
}

/** `summary` of a notification. */
export interface NotificationSummary extends TokenObject {
  requestIdentifier: string | null;
  environment: string | null;
  appAppleId: TokenInteger | null;
  bundleId: string | null;
  productId: string | null;
  storefrontCountryCodes: string[] | null;
  failedCount: TokenInteger | null;
  succeededCount: TokenInteger | null;
}

/** `externalPurchaseToken` of a notification. The token itself is not signed. */
export interface ExternalPurchaseToken extends TokenObject {
  externalPurchaseId: string | null;
  tokenCreationDate: string | null;
  appAppleId: TokenInteger | null;
  bundleId: string | null;
  tokenType: string | null;
  tokenExpirationDate: string | null;
}

/** `appData` of a notification, with the payload of the token inside it. */
export interface NotificationAppData extends TokenObject {
  appAppleId: TokenInteger | null;
  bundleId: string | null;
  environment: string | null;
  signedAppTransactionInfo: AppTransactionPayload | null;
}

/** `commitmentInfo` of a transaction. */
export interface TransactionCommitment extends TokenObject {
  billingPeriodNumber: TokenInteger | null;
  totalBillingPeriods: TokenInteger | null;
  commitmentPrice: TokenInteger | null;
  commitmentExpiresDate: string | null;
}

/** `commitmentInfo` of renewal information. */
export interface RenewalCommitment extends TokenObject {
  commitmentAutoRenewProductId: string | null;
  commitmentRenewalBillingPlanType: string | null;
  commitmentAutoRenewStatus: TokenInteger | null;
  commitmentRenewalPrice: TokenInteger | null;
  commitmentRenewalDate: string | null;
}

/** `advancedCommerceInfo` of a transaction. */
export interface AdvancedCommerceTransaction extends TokenObject {
  descriptors: AdvancedCommerceDescriptors | null;
  estimatedTax: TokenInteger | null;
  items: AdvancedCommerceTransactionItem[] | null;
  period: string | null;
  requestReferenceId: string | null;
  taxCode: string | null;
  taxExclusivePrice: TokenInteger | null;
  taxRate: string | null;
}

/** An item of a transaction's `advancedCommerceInfo`. */
export interface AdvancedCommerceTransactionItem extends TokenObject {
  SKU: string | null;
  description: string | null;
  displayName: string | null;
  offer: AdvancedCommerceOffer | null;
  price: TokenInteger | null;
  refunds: AdvancedCommerceRefund[] | null;
  revocationDate: string | null;
}

/** `advancedCommerceInfo` of renewal information. */
export interface AdvancedCommerceRenewal extends TokenObject {
  consistencyToken: string | null;
  descriptors: AdvancedCommerceDescriptors | null;
  items: AdvancedCommerceRenewalItem[] | null;
  period: string | null;
  requestReferenceId: string | null;
  taxCode: string | null;
}

/** An item of the `advancedCommerceInfo` of renewal information. */
export interface AdvancedCommerceRenewalItem extends TokenObject {
  SKU: string | null;
  description: string | null;
  displayName: string | null;
  offer: AdvancedCommerceOffer | null;
  price: TokenInteger | null;
  priceIncreaseInfo: AdvancedCommercePriceIncrease | null;
}

/** `descriptors` of `advancedCommerceInfo`. */
export interface AdvancedCommerceDescriptors extends TokenObject {
  description: string | null;
  displayName: string | null;
}

/** `offer` of an item. */
export interface AdvancedCommerceOffer extends TokenObject {
  period: string | null;
  periodCount: TokenInteger | null;
  price: TokenInteger | null;
  reason: string | null;
}

/** One of the `refunds` of an item. */
export interface AdvancedCommerceRefund extends TokenObject {
  refundAmount: TokenInteger | null;
  refundDate: string | null;
  refundReason: string | null;
  refundType: string | null;
}

/** `priceIncreaseInfo` of an item. */
export interface AdvancedCommercePriceIncrease extends TokenObject {
  dependentSKUs: string[] | null;
  price: TokenInteger | null;
  status: string | null;
}

/** The payload of a valid token of each kind. A token inside a notification is the object that it holds. */
export interface TokenPayloads {
  transaction: TransactionPayload;
  "renewal-info": RenewalInfoPayload;
  notification: NotificationPayload;
  "app-transaction": AppTransactionPayload;
  "realtime-request": RealtimeRequestPayload;
}

/** What a token claims. A token inside it that cannot be decoded stays a string. */
export interface UnverifiedPayload extends TokenObject {
  [name: string]: unknown;
}

/** The payload of a valid token. The tokens inside it are valid, too. */
export type ValidPayload<Kind extends TokenKind = TokenKind> = TokenPayloads[Kind] & {
  /** The checks that the options left out, or that a payload of this kind cannot answer. A notification also has
   * "revocation" if a token inside it lacks evidence. */
  not_checked: TokenStep[];
};

/** The verdict about a token. */
export interface TokenVerdict<Kind extends TokenKind = TokenKind> {
  status: "valid" | "invalid" | "unsupported" | "unreadable";
  /** The SHA-256 of the token's characters, if the input holds one. */
  sha256: string | null;
  step: TokenStep | null;
  code: string | null;
  not_checked: TokenStep[] | null;
  kind: Kind;
  error?: {
    message: string;
    offset: number | null;
    certificate: number | null;
    reading: string | null;
    found: string | null;
    expected: string[] | null;
    /** Only in a notification. */
    nested_token?: NestedToken | null;
  };
  payload?: TokenPayloads[Kind];
}

/** Validates tokens of StoreKit 2 by one set of expectations. It keeps a cache of certificates, which changes no
 * verdict. */
export class TokenValidator {
  private constructor();
  /** Compiles the module if none is given, and makes a validator. Throws TypeError or RangeError for wrong options. */
  static create(options: TokenValidatorOptions): Promise<TokenValidator>;
  /** Returns the payload of a valid token of this kind. Throws TokenError for any other input, and TypeError for an
   * argument that is no token. */
  validate<Kind extends TokenKind>(kind: Kind, token: TokenInput): ValidPayload<Kind>;
  /** Returns the verdict. Does not throw for a bad token. */
  judge<Kind extends TokenKind>(kind: Kind, token: TokenInput): TokenVerdict<Kind>;
  /** Returns what a token claims, if it can be decoded as this kind, and its certificates. Nothing is verified. */
  inspectUnverified(kind: TokenKind, token: TokenInput): {
    unverified_payload?: UnverifiedPayload;
    certificates: { [name: string]: unknown }[];
  };
  /** Releases the memory. The validator cannot be used afterwards. */
  free(): void;
}

/** Why a token was refused. The members are those of `ReceiptError`; `offset` counts in the token's characters, and
 * `certificate` in the order of x5c. */
export class TokenError extends Error {
  private constructor();
  readonly step: TokenStep;
  readonly code: string;
  readonly number: number;
  readonly kind: "invalid" | "unsupported" | "unreadable";
  readonly offset: number;
  readonly certificate: number | null;
  readonly reading: string;
  readonly found: string | null;
  readonly expected: readonly string[] | null;
  /** The refused token inside a notification, in whose characters `offset` counts; null if the error is in none. */
  readonly nestedToken: NestedToken | null;
}

/** The module trapped, which is a defect, or no memory was left. It is no verdict. The validator has a new instance
 * and can be used again. `cause` is the host's error. */
export class ReceiptTrap extends Error {
  private constructor();
}
