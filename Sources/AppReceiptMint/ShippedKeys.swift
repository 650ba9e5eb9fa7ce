/// A test key whose primes are stored here, so that nothing has to search for them.
///
/// These private keys are published with the source code. **They protect nothing.** They exist so that the
/// first receipt that a test mints takes milliseconds: in a debug build, a search for primes takes seconds.
///
/// The keys were made by ``PrivateKey/init(generating:seed:)``, which makes the same keys again from the same
/// seeds; the tests compare the two. `app-receipt mint --seed 1 --pki DIRECTORY` writes the first three keys
/// as PKCS #8, and `openssl rsa -check` accepts each of them.
struct ShippedKey {
    /// The seed that `PrivateKey.init(generating:seed:)` makes this key from, with 2048 bits and e = 65537.
    let seed: UInt64
    /// p, the larger prime, in hexadecimal.
    let prime1: String
    /// q, the smaller prime, in hexadecimal.
    let prime2: String
    /// The inverse of q modulo p, in hexadecimal.
    let coefficient: String

    /// The shipped key of a seed. Returns nil for a seed or parameters without a shipped key.
    static func key(_ parameters: KeyParameters, seed: UInt64) -> PrivateKey? {
        guard parameters == .rsa2048, let shipped = all.first(where: { $0.seed == seed }) else { return nil }
        return PrivateKey(
            parameters,
            prime1: shipped.prime1,
            prime2: shipped.prime2,
            coefficient: shipped.coefficient
        )
    }

    /// All shipped keys.
    ///
    /// `PrivatePKI.Keys` takes the seeds of its three keys from a ``SeededGenerator``, which gives the long
    /// seeds below.
    static let all: [ShippedKey] = [
        // Root key of `PrivatePKI.Keys(seed: 1)`.
        ShippedKey(
            seed: 0x910A2DEC89025CC1,
            prime1: """
                db0ad7b5e85080c2bc9e9deb3c2aa940c89d554e344ebc7625e5a1f31d0f4d00\
                ed85bc0929a108199d600a250e66d9e03e70a2ed0827d3432d49e4067617136b\
                3f391c8a76d960bba05302141a219f0bc63f062c5c30e3d43817edddf9257651\
                c7061b1b93322ba90b95f66d327e8d78f18d6ce93d6cf1ee5e41ab0874396347
                """,
            prime2: """
                c0aa7484ca2d25af747e978b43f6da9e87da21dd986ff423f0d6e278a528f44a\
                080b16e1bc5446671683fa646bcf0bd48a9242fca4faf1343d3c18aac5ec4cac\
                3e614f5fb0d63df38c283e2f9255f61a46e81c3073e39f3db2a91ce34d455ef3\
                8cda1ebab9959a5560061ebb9a45892893db47839849528876fe3fe78ea05fb3
                """,
            coefficient: """
                6c3caf0868d323a14fd4adfbda8c7fec24ca44e5b15dc37e0dfcb213174a1799\
                0fe56d2bae9aa64d38ce24ee8c1393bb04a9ad463c48a566348edd1dde9a401d\
                e881180bccbf76491a325d87e6d4b989e84ecb50dc8690e707869cb62d770dab\
                7b8560cfdf6800189032019132ec4763fbe4e801c6172f127aa8f6c67e58d188
                """
        ),
        // Intermediate key of `PrivatePKI.Keys(seed: 1)`.
        ShippedKey(
            seed: 0xBEEB8DA1658EEC67,
            prime1: """
                dbfd11a856e21fe94445343847d4e6a4bd3574066bb99d623242cf892e278907\
                71884e85ce32fd79c02db90d1c8abed38ea63ca317abd124d5acd48578c84c4c\
                8fec7cda80e93de9b44f3ac20880984d525d77421dc5d88586d6e514124bf367\
                b9193eb33e86aabd45979e32aac8622f144a955ae03290d167c9139c104e69eb
                """,
            prime2: """
                c9687baf84bb3c42efb0a9f38b2720075f06fb07302657dfc528915523f78bd6\
                15ca81b41be952e86f14d8dea597dd983efd6804b3daddb9b95a3fd0a01b39ed\
                2717b1fffdbfe5286ab7e22510676eeacc9c143a25c28764660830ff6efa0a4d\
                904a6e8ff8c23a560bc4ae3918a0287a08c9eb4685b1dad7778b1aa9c29bd1e3
                """,
            coefficient: """
                9886f5cad9f384dc36b23d747be842fa6194ce0bea2a7c2c3b0e69c1938ba76a\
                f600f5cf44a54800d511ad89dea987d379c416baaf59456de15f8dd94141583e\
                5c0c4d114cd9532cda2429180e2ce61afcf2eb5761c62075e4baa86ebf5b6fe3\
                994110968092452d3c34cc6f1e6f0a0e94d9c9c18af31fc3e946942f447741e1
                """
        ),
        // Leaf key of `PrivatePKI.Keys(seed: 1)`.
        ShippedKey(
            seed: 0xF893A2EEFB32555E,
            prime1: """
                fe9222cc1f094882fbf915e89498f66e2a0dddaea47c453d9a8f9b768b7608c5\
                f40bf4d3b17d930d691d1500566aa8ff464ab1e7df5f5c7839b95dbeccb672bb\
                78f5b242abf88965afb3634affb384cc3c4bea2672b6ebdae8fa78ee2c98e692\
                0ee3bb459e9e297baa7e844961f494ee6d5016879973635ca6c7188e0551228b
                """,
            prime2: """
                f156a8855448403b771c9c2fc5edc2a942560844ae7ef860474c4199501d229e\
                e2c841f59c2ec2532d1adce424bb11c2b2c32fe55e0e47945e6e2a84d57349cf\
                2f026575fe59665e4212f2fa928f393b430ad6978812c284c496f7016f8c62f2\
                f81d2ecd4fab34c9dd5b3a5280b7526664689b5a5cd0bb45bb71971c063ff4af
                """,
            coefficient: """
                d8096dac3cf8ece0bd080bc89286b7ffa3670ffb318bdc03b7fc10db895a8c71\
                1bc7f86695adf70fa0a85926da7d703d27c0f5968f9ed02a1822e756929a231b\
                b9d5a5a953ce8e4efbc0892983fa34685fab0965e82200d0731fdb7d88660034\
                09e7d132621e6de649d246808eb7bdb42732fc816bec94130081911f5d6d4fcd
                """
        ),
        // Root key of `PrivatePKI.Keys(seed: 2)`.
        ShippedKey(
            seed: 0x975835DE1C9756CE,
            prime1: """
                fc44ef191f3f96e27087192e5520de7b25e0a44ce8fa49a3f9d2e0ebd215257b\
                65ba27dc0a81afd91341f10a6e0e76323d3be7784e8a80edf82c15017975b962\
                38b56d9965c18a020a35929d4a4fca50d0e913150da911f4f3e26a9d3d2fb8ac\
                8ea264d0125c8328d79b1b9dbd70e17015afa6cc98416e0c64684c4f0fd78e37
                """,
            prime2: """
                f900503137eb02133c0b8c2a966c952ff5966996b3fa112fc0cb745455049974\
                8b37f90d98bc4ddd5c2588cd166ff7516309b36ef641821b3acdfc6f0e1b286d\
                6c3f48b00c59d2fca634cf7749163c6316426b5684c8bb89b48970ce87811037\
                ecbc96ddbeb34dff86157563fa29145a7bb8aa1e7396f8d36291c3618fd71233
                """,
            coefficient: """
                75f7825cf5323ad607163cd2dff92495fac89e15b7a46435f2767efc345ba5e5\
                46a07faf6cd32814e57e27ada4f2e50cc41c78eb5ecbd77bf9b493b683c2152f\
                e470ced0fbd8adb2929ebfd5a87e3a50c23a5db913f2652721e246784edd0e1d\
                a4f5ee09a998ea28b25dccdcbd22b557d632f36fdc4f8855fdbf9baca827c57e
                """
        ),
        // Intermediate key of `PrivatePKI.Keys(seed: 2)`.
        ShippedKey(
            seed: 0xBFC846100BFC1E42,
            prime1: """
                fe86890b771e850368599a278acd60f74b3adc3208d3216728cb32231a176590\
                01c5a09de2b9da23d8dab0a48c292e3103c38b63d7af8e1a04175207c9b62dec\
                c0cbf43b01799a1f7c286516dd676c49feb0493033f81f1d916b6a6407b0691e\
                68066a7fa5fcf1c1c6a4b0f5ccf7aabfd3934b8ac6f6424117657d56072d6d6f
                """,
            prime2: """
                ec57412b84bdbf26e2ba3202b6a02826d1f04e5b45084e162688bd97317bcb7b\
                c1ad27c5227cebb8958aa1c24574fb0bfe31a1455d0a2765c7a885c5bf550579\
                410784a7179d8da810ee99a4be24bde85adb21139134911b70729123ec11bde4\
                03946cd7dad8d3b48806d21398cc72224687882db8dbe06a870d1e06fa9c32ef
                """,
            coefficient: """
                a5df8eb4a09d8121971b564a9391b462b8de4ef43e6b6a134e24ff7df581d224\
                4026fa1c400544c984b6ba4eab4a187429ffefbb88bbfaf78142da3eef7903fa\
                40d6f0adae1a36310d81515974784625b9db148c9938d14f7ddae93fad15c7cf\
                bf1f08478df92ab03397ba15171ef98c3ce360469a15654a163d5fef834a58d4
                """
        ),
        // Leaf key of `PrivatePKI.Keys(seed: 2)`.
        ShippedKey(
            seed: 0x987BBCBFDD7E532F,
            prime1: """
                fd5ecb0a1f08d0a1ec3dee8ef5aaecd34d34cf56a6b9b900bfcb2b8ce9e4251c\
                2b1f060fddb46495c8f54c8204ec0dee84cbebc9d2f9093391cbc8961f0207e7\
                6a4627cdfbea4a46bd282254c3fce7e6c455410b5406e61cc73492425ad9c75e\
                db13d589a54e57cfe6a12931c9fa4b8599923e46d3905fe4831a81f8d937854b
                """,
            prime2: """
                f8fc98e0cae21507944e279971854eb75b5412661b5cc77abbe3d66e191931cb\
                0693387d7650b077d9310bc5d32d5f131772461d53c4da31d75cbb13afafdd57\
                d10b75ac3f31cecdaca808ec2174a7d23358f66d239f4dd050c450247b32cc13\
                b7a6ae71a818be6cc8678228e17761f1d36b009c24b3503beffdf0cc83fcc31f
                """,
            coefficient: """
                31552eee26496d115173e325874234dd952ef221db977a7363d02ce3a78d48d6\
                bc8f3d630e1489e65cc3ea23fed8c34b0247e9d4f24d6b6402242f026539985c\
                3247c8cb0b4144ab3f0361a8ee14e8671150791c12b10e5ea1c3e2cbcf888c47\
                34ad1d785517966caa71ab4f014d4013421a7c1b31c906dc1a1f8f5f10db6614
                """
        ),
        // `PrivateKey(seed: 1)`.
        ShippedKey(
            seed: 0x1,
            prime1: """
                ee1c831038a7d6bcd400d25427f1df559fc46e236ff14e7bab5f2b30d1d16d59\
                fc65977f53e486b63fcb93761a38dc1feb446c1194bd35e0c8ec2f683944b280\
                1af70133ac52e7b70b404d4e1c4be4f9555c8a4447099029db0dba508519a1be\
                ed79e6851a1cb681b4b2e182c5f303ddbde5f6f715094590b1b6dea277f9eaab
                """,
            prime2: """
                eac2ce17a5794a3b6f9b6dae6f4c57a887b341d690d7a28a7476cf8a4baa5dc0\
                9afcd44d14cf8bfe6775dc7701564f61cb435c8e74616796491718de357e3da8\
                85e7bb0f12278575e099ec6cd7363ca5c34d0bff9015028071bb54d8d101b5b9\
                71c18690ee42c90bf893a2eefb32555ebeeb8da1658eec67910a2dec890267cf
                """,
            coefficient: """
                35ed681ef7a7c667bc587bfe06db616b5c4b1426b5dc08accca85581c5e858e1\
                2be2d7f050016a90a690fe70e6fd372e6fd546afe4c42216e96939e528f6951a\
                e2565921ddd0e8215722dd9dfba2871a3f3e87e744696cd06cf5c845d4843687\
                c28952a8ac73f3a9fc6ec66dba4e87bb59e5fe35c244ad5ef8c6898142fe0a63
                """
        ),
        // `PrivateKey(seed: 2)`.
        ShippedKey(
            seed: 0x2,
            prime1: """
                ff2c9092dcec92f3d978d8c2e67e7bb912e3bbab49bfc2eabf1a7f010c67dc1c\
                a7829f54568bdfca4304a57321fc5ad77d2c2e11166d05d46d26c40c11ed5db6\
                63d424ff4fb991a7a51bbc679d896dc4586fe4e1cd431bc51cf43cdc9de2294d\
                b545be7b4a509e0e374bd5c9f4e2a3cf5915b66992f559bfd58ac1e3231b96ff
                """,
            prime2: """
                f4116e681eda3219ee979f2730a45df35fb1940eb8cbf1ae8e4858b561b10361\
                701560ad31bb997756e84498e8b0e635ba450a33ef6ff86c401478bc5887ccff\
                bd34d3aef603e583b9f24f7bae4a658658bc3cb37bc7b2b34fc446b53f17fb29\
                c3f2827affe7f664987bbcbfdd7e532fbfc846100bfc1e42975835de1c975e03
                """,
            coefficient: """
                9da53b62bf562e16e772eea3ba3b83d4c2356d1cf5549c8829bdf20246405ab7\
                c7f61449f57e3ffa46b375ce071600e74c2d63bf6d3f42f12714e3f2e829a672\
                d53720ad32ef005c5c484fb6d3cdd6dd57c928d9b783dc6f0e73514defcb969f\
                f0726a98aa427f777a3388fe81588b716d082c34da9f719ce1e54d5957795466
                """
        ),
    ]
}
