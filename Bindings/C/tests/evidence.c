/* evidence VECTORS: tests that OCSP responses and revocation lists decide about receipts and tokens; distrust of
 * receipts; and mistakes of callers. The evidence comes from revocation/evidence.tsv. */
#include "tokens.h"

/* 2026-06-15T12:00:00Z, when the pieces are fresh; a day before, when they were not made; and months later. */
static const int64_t fresh = 1781524800000, early = 1781438400000, stale = 1788220800000;

/* ---- The pieces ---- */

struct piece {
    int is_token, certificate, is_list, is_revoked;
    char signer;
    uint8_t *bytes;
    size_t length;
};

static struct piece pieces[64];
static size_t piece_count;
static uint8_t *receipt;
static size_t receipt_length;
static char *receipt_root;

static void read_pieces(const char *vectors) {
    char path[4096], *text, *line;
    size_t length;
    snprintf(path, sizeof path, "%s/revocation/evidence.tsv", vectors);
    text = (char *)read_file(path, &length);
    text[length] = 0;
    for (line = strtok(text, "\n"); (line = strtok(NULL, "\n"));) {
        struct piece *piece = &pieces[piece_count++];
        char of[8], kind[8], status[8], signer[16];
        int start = 0;
        unsigned int octet;
        CHECK(piece_count <= sizeof pieces / sizeof *pieces);
        CHECK(sscanf(line, "%7s %d %7s %7s %15s %n", of, &piece->certificate, kind, status, signer, &start) == 5);
        piece->is_token = !strcmp(of, "token");
        piece->is_list = !strcmp(kind, "crl");
        piece->is_revoked = !strcmp(status, "revoked");
        piece->signer = signer[0];
        piece->bytes = (uint8_t *)malloc(strlen(line + start) / 2);
        for (line += start; *line; line += 2) {
            CHECK(sscanf(line, "%2x", &octet) == 1);
            piece->bytes[piece->length++] = (uint8_t)octet;
        }
    }
    free(text);
    snprintf(path, sizeof path, "%s/receipts/sandbox-sha256.der", vectors);
    receipt = read_file(path, &receipt_length);
    snprintf(path, sizeof path, "%s/certificates/root.der", vectors);
    receipt_root = (char *)malloc(strlen(path) + 1);
    strcpy(receipt_root, path);
}

/* A piece by its digits: the certificate, `g`ood or `r`evoked, and the first letter of the signer. */
static const struct piece *piece_named(int is_token, int is_list, const char *digits) {
    size_t index;
    for (index = 0; index < piece_count; index++) {
        const struct piece *piece = &pieces[index];
        if (piece->is_token == is_token && piece->is_list == is_list && piece->certificate == digits[0] - '0' &&
            piece->is_revoked == (digits[1] == 'r') && piece->signer == digits[2])
            return piece;
    }
    fprintf(stderr, "no piece %s\n", digits);
    exit(1);
}

static app_receipt_status add(app_receipt_policy *policy, const struct piece *piece) {
    return piece->is_list ? app_receipt_policy_add_revocation_list(policy, piece->bytes, piece->length)
                          : app_receipt_policy_add_ocsp_response(policy, piece->bytes, piece->length);
}

/* ---- Verdicts ---- */

static app_receipt_policy *policy_for(int is_token) {
    app_receipt_policy *policy;
    if (!is_token) return open_policy(&allocator, receipt_root);
    policy = open_policy(&allocator, NULL);
    CHECK(app_receipt_policy_trust_root(policy, root, root_length) == APP_RECEIPT_OK);
    return policy;
}

/* A verdict: the code and the certificate of a refusal, and whether NOT_CHECKED has the step revocation. */
struct verdict {
    const char *code;
    int32_t certificate;
    int is_listed;
};

static struct verdict acceptance(const char *not_checked, size_t length) {
    struct verdict found = {NULL, -1, 0};
    found.is_listed = length >= 10 && !memcmp(not_checked, "revocation", 10);
    return found;
}

static struct verdict refusal(const app_receipt_error *error) {
    struct verdict found = {NULL, -1, 0};
    CHECK(!strcmp(error->step, "revocation"));
    found.code = error->name;
    found.certificate = error->certificate;
    return found;
}

static struct verdict judge_token(const app_receipt_token_validator *validator, app_receipt_cache *cache,
                                  const char *token) {
    struct verdict found;
    app_receipt_token_result *result;
    app_receipt_error error;
    char text[256];
    size_t length;
    if (app_receipt_token_validate(validator, cache, APP_RECEIPT_TOKEN_TRANSACTION, (const uint8_t *)token,
                                   strlen(token), &result) == APP_RECEIPT_OK) {
        CHECK(app_receipt_token_result_text(result, APP_RECEIPT_NOT_CHECKED, text, sizeof text, &length) ==
              APP_RECEIPT_OK);
        found = acceptance(text, length);
    } else {
        CHECK(app_receipt_token_result_error(result, &error) == APP_RECEIPT_OK);
        found = refusal(&error);
    }
    app_receipt_token_result_release(result);
    return found;
}

static struct verdict judge_receipt(const app_receipt_validator *validator, app_receipt_cache *cache) {
    struct verdict found;
    app_receipt_result *result;
    app_receipt_error error;
    char text[256];
    size_t length;
    if (app_receipt_validate(validator, cache, receipt, receipt_length, &result) == APP_RECEIPT_OK) {
        CHECK(app_receipt_result_text(result, APP_RECEIPT_NOT_CHECKED, text, sizeof text, &length) ==
              APP_RECEIPT_OK);
        found = acceptance(text, length);
    } else {
        CHECK(app_receipt_result_error(result, &error) == APP_RECEIPT_OK);
        found = refusal(&error);
        /* The message has the intermediate, the root and the leaf, in this order. */
        found.certificate = found.certificate == 2 ? 0 : found.certificate + 1;
    }
    app_receipt_result_release(result);
    return found;
}

/* Judges the receipt, or the token, by a policy, and releases the policy. The verdict must be the same without a cache,
 * with an empty cache, and with the cache that the round before filled. */
static struct verdict judge(int is_token, app_receipt_policy *policy) {
    struct verdict found[3];
    app_receipt_cache *cache;
    int round;
    CHECK(app_receipt_cache_create(&allocator, &cache) == APP_RECEIPT_OK);
    if (is_token) {
        app_receipt_token_validator *validator = open_tokens(policy);
        char *token = token_of(row_named("every member of a transaction"));
        for (round = 0; round < 3; round++) found[round] = judge_token(validator, round ? cache : NULL, token);
        free(token);
        app_receipt_token_validator_release(validator);
    } else {
        app_receipt_validator *validator;
        CHECK(app_receipt_validator_create(policy, &validator) == APP_RECEIPT_OK);
        app_receipt_policy_release(policy);
        for (round = 0; round < 3; round++) found[round] = judge_receipt(validator, round ? cache : NULL);
        app_receipt_validator_release(validator);
    }
    app_receipt_cache_release(cache);
    CHECK(live == 0);
    for (round = 1; round < 3; round++) {
        CHECK(!found[0].code == !found[round].code);
        CHECK(!found[0].code || !strcmp(found[0].code, found[round].code));
        CHECK(found[0].certificate == found[round].certificate && found[0].is_listed == found[round].is_listed);
    }
    return found[0];
}

/* Checks a verdict. With a code of NULL, the receipt or token is valid. The path begins with certificate 0. */
static void expect(const char *name, struct verdict found, const char *code, int32_t certificate, int is_listed) {
    if ((code ? !found.code || strcmp(found.code, code) : found.code != NULL) || found.certificate != certificate ||
        found.is_listed != is_listed) {
        fprintf(stderr, "%s: %s at %d, listed %d; expected %s at %d, listed %d\n", name,
                found.code ? found.code : "valid", (int)found.certificate, found.is_listed, code ? code : "valid",
                (int)certificate, is_listed);
        exit(1);
    }
}

static void check_verdicts(int is_token, int is_list) {
    /* Pieces by their digits; the time; and the code and certificate of a refusal, whenever revocation is asked, or
     * else only if evidence is required. `forged` stands for the code of a signature by another key. */
    const char *forged = is_token ? "ecdsa.signature-mismatch" : "rsa.signature-mismatch";
    const struct {
        const char *pieces[3];
        int64_t now;
        const char *revoked, *missing;
        int32_t certificate;
    } cases[] = {
        {{"0gi", "1gi"}, fresh, NULL, NULL, -1},
        {{"1gi", "0gi"}, fresh, NULL, NULL, -1},
        {{"0ri", "1gi"}, fresh, "revocation.revoked", NULL, 0},
        {{"0gi", "0ri", "1gi"}, fresh, "revocation.revoked", NULL, 0},
        {{"0gi", "1ri"}, fresh, "revocation.revoked", NULL, 1},
        {{"1ri"}, fresh, "revocation.revoked", NULL, 1},
        {{"0ri"}, stale, "revocation.revoked", NULL, 0},
        {{"0gi", "1gi"}, stale, NULL, "revocation.stale", 0},
        {{"0gi", "1gi"}, early, NULL, "revocation.not-yet-valid", 0},
        {{"0gi"}, fresh, NULL, "revocation.no-evidence", 1},
        {{"1gi"}, fresh, NULL, "revocation.no-evidence", 0},
        {{"0go", "1gi"}, fresh, NULL, forged, 0},
        {{"0gi", "1go"}, fresh, NULL, forged, 1},
        {{"0ro", "1gi"}, fresh, NULL, forged, 0},
        {{"0ro", "0gi", "1gi"}, fresh, NULL, NULL, -1},
    };
    size_t index, piece;
    int round;
    for (index = 0; index < sizeof cases / sizeof *cases; index++) {
        for (round = 0; round < 3; round++) {
            app_receipt_policy *policy = policy_for(is_token);
            const char *code = cases[index].revoked;
            int is_listed = 0;
            /* Required by default, required by name, and if present. */
            if (round > 0) CHECK(app_receipt_policy_set_revocation(policy, round) == APP_RECEIPT_OK);
            for (piece = 0; piece < 3 && cases[index].pieces[piece]; piece++)
                CHECK(add(policy, piece_named(is_token, is_list, cases[index].pieces[piece])) == APP_RECEIPT_OK);
            CHECK(app_receipt_policy_set_now(policy, cases[index].now) == APP_RECEIPT_OK);
            if (!code && cases[index].missing) {
                is_listed = round == APP_RECEIPT_REVOCATION_IF_PRESENT;
                code = is_listed ? NULL : cases[index].missing;
            }
            expect(cases[index].pieces[0], judge(is_token, policy), code, code ? cases[index].certificate : -1,
                   is_listed);
        }
    }
}

/* Evidence that speaks of other certificates, and no evidence. */
static void check_other_evidence(int is_token) {
    int is_list, mode;
    for (is_list = 0; is_list < 2; is_list++)
        for (mode = 1; mode <= 2; mode++) {
            app_receipt_policy *policy = policy_for(is_token);
            CHECK(add(policy, piece_named(!is_token, is_list, "0ri")) == APP_RECEIPT_OK);
            CHECK(add(policy, piece_named(!is_token, is_list, "1ri")) == APP_RECEIPT_OK);
            CHECK(app_receipt_policy_set_revocation(policy, mode) == APP_RECEIPT_OK);
            CHECK(app_receipt_policy_set_now(policy, fresh) == APP_RECEIPT_OK);
            if (mode == APP_RECEIPT_REVOCATION_REQUIRED)
                expect("others", judge(is_token, policy), "revocation.no-evidence", 0, 0);
            else
                expect("others", judge(is_token, policy), NULL, -1, 1);
        }
    /* Not asked. */
    expect("nothing", judge(is_token, policy_for(is_token)), NULL, -1, 1);
}

/* A list of an issuer whose key usage lacks cRLSign is no evidence, whatever it says. */
static void check_lists_for_tokens(void) {
    const char *digits[] = {"0gi", "1gi", "0ri", "1ri", "0go", "0ro"};
    size_t index;
    int mode;
    for (index = 0; index < 6; index++)
        for (mode = 1; mode <= 2; mode++) {
            app_receipt_policy *policy = policy_for(1);
            const int32_t certificate = digits[index][0] - '0';
            CHECK(add(policy, piece_named(1, 1, digits[index])) == APP_RECEIPT_OK);
            CHECK(add(policy, piece_named(1, 0, certificate ? "0gi" : "1gi")) == APP_RECEIPT_OK);
            CHECK(app_receipt_policy_set_revocation(policy, mode) == APP_RECEIPT_OK);
            CHECK(app_receipt_policy_set_now(policy, fresh) == APP_RECEIPT_OK);
            if (mode == APP_RECEIPT_REVOCATION_REQUIRED)
                expect(digits[index], judge(1, policy), "crl.missing-crl-sign", certificate, 0);
            else
                expect(digits[index], judge(1, policy), NULL, -1, 1);
        }
}

/* ---- Distrust of receipts, and the endpoint ---- */

static void check_distrust(void) {
    /* The fingerprints of Vectors/certificates.tsv: leaf, intermediate, root, and a leaf that did not sign. */
    static const char *fingerprints[] = {
        "bc989ab18b532838f5b6e14d08ffc6e00a62af724be532e16490b8b8b3d7c401",
        "3263f832738b3a1e37a41f141d97b5941070016c913cb097e464ed569a47e57f",
        "e5b1db06f482a5978c2b1a157909d669a479ccfc689d1ffd9148da612a7cc5df",
        "b08670d9ce8dfe67bd2123eb528a6b6a397c7f497b02878ac68dcca7ebc33420",
    };
    size_t index, octet;
    for (index = 0; index < 4; index++) {
        app_receipt_policy *policy = open_policy(&allocator, receipt_root);
        app_receipt_validator *validator;
        app_receipt_result *result;
        app_receipt_error error;
        uint8_t fingerprint[32];
        for (octet = 0; octet < 32; octet++) {
            unsigned int value;
            CHECK(sscanf(fingerprints[index] + 2 * octet, "%2x", &value) == 1);
            fingerprint[octet] = (uint8_t)value;
        }
        CHECK(app_receipt_policy_distrust(policy, fingerprint, 32) == APP_RECEIPT_OK);
        /* Distrust comes before revocation. */
        CHECK(add(policy, piece_named(0, 0, "0ri")) == APP_RECEIPT_OK);
        CHECK(app_receipt_policy_set_now(policy, fresh) == APP_RECEIPT_OK);
        CHECK(app_receipt_validator_create(policy, &validator) == APP_RECEIPT_OK);
        app_receipt_policy_release(policy);
        CHECK(app_receipt_validate(validator, NULL, receipt, receipt_length, &result) == APP_RECEIPT_REFUSED);
        CHECK(app_receipt_result_error(result, &error) == APP_RECEIPT_OK);
        CHECK(!strcmp(error.name, index < 3 ? "pkix.distrusted" : "revocation.revoked"));
        CHECK(!strcmp(error.step, index < 3 ? "distrust" : "revocation"));
        app_receipt_result_release(result);
        app_receipt_validator_release(validator);
    }
    CHECK(live == 0);
}

static int32_t answer_status(app_receipt_policy *policy, const char *body) {
    app_receipt_endpoint *endpoint;
    app_receipt_answer *answer;
    app_receipt_error error;
    int32_t status;
    CHECK(app_receipt_endpoint_create(policy, 1, 0, &endpoint) == APP_RECEIPT_OK);
    app_receipt_policy_release(policy);
    CHECK(app_receipt_endpoint_answer(endpoint, NULL, (const uint8_t *)body, strlen(body), fresh, &answer) ==
          APP_RECEIPT_OK);
    status = app_receipt_answer_status(answer);
    if (status) {
        CHECK(app_receipt_answer_error(answer, &error) == APP_RECEIPT_OK);
        CHECK(!strcmp(error.step, "revocation") && !strcmp(error.name, "revocation.revoked"));
    }
    app_receipt_answer_release(answer);
    app_receipt_endpoint_release(endpoint);
    return status;
}

/* An endpoint refuses a revoked signer, too. */
static void check_endpoint(const char *vectors) {
    char path[4096], *body;
    size_t length, index, kept = 0;
    uint8_t *text;
    app_receipt_policy *policy;
    app_receipt_endpoint *endpoint = NULL;
    snprintf(path, sizeof path, "%s/receipts/sandbox-sha256.b64", vectors);
    text = read_file(path, &length);
    /* The endpoint takes no line breaks in base64. */
    for (index = 0; index < length; index++)
        if (text[index] > ' ') text[kept++] = text[index];
    body = (char *)malloc(kept + 32);
    snprintf(body, kept + 32, "{\"receipt-data\":\"%.*s\"}", (int)kept, (const char *)text);
    free(text);

    CHECK(answer_status(open_policy(&allocator, receipt_root), body) == 0);
    policy = open_policy(&allocator, receipt_root);
    CHECK(add(policy, piece_named(0, 0, "0gi")) == APP_RECEIPT_OK);
    CHECK(add(policy, piece_named(0, 1, "1gi")) == APP_RECEIPT_OK);
    CHECK(app_receipt_endpoint_create(policy, 1, 0, &endpoint) == APP_RECEIPT_INCOMPLETE_POLICY && !endpoint);
    CHECK(app_receipt_policy_set_now(policy, fresh) == APP_RECEIPT_OK);
    CHECK(answer_status(policy, body) == 0);
    policy = open_policy(&allocator, receipt_root);
    CHECK(add(policy, piece_named(0, 0, "0ri")) == APP_RECEIPT_OK);
    CHECK(app_receipt_policy_set_now(policy, fresh) == APP_RECEIPT_OK);
    CHECK(app_receipt_policy_set_revocation(policy, APP_RECEIPT_REVOCATION_IF_PRESENT) == APP_RECEIPT_OK);
    CHECK(answer_status(policy, body) == 21002);
    free(body);
    CHECK(live == 0);
}

/* ---- Mistakes ---- */

static void check_creation(app_receipt_policy *policy, app_receipt_status expected) {
    app_receipt_validator *validator = NULL;
    app_receipt_token_validator *tokens = NULL;
    CHECK(app_receipt_validator_create(policy, &validator) == expected);
    CHECK(app_receipt_token_validator_create(policy, &tokens) == expected);
    CHECK(!validator == (expected != APP_RECEIPT_OK) && !tokens == !validator);
    app_receipt_validator_release(validator);
    app_receipt_token_validator_release(tokens);
}

static void check_mistakes(void) {
    static const int32_t wrong[] = {INT32_MIN, -1, 0, 3, INT32_MAX};
    const struct piece *response = piece_named(0, 0, "0gi"), *list = piece_named(0, 1, "0gi");
    const app_receipt_status bad = APP_RECEIPT_BAD_VALUE, null = APP_RECEIPT_NULL_ARGUMENT;
    app_receipt_policy *policy = open_policy(&allocator, receipt_root);
    size_t index;

    CHECK(app_receipt_policy_add_ocsp_response(NULL, response->bytes, response->length) == null);
    CHECK(app_receipt_policy_add_revocation_list(NULL, list->bytes, list->length) == null);
    CHECK(app_receipt_policy_set_revocation(NULL, 1) == null);
    CHECK(app_receipt_policy_add_ocsp_response(policy, NULL, 1) == null);
    CHECK(app_receipt_policy_add_revocation_list(policy, NULL, 1) == null);
    CHECK(app_receipt_policy_add_ocsp_response(policy, response->bytes, SIZE_MAX) == APP_RECEIPT_OUT_OF_RANGE);
    CHECK(app_receipt_policy_add_revocation_list(policy, list->bytes, SIZE_MAX) == APP_RECEIPT_OUT_OF_RANGE);
    CHECK(app_receipt_policy_add_ocsp_response(policy, NULL, 0) == bad);
    CHECK(app_receipt_policy_add_revocation_list(policy, NULL, 0) == bad);
    CHECK(app_receipt_policy_add_ocsp_response(policy, response->bytes, response->length - 1) == bad);
    CHECK(app_receipt_policy_add_revocation_list(policy, list->bytes, list->length - 1) == bad);
    CHECK(app_receipt_policy_add_ocsp_response(policy, list->bytes, list->length) == bad);
    CHECK(app_receipt_policy_add_revocation_list(policy, response->bytes, response->length) == bad);
    CHECK(app_receipt_policy_add_ocsp_response(policy, root, root_length) == bad);
    CHECK(app_receipt_policy_add_revocation_list(policy, root, root_length) == bad);
    for (index = 0; index < sizeof wrong / sizeof *wrong; index++)
        CHECK(app_receipt_policy_set_revocation(policy, wrong[index]) == bad);
    app_receipt_policy_release(policy);
    policy = open_policy(&allocator, receipt_root);
    check_creation(policy, APP_RECEIPT_OK);

    /* A policy that asks for revocation needs evidence and the time. */
    CHECK(app_receipt_policy_set_revocation(policy, APP_RECEIPT_REVOCATION_IF_PRESENT) == APP_RECEIPT_OK);
    check_creation(policy, APP_RECEIPT_INCOMPLETE_POLICY);
    CHECK(app_receipt_policy_set_now(policy, fresh) == APP_RECEIPT_OK);
    check_creation(policy, APP_RECEIPT_INCOMPLETE_POLICY);
    CHECK(app_receipt_policy_add_revocation_list(policy, list->bytes, list->length - 1) == bad);
    check_creation(policy, APP_RECEIPT_INCOMPLETE_POLICY);
    app_receipt_policy_release(policy);
    policy = open_policy(&allocator, receipt_root);
    CHECK(add(policy, list) == APP_RECEIPT_OK);
    check_creation(policy, APP_RECEIPT_INCOMPLETE_POLICY);
    CHECK(app_receipt_policy_set_now(policy, fresh) == APP_RECEIPT_OK);
    check_creation(policy, APP_RECEIPT_OK);

    /* A mistake asks for revocation, too: the policy makes no validator before it has evidence. */
    for (index = 0; index < 3; index++) {
        app_receipt_policy_release(policy);
        policy = open_policy(&allocator, receipt_root);
        CHECK(app_receipt_policy_set_now(policy, fresh) == APP_RECEIPT_OK);
        check_creation(policy, APP_RECEIPT_OK);
        CHECK((index == 0   ? app_receipt_policy_add_ocsp_response(policy, response->bytes, response->length - 1)
               : index == 1 ? app_receipt_policy_add_revocation_list(policy, list->bytes, list->length - 1)
                            : app_receipt_policy_set_revocation(policy, 0)) == bad);
        check_creation(policy, APP_RECEIPT_INCOMPLETE_POLICY);
        CHECK(add(policy, list) == APP_RECEIPT_OK);
        check_creation(policy, APP_RECEIPT_OK);
    }

    /* At most 16 of a kind. */
    for (index = 1; index < 16; index++) CHECK(add(policy, list) == APP_RECEIPT_OK);
    CHECK(add(policy, list) == bad);
    for (index = 0; index < 16; index++) CHECK(add(policy, response) == APP_RECEIPT_OK);
    CHECK(add(policy, response) == bad);
    check_creation(policy, APP_RECEIPT_OK);
    app_receipt_policy_release(policy);
    CHECK(live == 0);
}

int main(int count, char **arguments) {
    size_t index;
    int is_token;
    if (count != 2) return 2;
    read_table(arguments[1]);
    read_pieces(arguments[1]);
    for (is_token = 0; is_token < 2; is_token++) {
        check_verdicts(is_token, 0);
        check_other_evidence(is_token);
    }
    check_verdicts(0, 1);
    check_lists_for_tokens();
    check_distrust();
    check_endpoint(arguments[1]);
    check_mistakes();
    for (index = 0; index < piece_count; index++) free(pieces[index].bytes);
    free(receipt_root);
    free(receipt);
    free(root);
    free(table);
    free(header);
    puts("evidence about revocation: as the header says");
    return 0;
}
