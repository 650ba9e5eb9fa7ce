import AppReceiptMint
import Basics

// The primes of the keys in `Keys`, so that tests do not search for primes. These private keys are published
// and protect nothing. `PrivateKey(generating:seed:)` makes the same keys from the seeds in `Keys.seeds`; the
// tests of the mint compare the two. The key of 8192 bits has no seed.

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
            """
    )
    /// A key of 8192 bits, the longest that receipts may have by default. `openssl genrsa` made it, because a
    /// search for such primes takes half a minute here. It has no seed.
    public static let bits8192 = key(
        KeyParameters(bits: 8192),
        prime1: """
            ee2a34c973513059c0674587391e9fc04a59d116cf7e20c5f2afab0ab39258b0\
            46886c29f1a0c25af2b6cc5ed235eb361d72571a57cbf61f58abb38973aaa0cb\
            6460e5ad5d8e62a2981f9805c926eabfc89a72d771ab7fe955ff79198f1b7db3\
            02f23a67944480a5d0ef2f3519b6440c5bc3f0ddd97d509b7e74aa7708bc75e5\
            6a021053e2d60749dd8c2c7d11d03e15482971166484deeb9d4f3cfdec2ea3eb\
            357671d1760a77f2e3ead54e71ac82b2b1b4ea27244227e3fc3904e229de85b2\
            11d6eb9a6dd42ee4fec1bea05cc4e1f978f53364a209329782d54f96bbd37521\
            b7b292adfd96e2f48aae3643695c2f0a9ebb1f69340387f80382c6fddc93d587\
            14558158bc03fd50438a079a8da7db442e1fd56d3dd2e64db76fbb36825b633b\
            d36bb4e092d8b56d8f2adeda008ee3fab881659523b383621b7c765031c84b91\
            0c5dce4fe59fc10e0d3dc339a47aa83cccfd85ce2238199a3823696060246193\
            26a44ef30ba3d9b4308ea6bd07e8e9e122992c7423a98d019db739e7881bcf75\
            d6286984a4429960dba29a5fc6026930523d7e47b4116650215c5c10917bd790\
            465afc2faa15fd166f293cdba09c52dcf97dad999fa6f6ad64ab154c9f4b7244\
            43b590ae0768dce4a75d2e046f15b09c1d4bc7fc559b9ec06128dffe6a99d07d\
            0d65b42d790857c7ebfa008f88279fb8fb5c436f29f7bf1804c6944189757e2f
            """,
        prime2: """
            dfd39b453aee8307f2a64208ecd9be25e7b4271a51d11e22136b61dbe5b35202\
            4b9fa5c9738abb367499681c0c4c016547eb61fbe8e4f1a8f9cf6b195e6c2308\
            0350cdcaa0da2ea3f450716d000f5f592f6e178948562f4adf895d9a85c505d7\
            3280f3ed1336eb653e9ca994134c35f74bdc292d9b31d672b4622a28f713fda0\
            ce64b45784956ac9b9ad7231ab03ed1d3ff25d249d92e2b1c662ca5347726ae1\
            0e036703eaaafe43568690a635f39292459e487e071f1e78ec10d8113e917e77\
            f6009900757c5892a6135bb8fa0a0c1f4a6dfde930f7c3e731bcdc44c1700cac\
            d82fae297035c5c4e9ba0ffad9c1ffd40ffa06aed49778bbb5c5f5e1f549a7e4\
            49a511e7565783190f4c6070a6bc8e260117880235dbd7460e1654514fc583a9\
            7d88f20ea0e6a82af7c1c234bc903cf0925fe7d4b55c63cbc76a59ad07409988\
            7a6b7f39ca1080e3b25937f0874758adc34d9b0638ff21814aaca20905cfe3d6\
            82c28b63e20b48400ac5a488786306f535a93555c2f2ea9cfef381a389023b96\
            5d09d0d282e7dea3e2a5d83534e4c05c174d7d650218876b93fc11712d42af06\
            56ff740a40dbdb6560d15d374389282d2498696d4fc0aec366818992b0a285b7\
            9be4705d7e5b6f23428f359d60e8ff8f5c31defd60014817970a62ec905432cc\
            fea81ef4f2b1e24eb08f2e3b9093879c5ae7b84988c12fd1e34b529d0f7b1a87
            """
    )

    private static func key(
        _ parameters: KeyParameters?,
        prime1: String,
        prime2: String
    ) -> PrivateKey {
        guard let parameters, let one = Hexadecimal.bytes(of: prime1.utf8),
            let other = Hexadecimal.bytes(of: prime2.utf8), let key = PrivateKey(parameters, one, other)
        else { preconditionFailure("the numbers above are not a key's") }
        return key
    }
}
