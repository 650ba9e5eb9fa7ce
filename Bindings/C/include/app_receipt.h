/*
 * app_receipt.h: validates App Store receipts, and the signed tokens (JWS) of StoreKit 2 and of Apple's servers.
 *
 *     app_receipt_policy *policy;
 *     app_receipt_validator *validator;
 *     app_receipt_result *result;
 *     app_receipt_policy_create(NULL, &policy);
 *     app_receipt_policy_accept_environment(policy, "Production", 10);
 *     app_receipt_policy_accept_bundle_identifier(policy, "com.example.app", 15);
 *     app_receipt_validator_create(policy, &validator);
 *     if (app_receipt_validate(validator, NULL, bytes, length, &result) == APP_RECEIPT_OK) ...
 *
 * Calls: every function returns a status. A negative status means that the caller made a mistake; then nothing
 * was done, except as app_receipt_policy_set_revocation says, and no out parameter but a length was written. A NULL
 * object, a NULL buffer with a length other than 0, and a length beyond PTRDIFF_MAX are such mistakes. Wild pointers
 * and objects that were released cannot be detected.
 *
 * Text is UTF-8 with its length in bytes. It needs no terminating zero byte, and none is written.
 *
 * Threads: validators, endpoints and results never change after they were made, so any number of threads may
 * use one at once. A policy and a cache may be used by one thread at a time. Release an object when no other
 * call uses it. The library has no global state. A thread-local variable holds the allocator during a call.
 *
 * Memory: an object is made with the allocator of the policy or of the cache that its call was given, and is
 * released by its release function. Releasing NULL does nothing. If an allocator returns NULL, the library
 * calls abort().
 */
#ifndef APP_RECEIPT_H
#define APP_RECEIPT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. It changes when a program must be compiled again. */
#define APP_RECEIPT_ABI 1

/* Returns the APP_RECEIPT_ABI that the library was built with. */
int32_t app_receipt_abi(void);

/* The status that a call returns. */
typedef int32_t app_receipt_status;
enum {
    /* The call did what it promises. For a receipt or token: it is valid. */
    APP_RECEIPT_OK = 0,
    /* The receipt or token is not valid. The result says why. */
    APP_RECEIPT_REFUSED = 1,
    /* The value is not there: the receipt or token has none, or the result is a refusal. */
    APP_RECEIPT_ABSENT = 2,
    /* A pointer is NULL that must not be. */
    APP_RECEIPT_NULL_ARGUMENT = -1,
    /* A length is beyond PTRDIFF_MAX, or an index beyond the last element. */
    APP_RECEIPT_OUT_OF_RANGE = -2,
    /* A name, a number, an encoding or a policy is none that the function takes. */
    APP_RECEIPT_BAD_VALUE = -3,
    /* The caller's buffer is too small. The needed length was written. */
    APP_RECEIPT_BUFFER_TOO_SMALL = -4,
    /* The policy lacks the environments or the bundle identifiers that a receipt or token may have, it omits the
     * markers without trust_root, it asks for revocation without evidence or set_now, or as
     * app_receipt_token_validator_create says. */
    APP_RECEIPT_INCOMPLETE_POLICY = -5
};

/* Memory from the caller. Both functions must be callable from every thread that calls the library with an
 * object made by this allocator, and until the last of its objects is released. */
typedef struct app_receipt_allocator {
    void *context;
    /* Returns memory of this size at a multiple of the alignment, which is a power of two. */
    void *(*allocate)(void *context, size_t size, size_t alignment);
    /* Takes memory back that allocate returned. Never called with NULL. */
    void (*deallocate)(void *context, void *memory);
} app_receipt_allocator;

typedef struct app_receipt_policy app_receipt_policy;
typedef struct app_receipt_validator app_receipt_validator;
typedef struct app_receipt_cache app_receipt_cache;
typedef struct app_receipt_result app_receipt_result;
typedef struct app_receipt_token_validator app_receipt_token_validator;
typedef struct app_receipt_token_result app_receipt_token_result;
typedef struct app_receipt_endpoint app_receipt_endpoint;

/* ---- The policy: what a receipt or token must be ---- */

/* Makes an empty policy. The allocator may be NULL: malloc and free are used. It is copied. */
app_receipt_status app_receipt_policy_create(const app_receipt_allocator *allocator, app_receipt_policy **policy);
void app_receipt_policy_release(app_receipt_policy *policy);

/* Accepts receipts of an environment. Names: Production, ProductionVPP, ProductionSandbox, ProductionVPPSandbox,
 * Xcode. There is no default. The second function accepts receipts and tokens of any. */
app_receipt_status app_receipt_policy_accept_environment(app_receipt_policy *policy, const char *name,
                                                         size_t length);
app_receipt_status app_receipt_policy_accept_any_environment(app_receipt_policy *policy);

/* Accepts receipts and tokens of an app, or of any. There is no default. */
app_receipt_status app_receipt_policy_accept_bundle_identifier(app_receipt_policy *policy, const char *identifier,
                                                               size_t length);
app_receipt_status app_receipt_policy_accept_any_bundle_identifier(app_receipt_policy *policy);

/* Requires an app version of receipts. Without this call the version is not checked. */
app_receipt_status app_receipt_policy_require_app_version(app_receipt_policy *policy, const char *version,
                                                          size_t length);

/* Requires a device of receipts: the 16 bytes of identifierForVendor, or the 6 bytes of a MAC address. Call it once
 * for each candidate; one must match. Without this call the device is not checked. */
app_receipt_status app_receipt_policy_accept_device(app_receipt_policy *policy, const uint8_t *identifier,
                                                    size_t length);

/* Trusts a root certificate in DER in place of Apple's roots. Call it once for each root. */
app_receipt_status app_receipt_policy_trust_root(app_receipt_policy *policy, const uint8_t *certificate,
                                                 size_t length);

/* Does not require Apple's marker extensions, under roots of trust_root. Every certificate that an intermediate of
 * these roots issued can then sign receipts and tokens. */
app_receipt_status app_receipt_policy_omit_markers(app_receipt_policy *policy);

/* Trusts the certificate of StoreKit testing in Xcode, whose private key is public, in place of Apple's roots. Under
 * it only the environment Xcode is accepted, and LocalTesting for tokens. For tests. With trust_root: another
 * self-signed certificate of that kind. Tokens need trust_root, because each session of Xcode makes a
 * certificate. */
app_receipt_status app_receipt_policy_trust_xcode_testing(app_receipt_policy *policy);

/* Adds an intermediate's certificate in DER, for iOS 6 transaction receipts, which do not contain theirs.
 * Apple's are built in. */
app_receipt_status app_receipt_policy_add_issuer(app_receipt_policy *policy, const uint8_t *certificate,
                                                 size_t length);

/* Gives the present time, in milliseconds since 1970, also for set_maximum_age and for evidence about revocation.
 * Without this call the expiration date of Volume Purchase receipts is not checked. A time before a receipt's creation
 * date counts as that date. */
app_receipt_status app_receipt_policy_set_now(app_receipt_policy *policy, int64_t milliseconds);

/* Requires the certificates to be valid at this time, in milliseconds since 1970, in place of the receipt's creation
 * date or the token's date. Notifications of 2022 have no date and need a time. */
app_receipt_status app_receipt_policy_set_path_time(app_receipt_policy *policy, int64_t milliseconds);

/* Refuses receipts and tokens whose path has a certificate, or a SubjectPublicKeyInfo, with this SHA-256 of 32 bytes,
 * whatever date they claim. Call it once for each. */
app_receipt_status app_receipt_policy_distrust(app_receipt_policy *policy, const uint8_t *fingerprint,
                                               size_t length);

/* Adds evidence about revocation that the caller fetched, in DER: an OCSP response (RFC 6960), or a revocation list
 * (RFC 5280, section 5). Call it once for each piece. BAD_VALUE for a piece of an unsupported form, one that reports an
 * error of the responder, one without nextUpdate, a response beyond 64 KiB or a list beyond 32 MiB, and the 17th of its
 * kind. Signatures and dates are judged with each receipt and token. Evidence needs set_now, and must be fresh at that
 * time. A validator keeps the time, so make a new validator before the evidence is stale. */
app_receipt_status app_receipt_policy_add_ocsp_response(app_receipt_policy *policy, const uint8_t *response,
                                                        size_t length);
app_receipt_status app_receipt_policy_add_revocation_list(app_receipt_policy *policy, const uint8_t *list,
                                                          size_t length);

/* The evidence that a policy requires about the certificates of a path, except the root's. */
enum {
    /* Fresh evidence that no certificate is revoked. This is the default for a policy with evidence. */
    APP_RECEIPT_REVOCATION_REQUIRED = 1,
    /* None. A revoked certificate is refused, too. If evidence is missing, stale or unusable, NOT_CHECKED has the step
     * revocation. */
    APP_RECEIPT_REVOCATION_IF_PRESENT = 2
};

/* Sets the evidence that the policy requires. A call of this function, or of one that adds evidence, asks for
 * revocation, even if the call fails: the policy makes no validator until it has evidence. Without such a call,
 * revocation is not checked, and NOT_CHECKED has the step. */
app_receipt_status app_receipt_policy_set_revocation(app_receipt_policy *policy, int32_t requirement);

/* Requires a hash algorithm with at least this number of bits in signatures: 160, 256, 384 or 512. The default is
 * 160, SHA-1, because genuine receipts up to 2023 use it. Signatures of tokens have 256. */
app_receipt_status app_receipt_policy_set_minimum_digest(app_receipt_policy *policy, int32_t bits);

/* A limit on the work that a receipt may cause. */
enum {
    APP_RECEIPT_LIMIT_INPUT_BYTES = 1,
    APP_RECEIPT_LIMIT_DEPTH = 2,
    APP_RECEIPT_LIMIT_ELEMENTS = 3,
    APP_RECEIPT_LIMIT_CERTIFICATES = 4,
    APP_RECEIPT_LIMIT_EXTENSIONS = 5,
    APP_RECEIPT_LIMIT_PURPOSES = 6,
    APP_RECEIPT_LIMIT_MODULUS_BITS = 7,
    APP_RECEIPT_LIMIT_EXPONENT_BITS = 8,
    APP_RECEIPT_LIMIT_ATTRIBUTES = 9,
    APP_RECEIPT_LIMIT_SIGNATURE_CHECKS = 10
};

/* Sets a limit in place of its default, from 1 to the default. */
app_receipt_status app_receipt_policy_set_limit(app_receipt_policy *policy, int32_t limit, int64_t value);

/* ---- Validation ---- */

/* Makes a validator of receipts. The policy is copied and can be released. INCOMPLETE_POLICY without an
 * accept_environment or an accept_bundle_identifier call, after omit_markers without trust_root, for evidence without
 * set_now, and if revocation is asked without evidence. BAD_VALUE for a policy that expects what only tokens have. */
app_receipt_status app_receipt_validator_create(const app_receipt_policy *policy,
                                                app_receipt_validator **validator);
void app_receipt_validator_release(app_receipt_validator *validator);

/* Makes a cache, which remembers the certificates of earlier receipts and tokens. A cache does not change verdicts.
 * Each thread needs its own. The allocator may be NULL, as above. It serves the cache itself; what the cache
 * remembers comes from the allocator of the validator or endpoint that used it, which must still work when the cache
 * is released. */
app_receipt_status app_receipt_cache_create(const app_receipt_allocator *allocator, app_receipt_cache **cache);
void app_receipt_cache_release(app_receipt_cache *cache);

/* Validates an app receipt (DER, or Xcode's BER) or an iOS 6 transaction receipt, as it is or in a form of text:
 * base64, hexadecimal, PEM, JSON with the receipt in it and others, also within each other. The documentation of
 * ReceiptInput.decode lists the forms. Text that holds something else, such as a JWS, is refused by its name.
 *
 * The cache may be NULL. Returns OK for a valid receipt and REFUSED for every other input, empty input included;
 * in both cases *result is a new result. The bytes are not needed after the call. If the input
 * is longer than the limits allow, only its beginning is copied. */
app_receipt_status app_receipt_validate(const app_receipt_validator *validator, app_receipt_cache *cache,
                                        const uint8_t *bytes, size_t length, app_receipt_result **result);

/* One of many receipts or tokens. */
typedef struct app_receipt_input {
    const uint8_t *bytes;
    size_t length;
} app_receipt_input;

/* Validates many receipts. results has room for count pointers, and gets one result for each receipt, in order.
 * Returns OK if the calls could be made, whatever the verdicts are. */
app_receipt_status app_receipt_validate_many(const app_receipt_validator *validator, app_receipt_cache *cache,
                                             const app_receipt_input *receipts, size_t count,
                                             app_receipt_result **results);
void app_receipt_result_release(app_receipt_result *result);

/* ---- Results ---- */

/* OK if the receipt is valid, REFUSED if it is not. */
app_receipt_status app_receipt_result_verdict(const app_receipt_result *result);

/* Why a receipt or token was refused. The texts end in a zero byte and are constants of the library. */
typedef struct app_receipt_error {
    /* The stable number of the reason; `app-receipt errors` lists all. */
    int32_t code;
    /* The certificate concerned, counted from 0 in the order of the message; -1 for none. */
    int32_t certificate;
    /* Where in the input, in bytes. If the input was base64, the offset counts in the decoded bytes. */
    int64_t offset;
    /* The stable name of the reason, such as der.truncated. */
    const char *name;
    /* The step that failed, such as certificate-path. */
    const char *step;
    /* The state of the input: invalid, unsupported or unreadable. */
    const char *kind;
    /* One sentence. */
    const char *message;
    /* The field that was read, in the words of its standard. */
    const char *reading;
} app_receipt_error;

/* Writes why the receipt was refused. ABSENT if it is valid. */
app_receipt_status app_receipt_result_error(const app_receipt_result *result, app_receipt_error *error);

/* The values of a receipt, and of a purchase in it. The kind of value is in the comment: text, integer, time
 * (milliseconds since 1970), boolean (0 or 1), octets. A transaction receipt is a receipt with one purchase; it
 * lacks most of the receipt's values. */
enum {
    APP_RECEIPT_ENVIRONMENT = 1,                 /* text */
    APP_RECEIPT_BUNDLE_IDENTIFIER = 2,           /* text */
    APP_RECEIPT_APP_VERSION = 3,                 /* text */
    APP_RECEIPT_ORIGINAL_APP_VERSION = 4,        /* text */
    APP_RECEIPT_CREATION_DATE = 5,               /* time */
    APP_RECEIPT_RECEIPT_PURCHASE_DATE = 6,       /* time */
    APP_RECEIPT_RECEIPT_ORIGINAL_PURCHASE_DATE = 7, /* time */
    APP_RECEIPT_PREORDER_DATE = 8,               /* time */
    APP_RECEIPT_EXPIRATION_DATE = 9,             /* time */
    APP_RECEIPT_APP_ITEM_IDENTIFIER = 10,        /* integer */
    APP_RECEIPT_DEVELOPER_IDENTIFIER = 11,       /* integer */
    APP_RECEIPT_DOWNLOAD_IDENTIFIER = 12,        /* integer */
    APP_RECEIPT_VERSION_EXTERNAL_IDENTIFIER = 13, /* integer */
    APP_RECEIPT_AGE_RATING = 14,                 /* text */
    APP_RECEIPT_PLATFORM = 15,                   /* integer */
    APP_RECEIPT_OPAQUE_VALUE = 16,               /* octets */
    APP_RECEIPT_SHA1_HASH = 17,                  /* octets */
    APP_RECEIPT_SIGNING_CERTIFICATE = 18,        /* octets */
    APP_RECEIPT_ROOT_FINGERPRINT = 19,           /* octets, SHA-256 */
    /* The names of the steps that the policy left out, with commas between. */
    APP_RECEIPT_NOT_CHECKED = 20,                /* text */
    /* SHA-256 of the signed content, which identifies the receipt; the SHA-256 of its bytes does not, because parts
     * of a valid receipt can be changed. Each call computes it if the signature covers SHA-1. In a transaction
     * receipt, the content is the version octet and the purchase-info. */
    APP_RECEIPT_CONTENT_SHA256 = 21,             /* octets */

    APP_RECEIPT_QUANTITY = 101,                  /* integer */
    APP_RECEIPT_PRODUCT_IDENTIFIER = 102,        /* text */
    APP_RECEIPT_TRANSACTION_IDENTIFIER = 103,    /* text */
    APP_RECEIPT_ORIGINAL_TRANSACTION_IDENTIFIER = 104, /* text */
    APP_RECEIPT_PURCHASE_DATE = 105,             /* time */
    APP_RECEIPT_ORIGINAL_PURCHASE_DATE = 106,    /* time */
    APP_RECEIPT_EXPIRES_DATE = 107,              /* time */
    APP_RECEIPT_CANCELLATION_DATE = 108,         /* time */
    APP_RECEIPT_CANCELLATION_REASON = 109,       /* integer */
    APP_RECEIPT_PRODUCT_TYPE = 110,              /* integer */
    APP_RECEIPT_WEB_ORDER_LINE_ITEM_IDENTIFIER = 111, /* integer; text in a transaction receipt */
    APP_RECEIPT_IS_TRIAL_PERIOD = 112,           /* boolean */
    APP_RECEIPT_IS_IN_INTRODUCTORY_OFFER_PERIOD = 113, /* boolean */
    APP_RECEIPT_PROMOTIONAL_OFFER_IDENTIFIER = 114, /* text */
    APP_RECEIPT_OWNERSHIP = 115,                 /* integer: 0 purchased, 1 shared by the family */
    /* Only transaction receipts have the group. */
    APP_RECEIPT_SUBSCRIPTION_GROUP_IDENTIFIER = 116 /* text */
};

/* Copies a text or octets into the caller's buffer and writes the length. With BUFFER_TOO_SMALL, the needed length
 * was written and nothing was copied. A buffer of NULL with a capacity of 0 asks for the length. Nothing is
 * allocated, except for CONTENT_SHA256. ABSENT if the receipt has no such value, and for a refusal. BAD_VALUE for a
 * field of another kind. */
app_receipt_status app_receipt_result_text(const app_receipt_result *result, int32_t field, char *buffer,
                                           size_t capacity, size_t *length);
app_receipt_status app_receipt_result_octets(const app_receipt_result *result, int32_t field, uint8_t *buffer,
                                             size_t capacity, size_t *length);

/* Writes an integer, a time or a boolean. */
app_receipt_status app_receipt_result_integer(const app_receipt_result *result, int32_t field, int64_t *value);

/* Writes the number of purchases, 0 for a refusal. */
app_receipt_status app_receipt_result_purchase_count(const app_receipt_result *result, size_t *count);

/* As above, for the purchase with this index, from 0. */
app_receipt_status app_receipt_purchase_text(const app_receipt_result *result, size_t index, int32_t field,
                                             char *buffer, size_t capacity, size_t *length);
app_receipt_status app_receipt_purchase_integer(const app_receipt_result *result, size_t index, int32_t field,
                                                int64_t *value);

/* Writes the result as a JSON object, with the members that `app-receipt verify --json` writes, but without key,
 * source, record and offset: sha256, status, step, code, not_checked, error, and receipt or transaction_receipt. */
app_receipt_status app_receipt_result_json(const app_receipt_result *result, char *buffer, size_t capacity,
                                           size_t *length);

/* ---- Unverified inspection ---- */

/* Writes what a container claims, as a JSON object: unverified_receipt or unverified_transaction_receipt if it
 * can be decoded, and certificates. Nothing is verified: anyone can write such a receipt. The input has the same
 * forms as for app_receipt_validate; input that is none of them has no certificates. */
app_receipt_status app_receipt_inspect_unverified(const uint8_t *bytes, size_t length, char *buffer,
                                                  size_t capacity, size_t *needed);

/* Writes the container that an input holds: DER or BER, or the property list of a transaction receipt. The input has
 * the same forms as for app_receipt_validate, and nothing is verified. ABSENT if the input holds no container, or one
 * above the limit of 8 MiB: app_receipt_validate then tells the reason. */
app_receipt_status app_receipt_decode(const uint8_t *bytes, size_t length, uint8_t *buffer, size_t capacity,
                                      size_t *needed);

/* ---- Tokens of StoreKit 2 ---- */

/* Accepts tokens of an environment. Names: Production, Sandbox, Xcode, LocalTesting. There is no default. */
app_receipt_status app_receipt_policy_accept_token_environment(app_receipt_policy *policy, const char *name,
                                                               size_t length);

/* The next three functions are for tokens: app_receipt_validator_create does not take their policy. Without a call,
 * the check is left out.
 *
 * Requires the app's Apple ID, a positive number, in tokens that have one; those from production must. */
app_receipt_status app_receipt_policy_require_app_apple_id(app_receipt_policy *policy, int64_t identifier);

/* Requires a device: its AppStore.deviceVerificationID, a UUID of 36 characters in either case. */
app_receipt_status app_receipt_policy_require_device_verification(app_receipt_policy *policy,
                                                                  const char *identifier, size_t length);

/* Requires tokens that were signed at most so many milliseconds before set_now. */
app_receipt_status app_receipt_policy_set_maximum_age(app_receipt_policy *policy, int64_t milliseconds);

/* Accepts tokens that any self-signed certificate signs, as Xcode does, of the environments Xcode and LocalTesting
 * alone. That proves that a token is unchanged since it was signed, and nothing else: anyone can sign such a
 * token. For tests, and not together with trust_root. Validators of receipts ignore it. */
app_receipt_status app_receipt_policy_trust_any_self_signed_proving_integrity_only(app_receipt_policy *policy);

/* A limit on the work that a token may cause: its length, and the members of an object in it. */
enum {
    APP_RECEIPT_TOKEN_LIMIT_BYTES = 1,
    APP_RECEIPT_TOKEN_LIMIT_MEMBERS = 2
};

/* Sets a limit in place of its default, from 1 to the default. */
app_receipt_status app_receipt_policy_set_token_limit(app_receipt_policy *policy, int32_t limit, int64_t value);

/* The kind of a token. Nothing in a token names its kind, so the caller says which one it must have. */
enum {
    /* JWSTransaction, such as signedTransactionInfo. */
    APP_RECEIPT_TOKEN_TRANSACTION = 1,
    /* JWSRenewalInfo, such as signedRenewalInfo. It names no bundle identifier. */
    APP_RECEIPT_TOKEN_RENEWAL_INFO = 2,
    /* The signedPayload of App Store Server Notifications version 2. */
    APP_RECEIPT_TOKEN_NOTIFICATION = 3,
    /* JWSAppTransaction, such as signedAppTransactionInfo. */
    APP_RECEIPT_TOKEN_APP_TRANSACTION = 4,
    /* The signedPayload of the Retention Messaging API. It names no bundle identifier. */
    APP_RECEIPT_TOKEN_REALTIME_REQUEST = 5
};

/* Makes a validator of tokens. The policy is copied and can be released. Without trust_root it trusts Apple's root
 * G3. INCOMPLETE_POLICY without an accept_token_environment or accept_any_environment call, without an
 * accept_bundle_identifier call, for omit_markers or trust_xcode_testing without trust_root or
 * trust_any_self_signed_proving_integrity_only, for trust_root with the latter, for set_maximum_age or evidence without
 * set_now, and if revocation is asked without evidence. BAD_VALUE after require_app_version or accept_device, which
 * only receipts have, and for a minimum digest above 256. */
app_receipt_status app_receipt_token_validator_create(const app_receipt_policy *policy,
                                                      app_receipt_token_validator **validator);
void app_receipt_token_validator_release(app_receipt_token_validator *validator);

/* Validates a token and, in a notification, the tokens inside it, whose device and age are not checked. The input is
 * the token, or the JSON object in which Apple sends it: {"signedPayload":"..."} for a notification, as it arrives.
 * The other arguments and the status are as in app_receipt_validate. BAD_VALUE for an unknown kind. */
app_receipt_status app_receipt_token_validate(const app_receipt_token_validator *validator,
                                              app_receipt_cache *cache, int32_t kind, const uint8_t *bytes,
                                              size_t length, app_receipt_token_result **result);

/* Validates many tokens of a kind, as app_receipt_validate_many does receipts. */
app_receipt_status app_receipt_token_validate_many(const app_receipt_token_validator *validator,
                                                   app_receipt_cache *cache, int32_t kind,
                                                   const app_receipt_input *tokens, size_t count,
                                                   app_receipt_token_result **results);
void app_receipt_token_result_release(app_receipt_token_result *result);

/* OK if the token is valid, REFUSED if it is not. */
app_receipt_status app_receipt_token_result_verdict(const app_receipt_token_result *result);

/* Writes why the token was refused. ABSENT if it is valid. The certificate is counted in the order of x5c. The
 * offset counts in the token's characters, or in a nested token's characters if that token was refused. */
app_receipt_status app_receipt_token_result_error(const app_receipt_token_result *result, app_receipt_error *error);

/* Points *name to the name of the refused token inside a notification, such as signedRenewalInfo: a constant of the
 * library that ends in a zero byte. ABSENT if the error is not in one, and for a valid token. */
app_receipt_status app_receipt_token_result_nested_token(const app_receipt_token_result *result, const char **name);

/* Copies ENVIRONMENT, BUNDLE_IDENTIFIER (of a notification: the one in data, summary, externalPurchaseToken or
 * appData) or NOT_CHECKED, as app_receipt_result_text does, but allocates. NOT_CHECKED of a notification has the step
 * revocation also if a token inside it lacks evidence. BAD_VALUE for another field. */
app_receipt_status app_receipt_token_result_text(const app_receipt_token_result *result, int32_t field,
                                                 char *buffer, size_t capacity, size_t *length);

/* Copies text of a token's payload, or writes an integer, a date (milliseconds since 1970; decimals of Xcode are
 * rounded down) or a boolean. The member has Apple's name, such as transactionId or notificationType. Full stops
 * lead into objects, and into the verified tokens inside a notification: data.signedTransactionInfo.productId.
 * ABSENT if the payload lacks the member, if it is null, and for a refusal. BAD_VALUE for a member of another type;
 * JSON has arrays and objects. */
app_receipt_status app_receipt_payload_text(const app_receipt_token_result *result, const char *member,
                                            size_t member_length, char *buffer, size_t capacity, size_t *length);
app_receipt_status app_receipt_payload_integer(const app_receipt_token_result *result, const char *member,
                                               size_t member_length, int64_t *value);

/* Writes the result as a JSON object, as app_receipt_result_json does, with the members sha256 (of the token's
 * characters), status, step, code, not_checked, error, kind, and payload. */
app_receipt_status app_receipt_token_result_json(const app_receipt_token_result *result, char *buffer,
                                                 size_t capacity, size_t *length);

/* Writes what a token claims, as a JSON object: unverified_payload if it can be decoded as this kind, and
 * certificates. Nothing is verified. The input has the forms of app_receipt_token_validate. */
app_receipt_status app_receipt_inspect_token_unverified(int32_t kind, const uint8_t *bytes, size_t length,
                                                        char *buffer, size_t capacity, size_t *needed);

/* ---- Apple's verifyReceipt ---- */

/* Lets the endpoints that are made with the policy list a receipt's own purchases as latest_receipt_info, as Apple's
 * answers do from Apple's database. The list is as old as the receipt: renewals and refunds after its signing are
 * missing, so a subscription looks expired until the app sends a fresh receipt. Without this call the member is
 * absent. Validators ignore it. */
app_receipt_status app_receipt_policy_add_latest_receipt_info(app_receipt_policy *policy);

/* Makes an endpoint that answers as Apple's does. is_sandbox: 0 for buy.itunes.apple.com, 1 for
 * sandbox.itunes.apple.com. repairs: 0 to take base64 as Apple does, 1 to repair what damaged requests have. The
 * policy's roots, issuers, distrust, evidence about revocation, minimum digest and limits count, omit_markers and
 * trust_xcode_testing, which accept more certificates, and add_latest_receipt_info. Nothing else of it counts, as with
 * Apple's endpoint, so a policy without environments and bundle identifiers will do. Evidence must be fresh at set_now,
 * whenever a request comes, so make a new endpoint for new evidence; answers do not tell whether evidence was missing.
 * INCOMPLETE_POLICY for evidence without set_now, if revocation is asked without evidence, and for omit_markers without
 * trust_root. */
app_receipt_status app_receipt_endpoint_create(const app_receipt_policy *policy, int32_t is_sandbox,
                                               int32_t repairs, app_receipt_endpoint **endpoint);

/* As above, and compares the password of each request with these shared secrets. */
app_receipt_status app_receipt_endpoint_create_with_secrets(const app_receipt_policy *policy, int32_t is_sandbox,
                                                            int32_t repairs, const app_receipt_input *secrets,
                                                            size_t count, app_receipt_endpoint **endpoint);
void app_receipt_endpoint_release(app_receipt_endpoint *endpoint);

/* Answers the body of a request with a JSON object, and writes its status number, such as 21002.
 *
 * The cache may be NULL. now is the time of the answer, in milliseconds since 1970. *answer is released by
 * app_receipt_answer_release. */
typedef struct app_receipt_answer app_receipt_answer;
app_receipt_status app_receipt_endpoint_answer(const app_receipt_endpoint *endpoint, app_receipt_cache *cache,
                                               const uint8_t *body, size_t length, int64_t now,
                                               app_receipt_answer **answer);
/* Returns Apple's status number, or a negative app_receipt_status. */
int32_t app_receipt_answer_status(const app_receipt_answer *answer);
/* Points *bytes to the JSON object, which lives as long as the answer. */
app_receipt_status app_receipt_answer_body(const app_receipt_answer *answer, const char **bytes, size_t *length);
/* Writes why the status is not 0. ABSENT for status 0. The step is `request` if the request is at fault. */
app_receipt_status app_receipt_answer_error(const app_receipt_answer *answer, app_receipt_error *error);
void app_receipt_answer_release(app_receipt_answer *answer);

#ifdef __cplusplus
}
#endif

#endif /* APP_RECEIPT_H */
