package peer;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import org.bouncycastle.cms.CMSException;
import org.bouncycastle.operator.OperatorCreationException;
import org.openjdk.jmh.util.Version;

/** The measuring program of Bouncy Castle. */
final class Main {
    private static final List<String> MEASURES = List.of(
            "uncached", "cached", "sha1", "sha256", "sha384", "sha512", "rsa2048", "rsa3072", "rsa4096");
    private static final String USAGE = """
            usage: bouncy-castle describe
                   bouncy-castle check --root ROOT.der FILE.der …
                   bouncy-castle time --measure NAME [--root ROOT.der] [--samples N] [--milliseconds M]
                       [--warm-up MILLISECONDS] INPUT …
            measures: %s""".formatted(String.join(" ", MEASURES));
    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private String root = "";
    private String measure = "";
    private int samples = 31;
    private int milliseconds = 300;
    private int warmUp = 0;
    private final List<String> inputs = new ArrayList<>();

    private Main(String[] arguments) {
        for (int i = 1; i < arguments.length; i++) {
            String argument = arguments[i];
            if (!argument.startsWith("--")) {
                inputs.add(argument);
                continue;
            }
            String value = i + 1 < arguments.length ? arguments[++i] : "";
            switch (argument) {
                case "--root" -> root = value;
                case "--measure" -> measure = value;
                case "--samples" -> samples = number(value);
                case "--milliseconds" -> milliseconds = number(value);
                case "--warm-up" -> warmUp = number(value);
                default -> stop(2, USAGE);
            }
        }
    }

    public static void main(String[] arguments) throws IOException {
        Main main = new Main(arguments);
        switch (arguments.length == 0 ? "" : arguments[0]) {
            case "describe" -> describe();
            case "check" -> main.check();
            case "time" -> main.time();
            default -> stop(2, USAGE);
        }
    }

    private static void describe() {
        String built = "JMH %s, %s %s, %s".formatted(
                Version.getPlainVersion(), System.getProperty("java.vm.name"), Runtime.version(),
                Measurement.MACHINE);
        OUT.printf("{\"peer\": \"Bouncy Castle\", \"version\": %s, \"built\": %s, \"measures\": %s}%n",
                quoted(Validator.PROVIDER.getVersionStr()), quoted(built),
                MEASURES.stream().map(Main::quoted).collect(Collectors.joining(", ", "[", "]")));
    }

    private void check() throws IOException {
        if (root.isEmpty() || inputs.isEmpty()) {
            stop(2, USAGE);
        }
        Validator validator;
        try {
            validator = new Validator(Files.readAllBytes(Path.of(root)));
        } catch (GeneralSecurityException failure) {
            throw new IOException(failure);
        }
        for (String input : inputs) {
            Path file = Path.of(input);
            OUT.printf("{\"input\": %s, %s}%n",
                    quoted(file.getFileName().toString()), verdict(validator, Files.readAllBytes(file)));
        }
    }

    private static String verdict(Validator validator, byte[] receipt) {
        try {
            byte[] payload = validator.validate(receipt).payload();
            String digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(payload));
            return "\"verdict\": \"accepted\", \"content_sha256\": " + quoted(digest);
        } catch (CMSException | GeneralSecurityException | IOException | OperatorCreationException
                | RuntimeException refusal) {
            return "\"verdict\": \"refused\", \"reason\": " + quoted(refusal.toString());
        }
    }

    private void time() {
        boolean ofReceipts = measure.equals("uncached") || measure.equals("cached");
        if (!MEASURES.contains(measure) || inputs.isEmpty() || (ofReceipts && root.isEmpty())) {
            stop(2, USAGE);
        }
        for (String input : inputs) {
            try {
                Subject subject = Subject.prepare(measure, root, input);
                subject.operation().run();
                Measurement.Samples run = Measurement.run(
                        measure, root, input, samples, milliseconds,
                        warmUp == 0 ? Measurement.warmUp(measure) : warmUp);
                OUT.printf("{\"measure\": %s, \"input\": %s, \"bytes\": %s,"
                                + " \"operations\": %d, \"nanoseconds\": %s}%n",
                        quoted(measure), quoted(subject.name()), subject.bytes(),
                        run.operations(), run.nanoseconds());
            } catch (Exception failure) {
                stop(1, input + ": " + failure);
            }
        }
    }

    private static int number(String text) {
        try {
            int number = Integer.parseInt(text);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException failure) {
            System.err.println(failure.getMessage());
        }
        stop(2, USAGE);
        return 0;
    }

    /** Returns the text as a JSON string. */
    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char character : text.toCharArray()) {
            if (character == '"' || character == '\\') {
                quoted.append('\\').append(character);
            } else if (character < ' ') {
                quoted.append("\\u%04x".formatted((int) character));
            } else {
                quoted.append(character);
            }
        }
        return quoted.append('"').toString();
    }

    private static void stop(int status, String message) {
        System.err.println(message);
        System.exit(status);
    }
}
