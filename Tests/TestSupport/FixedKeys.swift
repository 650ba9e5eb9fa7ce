import AppReceiptMint

// The primes of the keys in `Keys`, so that tests do not search for primes. These private keys are published
// and protect nothing. `PrivateKey(generating:seed:)` makes the same keys from the seeds in `Keys.seeds`; the
// tests of the mint compare the two.

extension Keys {
    /// A key of 1024 bits.
    public static let bits1024 = key(
        .rsa1024,
        prime1: """
            e8418cfc000da82d8b0e88b1a11f0de9fe4d43c1998ad9038af91bd0146f578c\
            0627b3fbe0b853b869a63086d62b34b16b9ef4d6a0cca42d8647c6d1873751e3
            """,
        prime2: """
            d84a93fdcd4bd484b7cd2c6a09ca6c1e60bff151d18a35dd04d0788e03ebff87\
            da258f1151868b4087fc3f1dac740225fb624bd98f2be6c4f7e9f3f88cc04baf
            """,
        coefficient: """
            e31e6ee9082bbaa2cc25a119c492209f5a6f8f76a554676c88c80c133c4a14d6\
            bed77f57b3ca6d48dbaff8323458a85ab2ceeb0ecd987c2dea9dbcb4c8c13804
            """
    )
    /// A key of 2048 bits. It is also the root key of ``pki``.
    public static let bits2048 = key(
        .rsa2048,
        prime1: """
            fab22fb9c487da501528c59fbe330981f969addbffe2faf64970117c31ea914d\
            117371e54d16de7da793adaa905a65809635384d0a93dc777577dc28854c1092\
            76c236a162bbbcaa2cd397579a6212f340f4ef8002b3d13b896d928055b1f8d9\
            a77ae2ff253279b865e39a8af782b25fec9c2fa2b60814849d589011dcd0f783
            """,
        prime2: """
            c2c85e5f4b432cc793a0e06660c5ab712005cee9dc600e9233af9f10de3bc1fd\
            b2c78c07a4cd6678b5be4b09d0cddde2c4ab47bfe34ea6cca3a7c516a3eb426a\
            8a0b93e3a32ecca812e85452777fb2163f0ed918b7a5e46c220c00c303b62d9b\
            7a26299d16ca1916aa4b4d7edcf6bfa452874ebf9fc109fcb4f83421be36fe5b
            """,
        coefficient: """
            4227c9e6abd4240b9a432e016b2d0b900288a33665e289e41a7c5c3fcbfcdb7e\
            fd081dca558e5ffd9aef26021965cd7f1ec977e4b70fa45d80cdf1196d38f685\
            cb7204ff3423790b26b066676560cc2b2edb7f8acf5af85dd0beb1f1b43a752f\
            8d70bdd96ca468124b8c2457701c7e479cd7a3e9ea7c27ad039094adff55894f
            """
    )
    /// A key of 3072 bits.
    public static let bits3072 = key(
        .rsa3072,
        prime1: """
            fc687bd0f8352fbd5e92011a8da122d026fc0757516a0cffe4e01d9f887c83c4\
            dbb1cd4dd04aa0c1a0002e15d3fd9dba6405ce06ec8c3a85d3c2f70ca9a0afe7\
            19702b83210f540f8bd6d91d2f623f8971074ffb6ffb436f61940cf65b0b5d67\
            332a55ee1b6292279e26a5e3a82b3befdd01821bafc24875b03809e24107a024\
            808d278560653f65965ccd4c9768e48abcd05229cd8fb65da825d6deef0d4afc\
            57cf15918e9fbbc4d18c014e11ada33b68972a2fd316913b53eacfae0c6dde3f
            """,
        prime2: """
            e814baf30cb72f631e89dc13800347412aed598fc3ddfbbfc5402083fcdb2369\
            0b623d54d45f6c92da2a11ff98926c0c35281c17219e7456d826b975b4064a5b\
            2d0c6cc73e9cf1090142f6caed891446db4f1dc07d10c37c869cfeb4c62c0475\
            0ef7dfbe237af965e6ca70322ab8c0ab5d8ab6ec77893738fd984f5963c4c8e5\
            4f80583166df526d4870e0f5de73c5bb6c73c8552d4265d6792c17875d5ec8a7\
            f2bb442ff1df82a2a0e370db493381bf5355de8f99d83e7528bdf54bc25a432f
            """,
        coefficient: """
            9fd4f90d27a3e1e02eee0eac470c42f42f44b239468b43b712e6335064960645\
            15d25497051054aadc28e8c245b1669f9c1bacd0b06bb7e69eb3bee9797d7aa5\
            a3908e87473cdea3b0ff345338adb808cb8124fd3aa7fc36edaa979e6f436282\
            b5a86a341ff15a2c764d23ebec250e57f14740f7c1fda4fc97120d47a4e4aadb\
            c07d48d904cf07db18d47beb769379bff72848f671fd3e1865e49fafc7004ccf\
            c7b8b46022eee10c08746853268ac0302b844bf3d8a54d3ef757f15a3881e31f
            """
    )
    /// A key of 4096 bits.
    public static let bits4096 = key(
        .rsa4096,
        prime1: """
            fa831b71496fab244bd8b3a772ca07c5daadde97b556fd4b0190f0740ef8cf9f\
            ab75879dbfe7dd60aecd4429b325de9895c4e641085920bae03e3a09b44c4fc5\
            e3826b3d05338348ea1c554712dae44cb417c0ee79f5ea4527a6c56e9a056c5c\
            61ea721bdb2ca00fb2a61c23730db3fdd40722413de654deecd36815f13df613\
            cea184fa4fe2a73eb46b038780eec24ae7d9e159c451ac0b511e5ecdabda24c1\
            5021f7aa95895b08f90e1cdfd057c81e653e3b77c560544fc5fccd60638d6fe1\
            234a2346195772422762f211e26f472affd962dc7c98dcbb099a2ec54d90c9b1\
            27e3c936a2b65dd640674e192145dc84edbc4b5e9782609af40299ce8c16ea6b
            """,
        prime2: """
            ee8ff8d3d96e78b9a3b6563b9be35a4031b588d8ce6f1836ad9bae2e84708a93\
            5bddf7aac08910ac2dbdf71c541d9bf9122fc51d5514ab47e4468032cc5acf14\
            93283e5ca60dfe765f8ea47f8aeab820e5f9e21aaa10ee7da66dc842f88fe5b7\
            6bb12606745a9e01973901fd7e71e558b07d5267f2501f48d9457ae074b4a23c\
            444bc2f277d8bd4fbee675c0c060b8a3ce8e2078417f289e50c245c18bc4fe9b\
            efa243926d4738e2cdbd727c801dea0de49e77d9fc512831da263fc0e120a77a\
            2dd8b533b3613b64981e2ed757495c71acefcfe8fb12ff42c216cc938db247c3\
            7640f7219858b26967e778833ae325426c86d821067a8a65aec7fa52e7acd387
            """,
        coefficient: """
            9fd1e8de46a292c549ad3c79c2718e77d75bd1ce6c47fe1142998cacb69efcef\
            32e7fe869f5bae6a1b2f95031bf48d29747af7709efef78884481ec9aa0a04a8\
            61b26911bb43d01a8599eb93c63bd49294573913267bd2eae348b8cd3d6e1da8\
            bc351eeb28f34b337e9c75ea54cc4c8c79723ac4128abfd2f40cf96b66e041a5\
            37bacfc0e1035808662d8c86422f335d0febba9ed22baaac5a9b828c58281029\
            442ff9323a87732fcd73f1f9e8261aecc35ea1ef26fd0325d354ad1a9007b7a5\
            84eaad354111ae96a5acc2ab0e7ed852051923bb9325c2bc6e1a9ed67b87eb75\
            fc081363ee22205f3384f6febceabcdef420db8f5dbf6026073890dc765af477
            """
    )
    static let intermediate = key(
        .rsa2048,
        prime1: """
            f06902c2c0020daf7fd1759a5046ab18276f57937a406de037ad8775fe407cbe\
            821f234a856de765ec8fa431f5e8756d49c5ddf34a376f71dfafa63324a29873\
            6665f2d04c8fd5ca88e9965329d6181bf56d033c778ee011a332e67af4d8d4f3\
            dc159eeb02d82f6db9a7dc27959c82540f82326ac3ecc4d095fd2fc78b9ee82b
            """,
        prime2: """
            c06438796f0ae922348b7671dd9b3092049762c3e40ed1fbb8909f84c5811ef8\
            7405807e61ea4ed712b636f6e9f13839efbccc529b2c7293336326f4246e2556\
            8c0e9792d231e1b9829ed504be8646e30d04b79395f7d1723df52439c4eb5b87\
            356bbe94a2320578e24981c3909480bf397c2528270f9b64efac36ef2d299c33
            """,
        coefficient: """
            40d2c8f807e7b1a1b64a3500e4aab06222638fc96d64af091eaa928e7be4d118\
            35251981edb89346c9cf8341969ad57ae379ef786f9c9fad1a3bb3ceb88f0ffc\
            4a20a99c0a05898ba0699bef77c6e09329851abb9f3876dd684b798b95a3aad9\
            b3c8091044fc9bb5b3083457c5df1c41a8b2f8ac9f64c98a405d55a96bd2bfb4
            """
    )
    static let leaf = key(
        .rsa2048,
        prime1: """
            cc2ae8f3102c69de2fe97f260305c577d822ce061e4986e8e05b3817ec72a872\
            ee5d0156c2875459275142c10846ab65a2f7bac09046bf775b34d51f103264a3\
            97e1af89b7e4b5f0e398f6fa610635a04a8d827de0d9b2c22137063cd74b7b9a\
            a27d108b34ffcf2b475c932da59c970465b31b10d426d1235e6964cded7f354b
            """,
        prime2: """
            ca715c726be885e82cd0e7460fdd0248727577bbd3cfe30eeacd7b03343c87bb\
            f9ec6656c9ae331ae36c3a659d45f0fe2188e5057819be85ff03b1018347c73b\
            3baf075cd5a9bbda2bc84dcfbabb3f90ebe833d90e78fe454d464d55f7689346\
            c9d46336414ede67ac15681f5099e44bf0ec9938beef326e0d0f7339974d7ebb
            """,
        coefficient: """
            9d2d47bbc4098ac2b4d080523a013f0f3d941eb8068f78157926fd7f738f36a9\
            39e69728757fe96ae4911f6c86c11154aeea4d9544ef6a973a2aa6e4b47db6df\
            d25061172d4a3551456570b2c9544dba7aa5b916cbebe316dd13dfddd243c145\
            9ea7005fc766f34c883815283adb6dd44f7da5a9f4a085ff1162f2e84d35a9b4
            """
    )
    /// The key of the upper intermediate in a path of four.
    public static let upperIntermediate = key(
        .rsa2048,
        prime1: """
            d5342e4f18b876b76376d6264a91821780cbfb0ca18be92daab4ad7bda047b6c\
            78817e06c3cc45b1fba6c5e931bd24ca9b62796d3b4c398be4ab8411abd3ab5e\
            50ff416943c0124ed080caa1de28909ac9323fe8e7c2d72b0554684bd8b2d33d\
            4816ac042a03c85f2466592db10ff8b6a7ef6648dc8325db8a376f08a0a150db
            """,
        prime2: """
            c92d81eb0a23ecf32976a17a0998c47b40edd10cecd05d9ba11b5b3ab91b46db\
            327c3651ba76d7a6c8dfb324773c5ca865c56b20bc67b1670a2861c4e13ebedc\
            2738d67c057f45ccf16a2e4b9417885cfa2316a95f6ca8106adc1d96e59d0856\
            8aec0657c8ec1ebb2c215e1198c59aa0a7006abbf823997ec0b325c1bb7b3a0f
            """,
        coefficient: """
            6ccebb558b3bf7b5f7c5c99f0d394f9826165cf7fc386ac2dd30118bb457a5b2\
            e1319258828cf60e3b6111a22c05744fe5fd5421c08255131b3fb9f0f27d1c54\
            5e32d2060b192519593b5d12622e88c650faee5798317b297fa2c01e6980e407\
            35eceae7030449edc97e3be09ec12dd586710facc7c64008df59cbf8dc4912db
            """
    )
    static let impostorRoot = key(
        .rsa2048,
        prime1: """
            f862da13c3d76d248f661d9f8a2c5a80025f28cb61d2c00ab90d7980a1969a6f\
            d21e1b22732234667eb49df7c7aeb55778f77ca21665158d79e6b2f588889e2c\
            c0186467ea2c2c1fa18a83fb64255c8c6f2e371b2d1b708d3a4cae6bd42258a9\
            7d78937b1d5a9d2ae939e494b3155de7997061670fd25d50a6b78848d88d8623
            """,
        prime2: """
            c9ac79aedd2be52cbb88c7e941d018fc7f5c08369191df372b7006b1341d94de\
            a3e04dfc6127f524ed5c6cac62d8723bd9d158f2db5142c525ad0f9f7390add5\
            3e0ca36968f22e0221f157ea34d67fd02cf957d7a4cc499618bf23e741539389\
            e34f164816f2fc19f0900b66236f4157f58b6b07ccc1f63541c5b6ac41ab1e87
            """,
        coefficient: """
            b2d46b4620d1d234b7d79ade9c8689db7e9fa40019e5aa52f041a9526053807a\
            de69baf85cc87842c46561ba6047a26a458e75c752165a6edd774b10fd9dda53\
            4079b0dd9fa6092f8e1cdafda8b1671df35b9834fd43671dbbbe985df8ba977a\
            5bfe8fa42467d41d6866faa8faaefbf48d047aff3f52314f785c22caecdde710
            """
    )
    static let impostorIntermediate = key(
        .rsa2048,
        prime1: """
            fc9a06de6e0c9326832d2d4591c74f80dcfbfd08d0ca361416c867c9d3c9461e\
            08f226a5b658c045dd2e07cfd217ba03714a5552191b3ef2040773e4b0007fdc\
            076201c489729b3a51191951fed26215ec561b973dcfec57b17f9477ceb3c319\
            f9e361b3550e5c01ee89601f6b639727f24d3f1f42a9f79d7979df25bd4f114f
            """,
        prime2: """
            d59b07a802789ee002b93309d6640410e53673da905e9c534088d317cb25b1e0\
            3d197aa8c41e858abc3e1f679f2500d20a57da7153fae2d648a6e264740e8dab\
            3d4e47d3365932b01575f17c8eba74538a10120c35dbf3b3023461b5662f425d\
            62b1135e14a3f3aa81d0e8667103dd22219590dcd14363a382c8996994f2911f
            """,
        coefficient: """
            eaf64b0d73b9bea5e90924dff6640b4ce7b3612fa2fd293349315996182dbedc\
            42016e2e84eb70909e17f64758b0e2f29ef28083f14901b0199ea2665329e24e\
            070a54e10770e06a68ed423c26740f87b17c5f91efc1a495d4160e277946dedf\
            ee9416605747b39a69b78688c5f85495d50a5ad5ec2b5803f105f9bfad635cfa
            """
    )
    static let impostorLeaf = key(
        .rsa2048,
        prime1: """
            efdd8ebc9578749ca08cc9fa5de9070dc1fb9840f01eb9b90c727e2ea0f117e4\
            1eb24ddf535ee9d06a83ee5a9f14b993fe2dbc59353a0ae4e1d3ec47bdb97323\
            e8a4cc2c74d4659414c2fc151450242466c1389aef66a50f2b70ea9c130fb883\
            742c8ce02ac399c677f12021d8b4b72ddb88a580d4ba0f75bd9e8145f2fa91cb
            """,
        prime2: """
            da001730d6718bff9468e86c89a9cdb5f869cf57afc04c7936d318773002ffba\
            f441ca303d6e38d99a5f58714eb04eb381f12d3b5dc9b82de7a08a27e5c6e8de\
            7a028e1bae443b8726f121c3f1a5b74efd73324eed5dd3e0c06cbbfe090f50da\
            5c62aea632d16587462c75c7cbba329c723b162c7f93d8def4103b6cccf7a82b
            """,
        coefficient: """
            3837fd0ea289f3d04bf540afa7a46b0943eb2cf555a045620ff14fe9a45e2004\
            1529021743c4c743d2661e2fc5191235ec14fb35e7394659049a45b785286448\
            f1b847864ba59718dd80a141408b143e274a5e8a1bb908ac58ab7367b90a8116\
            866795ee32248e2f47d395dc505d2e9d8bae95c68b843f340095f6b4fa6f0302
            """
    )
    /// A key of 2048 bits with e = 3.
    public static let exponent3 = key(
        KeyParameters(bits: 2048, exponent: 3),
        prime1: """
            f3517b51a7291d5c926cb2ba701fc323dac8c66c2448399106ad5a3e2802503c\
            a0b769637c475fb0b1f68e04664f43bbc7cb8cdcca38ab4321351107ecc08b52\
            1e09a176cb37188cfd58d290b77ae89a0b5f8d833d869b5248c0d198433a9cad\
            2fc196563cc1c2826c7b4478407474c668407bc0843082135b29e7a73fa70e33
            """,
        prime2: """
            eac2ce17a5794a3b6f9b6dae6f4c57a887b341d690d7a28a7476cf8a4baa5dc0\
            9afcd44d14cf8bfe6775dc7701564f61cb435c8e74616796491718de357e3da8\
            85e7bb0f12278575e099ec6cd7363ca5c34d0bff9015028071bb54d8d101b5b9\
            71c18690ee42c90bf893a2eefb32555ebeeb8da1658eec67910a2dec89027157
            """,
        coefficient: """
            a1042e62c320108c3c8a698721d3c61af1a82e4eddf09c49614c3db75b3f0140\
            2e7a68f8c63c7a096aa02b8e1bb3e8c448427492ae497d06dad40f6d6ab3b829\
            2ea2ee45d65beba09b5547d02a538aa8f42f133df2135205f617e69d79e8089f\
            5dfdb327caf5672c34392ad0de08224893b650e70a048573549d338ccb98ffc6
            """
    )

    private static func key(
        _ parameters: KeyParameters?,
        prime1: String,
        prime2: String,
        coefficient: String
    ) -> PrivateKey {
        guard let parameters,
            let key = PrivateKey(parameters, prime1: prime1, prime2: prime2, coefficient: coefficient)
        else { preconditionFailure("the numbers above are not a key's") }
        return key
    }
}
