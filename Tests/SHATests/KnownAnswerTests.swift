import SHA
import Testing

@Suite("FIPS 180-4: known answers")
struct KnownAnswerTests {
    @Test("the examples of FIPS 180-4 of one and two blocks have their digests", arguments: standardExamples)
    func examples(_ algorithm: HashAlgorithm, _ message: String, _ digest: String) {
        #expect(algorithm.digest(of: Array(message.utf8)).description == digest)
    }

    @Test("a million letters a have their digest", arguments: millions)
    func million(_ algorithm: HashAlgorithm, _ digest: String) {
        let message = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        #expect(algorithm.digest(of: message).description == digest)
    }

    @Test(
        "messages have their digests if the padding just fits in the block and if it just does not",
        arguments: boundaries
    )
    func boundary(_ algorithm: HashAlgorithm, _ count: Int, _ digest: String) {
        #expect(algorithm.digest(of: message(count)).description == digest)
    }

    @Test(
        "the digests of messages of 0 to 300 bytes, joined, have the expected digest",
        arguments: digestsOfRows
    )
    func everyLength(_ algorithm: HashAlgorithm, _ digest: String) {
        let row = (0...300).flatMap { algorithm.digest(of: message($0)).bytes }
        #expect(algorithm.digest(of: row).description == digest)
    }
}

/// The examples of FIPS 180, published in 1995 and 2002.
private let standardExamples: [(HashAlgorithm, String, String)] =
    [
        (
            .sha1,
            "abc",
            "a9993e364706816aba3e25717850c26c9cd0d89d"
        ),
        (
            .sha1,
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        ),
        (
            .sha256,
            "abc",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        ),
        (
            .sha256,
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            .sha384,
            "abc",
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                + "8086072ba1e7cc2358baeca134c825a7"
        ),
        (
            .sha384,
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
                + "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712"
                + "fcc7c71a557e2db966c3e9fa91746039"
        ),
        (
            .sha512,
            "abc",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
        (
            .sha512,
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
                + "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
        ),
    ]

/// The long example of FIPS 180: a million letters a.
private let millions: [(HashAlgorithm, String)] =
    [
        (
            .sha1,
            "34aa973cd4c4daa4f61eeb2bdbad27316534016f"
        ),
        (
            .sha256,
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
        (
            .sha384,
            "9d0e1809716474cb086e834e310a4a1ced149e9c00f248527972cec5704c2a5b"
                + "07b8b3dc38ecc4ebae97ddd87f3d8985"
        ),
        (
            .sha512,
            "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
                + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"
        ),
    ]

/// Digests of `message(count)`, computed with Python's hashlib.
private let boundaries: [(HashAlgorithm, Int, String)] =
    [
        (.sha1, 55, "ddf57317ef34bfee3b6df83d359098930eb278bc"),
        (.sha1, 56, "a0d492bb0fc889d0eca3bc137066ab6f4f74f369"),
        (.sha1, 63, "c55856749bef509bdfe6bfebfc7bf4e793e82132"),
        (.sha1, 64, "bede92be29c3874e1b54ddc77988d606fc857a8e"),
        (.sha1, 65, "b05a80522b053d6dc7e0a517d0e70212c7dad11f"),
        (.sha1, 119, "504e27376a6e0f0dba8295b85cb25dc4dfa17d23"),
        (.sha1, 120, "82134b02fb3f702491be9bed581eeab59334acb2"),
        (.sha1, 127, "34d5e582029e9b9b85b2febe31da3db7cdabaaea"),
        (.sha1, 128, "a09133e6730ffe899efb70204cb5646cd5dc24ee"),
        (.sha256, 55, "e7313d333c272e639f790978283f9eb392e843d0f29b7016828bb1daa4aac70b"),
        (.sha256, 56, "4324d65f3c103567f5589c710bc08f8523f929a9272e3af36fc968e52abc6c27"),
        (.sha256, 63, "81c80242132f230c3bd41b3e63bbcff16107339549214a99614ff26664625055"),
        (.sha256, 64, "39e3d7b6b5d075d37d053ad89b24b41bef4f3c29760c84447cab3f3be1882241"),
        (.sha256, 65, "aacca6ff74fdbb296d165a45cecfa04e5127bc008770fbbdd48006f2d2fae95e"),
        (.sha256, 119, "9ce7368e4daf32341631b492e80359dc9f594b48453cd0dd5bf0b19279cc177e"),
        (.sha256, 120, "7836b787757e95e58b3ca5aec90b1b004e8deba1e50e9675af9cabf1a13a04b5"),
        (.sha256, 127, "a8d23e75d936f303d248888d9b165ee543f4cbafcad3c9dd2a79bd84faa11d07"),
        (.sha256, 128, "d2742f1f4ac6bb7ca2b239ee18402ba8b3f9f8e652d2a72973c2b9ba11c08cf6"),
        (
            .sha384, 111,
            "341388a9dc2275074e90cf394323761919761c805fd9e370977c9966a0e8c81a"
                + "52135f02577670b0071638a4a26dbc31"
        ),
        (
            .sha384, 112,
            "619cc5d06138526d70659eccf602d197e63e1050e22039a7feb40a30a5b2b08f"
                + "b03729e291df12f8c576e6f1cd8af22a"
        ),
        (
            .sha384, 119,
            "9c284d266fc91c33a7f6ecbb0326646b3ed15cc33fd8bf968267c21991ca1a43"
                + "4dd65c64ee22c7dd6f5423950f605560"
        ),
        (
            .sha384, 127,
            "f8234ab81f5f9641c656680825a9bbb3c2616bcc80b65d5e479a4d96742e1b87"
                + "42330c9e8256ef5f03caa932487044ca"
        ),
        (
            .sha384, 128,
            "e8480e9c4dd90f88104a79cbaccec48edbd798a142b4f241d726dc252f150235"
                + "0e824c7d18dadd59d7d716919fb8f9bf"
        ),
        (
            .sha384, 129,
            "430173387764874661acba1e914e50f6d0fbac534809e859b1da4396fad3d5f2"
                + "4c25c6a2d02486d8fbda3994713d981a"
        ),
        (
            .sha384, 239,
            "fc75ded15c6080ff96ac03391fc1302ca180128e4b6a4a2f17782f2ec016fc3f"
                + "79b48b5fed3305fb7fdff9fd29434525"
        ),
        (
            .sha384, 240,
            "4c4bc5dae174dd68cb5a62e066e01e339e4980e4a35531b732dcf88e9c579e66"
                + "f7c0d044779e2eda8a597684ca7cffd6"
        ),
        (
            .sha384, 256,
            "23f0634552ba15289fa02c8a37e3a391e79e230dca05db03a7696630c5ba3a33"
                + "52d1624f52832e4d6183c0eb70198e9a"
        ),
        (
            .sha512, 111,
            "68cffa6d0d76f309c9ce0d35280939f8e25990c43b7b086ccdf709be35b07d4d"
                + "dba599541ff2b1c19d34ea49aeafb9659adb7ac3c0b078bb30a22d57fc6687ef"
        ),
        (
            .sha512, 112,
            "d0865c524d1dddf7c23b799c413f5adcd7caefd3f66a9b49750ec81066012c25"
                + "a8bcf94ddea6dc525691673097ca40e0101e897fc97218cfdb0704084e2bef4b"
        ),
        (
            .sha512, 119,
            "236bdd7f38a611b5014b239245c381ae5d20a96f1e5b3178227c00056b7fa8c4"
                + "4ef54880085d82b7e20cd65f2bfda1326696c3f94a6a5bad0cb5ce289aa46167"
        ),
        (
            .sha512, 127,
            "e0b6a20f1c0c88970a9340152cd5a1c1ecf3d3b8de5510274187943807947354"
                + "0133b812706e5dbec322c8c9523b6fc8c6d16ee626e87ad5fe3d2916afedc369"
        ),
        (
            .sha512, 128,
            "99b16f17aa0b969a5b8f08f367719d516e330ccd2660b6f0688ec031dbc783de"
                + "50a1cd185a2568dba75070a2403d17d4741d163578515dfd2ff756ddfe4d47b1"
        ),
        (
            .sha512, 129,
            "a1556e29185778aa5991e34b8884c840d589f0fbb4b8ed590e51e9ac4eb03a00"
                + "8125000db2671f8fe7f485b59a77b518670078ecb41a54b4cd02a7f1d2ca4c6d"
        ),
        (
            .sha512, 239,
            "18ee83f30261c3c645d52aee6a209105b25bba39d33845ef48984cc238e4f216"
                + "61fb7bd7dd4336f71c40fe87d95e5115d6c7be52e0d3e7e7877d24500b5b58df"
        ),
        (
            .sha512, 240,
            "9d60ee60d29ec4fa0b9690c04c1c29413bbe3ed345639182d9d53dcc05926b77"
                + "b04f4fec1562fb85182954c96b7cbb5d5e4410251ff4f352d09a2da90419fb13"
        ),
        (
            .sha512, 256,
            "e49c208e41556e859d1a52d14784a061c2d5ae2c8690a5360e9f9344f60861c1"
                + "362a9ec05a9f08a4167b3da41bdd122a387413dd06976470e4beff5053f2ac71"
        ),
    ]

/// The digest of the joined digests of `message(0)` to `message(300)`, computed with Python's hashlib.
private let digestsOfRows: [(HashAlgorithm, String)] =
    [
        (
            .sha1,
            "43debf5006166594c976375f1c06253e43d53ddf"
        ),
        (
            .sha256,
            "7d917fbd2cf49ddff9ad0a8706bba32d204e92e71d2e369c5a03d6af29278c9f"
        ),
        (
            .sha384,
            "efec719c84acba157f057b3a8be4ab46d8d39b7f85dca15c051420621873dcdb"
                + "f6b165d5061f55337fce615e1957e330"
        ),
        (
            .sha512,
            "404431b1c0eac12729b20176c61b0e1c561b6b20d2ecbb7ee1126c361943d724"
                + "d7c0814a8daf5c3a2a7d3e431a0aaf58c12f96d8c3370582b777fd375c3c972f"
        ),
    ]
